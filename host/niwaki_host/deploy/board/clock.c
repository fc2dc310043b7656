// What the emulated board has of a clock: time.sleep() and sleep_ms(), which mpremote's `reset` and programs that
// wait need. QEMU's time counts instructions, so there is nothing to tell by it: no ticks_us(), no time of day.
#include "py/runtime.h"

// The second timer of the machine, at 25 MHz, counts down.
#define TIMER_CTRL (*(volatile uint32_t *)0x40001000)
#define TIMER_VALUE (*(volatile uint32_t *)0x40001004)
#define TIMER_RELOAD (*(volatile uint32_t *)0x40001008)
#define TIMER_ENABLE (1)
#define TICKS_PER_MS (25000)

// LittleFS asks for the time of a file's last change.
uint64_t mp_hal_time_ns(void) {
    return 0;
}

static void wait_ms(mp_int_t ms) {
    for (; ms > 0; ms--) {
        TIMER_CTRL = 0;
        TIMER_RELOAD = 0x7fffffff;
        TIMER_VALUE = 0x7fffffff;
        TIMER_CTRL = TIMER_ENABLE;
        while (0x7fffffff - TIMER_VALUE < TICKS_PER_MS) {
        }
        mp_handle_pending(true); // Ctrl-C
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
