// What the emulated board has of a clock: time.sleep() and sleep_ms(), which mpremote's `reset` and programs that
// wait need. QEMU's time counts instructions, so there is nothing to tell by it: no ticks_us(), no time of day.
#include "py/runtime.h"

// The second timer of the machine, at 25 MHz, counts down.
#define TIMER_CTRL (*(volatile uint32_t *)0x40001000)
#define TIMER_VALUE (*(volatile uint32_t *)0x40001004)
#define TIMER_RELOAD (*(volatile uint32_t *)0x40001008)
#define TIMER_INTERRUPT (*(volatile uint32_t *)0x4000100c)
#define TIMER_ENABLE (1)
#define TIMER_INTERRUPT_ENABLE (1 << 3)
#define NVIC_ENABLE (*(volatile uint32_t *)0xe000e100)
#define NVIC_DISABLE (*(volatile uint32_t *)0xe000e180)
#define NVIC_FORGET (*(volatile uint32_t *)0xe000e280)
#define TIMER_IRQ (9)
#define TICKS_PER_MS (25000)
#define LONGEST_MS (80000) // that 31 bits of ticks have room for

// LittleFS asks for the time of a file's last change.
uint64_t mp_hal_time_ns(void) {
    return 0;
}

// Sleeps until the timer's interrupt or another one is pending: to count instructions meanwhile would take QEMU
// half a minute for a second. The timer's own is never taken, it only wakes the processor.
static void wait_for_timer(mp_int_t ms) {
    TIMER_CTRL = 0;
    TIMER_INTERRUPT = 1;
    NVIC_FORGET = 1 << TIMER_IRQ; // the last one, which nobody took
    TIMER_RELOAD = ms * TICKS_PER_MS;
    TIMER_VALUE = ms * TICKS_PER_MS;
    TIMER_CTRL = TIMER_ENABLE | TIMER_INTERRUPT_ENABLE;
    while (!TIMER_INTERRUPT) {
        __asm volatile ("cpsid i");
        NVIC_ENABLE = 1 << TIMER_IRQ;
        __asm volatile ("wfi");
        NVIC_DISABLE = 1 << TIMER_IRQ;
        __asm volatile ("cpsie i");
        mp_handle_pending(true); // Ctrl-C
    }
}

static void wait_ms(mp_int_t ms) {
    for (; ms > 0; ms -= LONGEST_MS) {
        wait_for_timer(MIN(ms, LONGEST_MS));
    }
}

static mp_obj_t time_sleep(mp_obj_t seconds) {
    wait_ms((mp_int_t)(mp_obj_get_float(seconds) * 1000));
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(time_sleep_obj, time_sleep);

static mp_obj_t time_sleep_ms(mp_obj_t ms) {
    wait_ms(mp_obj_get_int(ms));
    return mp_const_none;
}
static MP_DEFINE_CONST_FUN_OBJ_1(time_sleep_ms_obj, time_sleep_ms);

static const mp_rom_map_elem_t time_table[] = {
    { MP_ROM_QSTR(MP_QSTR___name__), MP_ROM_QSTR(MP_QSTR_time) },
    { MP_ROM_QSTR(MP_QSTR_sleep), MP_ROM_PTR(&time_sleep_obj) },
    { MP_ROM_QSTR(MP_QSTR_sleep_ms), MP_ROM_PTR(&time_sleep_ms_obj) },
};
static MP_DEFINE_CONST_DICT(time_dict, time_table);

const mp_obj_module_t board_time = {
    .base = { &mp_type_module },
    .globals = (mp_obj_dict_t *)&time_dict,
};
MP_REGISTER_MODULE(MP_QSTR_time, board_time);
