// What makes the emulated machine a board: a file system in flash that is there after every reset, boot.py and
// main.py, Ctrl-C, and a reset that starts anew instead of ending QEMU.
#define BOARD_ITSELF // the functions that others have from here, by their own names
#include <string.h>

#include "extmod/vfs.h"
#include "extmod/vfs_lfs.h"
#include "py/mperrno.h"
#include "py/runtime.h"
#include "shared/runtime/interrupt_char.h"
#include "shared/runtime/pyexec.h"
#include "shared/runtime/semihosting_arm.h"

#define FLASH ((uint8_t *)0x21f00000) // half a megabyte of PSRAM, which the host keeps in a file
#define BLOCK_SIZE (4096)
#define BLOCKS (128)

#define UART_DATA (*(volatile uint32_t *)0x40004000)
#define UART_STATE (*(volatile uint32_t *)0x40004004)
#define UART_CTRL (*(volatile uint32_t *)0x40004008)
#define UART_INTERRUPTS (*(volatile uint32_t *)0x4000400c)
#define RECEIVED (1 << 1)
#define RECEIVE_INTERRUPT (1 << 3)
#define NVIC_ENABLE (*(volatile uint32_t *)0xe000e100)
#define UART_IRQ (0)
#define VECTOR_TABLE (*(volatile uint32_t *)0xe000ed08)
#define FIRST_IRQ (16)
#define RESET_CONTROL (*(volatile uint32_t *)0xe000ed0c)
#define RESET_REQUEST (0x05fa0004)

#define WAITING_SIZE (1024) // a power of two

// What has come and was not asked for yet.
static volatile uint8_t waiting[WAITING_SIZE];
static volatile uint32_t put, taken;

static void take_from_uart(void) {
    while ((UART_STATE & RECEIVED) && put - taken < WAITING_SIZE) {
        int c = UART_DATA;
        if (c == mp_interrupt_char) {
            mp_sched_keyboard_interrupt();
        } else {
            waiting[put++ % WAITING_SIZE] = c;
        }
    }
}

static void on_receive(void) {
    UART_INTERRUPTS = RECEIVED;
    take_from_uart();
}

// In the place of the port's uart_rx_chr: config.h. A prompt asks again and again, and would keep a core of the
// desktop busy: it sleeps until something comes, which also wakes a processor that holds interrupts back.
int board_rx_chr(void) {
    __asm volatile ("cpsid i");
    take_from_uart();
    int c = -1;
    if (put != taken) {
        c = waiting[taken++ % WAITING_SIZE];
    } else {
        __asm volatile ("wfi");
    }
    __asm volatile ("cpsie i");
    return c;
}

// In the place of mp_semihosting_exit: machine.reset() starts the board anew, a crash ends QEMU.
void board_exit(int status) {
    if (status == 0) {
        RESET_CONTROL = RESET_REQUEST;
        for (;;) {
        }
    }
    mp_semihosting_exit(status);
}

static uint8_t *place(size_t n_args, const mp_obj_t *args) {
    return FLASH + mp_obj_get_int(args[1]) * BLOCK_SIZE + (n_args == 4 ? mp_obj_get_int(args[3]) : 0);
}

static mp_obj_t flash_readblocks(size_t n_args, const mp_obj_t *args) {
    mp_buffer_info_t data;
    mp_get_buffer_raise(args[2], &data, MP_BUFFER_WRITE);
    memcpy(data.buf, place(n_args, args), data.len);
    return MP_OBJ_NEW_SMALL_INT(0);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(flash_readblocks_obj, 3, 4, flash_readblocks);

static mp_obj_t flash_writeblocks(size_t n_args, const mp_obj_t *args) {
    mp_buffer_info_t data;
    mp_get_buffer_raise(args[2], &data, MP_BUFFER_READ);
    memcpy(place(n_args, args), data.buf, data.len);
    return MP_OBJ_NEW_SMALL_INT(0);
}
static MP_DEFINE_CONST_FUN_OBJ_VAR_BETWEEN(flash_writeblocks_obj, 3, 4, flash_writeblocks);

static mp_obj_t flash_ioctl(mp_obj_t self, mp_obj_t operation, mp_obj_t argument) {
    switch (mp_obj_get_int(operation)) {
        case MP_BLOCKDEV_IOCTL_BLOCK_COUNT:
            return MP_OBJ_NEW_SMALL_INT(BLOCKS);
        case MP_BLOCKDEV_IOCTL_BLOCK_SIZE:
            return MP_OBJ_NEW_SMALL_INT(BLOCK_SIZE);
        default:
            return MP_OBJ_NEW_SMALL_INT(0);
    }
}
static MP_DEFINE_CONST_FUN_OBJ_3(flash_ioctl_obj, flash_ioctl);

static const mp_rom_map_elem_t flash_table[] = {
    { MP_ROM_QSTR(MP_QSTR_readblocks), MP_ROM_PTR(&flash_readblocks_obj) },
    { MP_ROM_QSTR(MP_QSTR_writeblocks), MP_ROM_PTR(&flash_writeblocks_obj) },
    { MP_ROM_QSTR(MP_QSTR_ioctl), MP_ROM_PTR(&flash_ioctl_obj) },
};
static MP_DEFINE_CONST_DICT(flash_dict, flash_table);

static MP_DEFINE_CONST_OBJ_TYPE(flash_type, MP_QSTR_Flash, MP_TYPE_FLAG_NONE, locals_dict, &flash_dict);

static const mp_obj_base_t flash = { &flash_type };

static void mount_flash(void) {
    mp_obj_t device = MP_OBJ_FROM_PTR(&flash);
    mp_obj_t root = MP_OBJ_NEW_QSTR(MP_QSTR__slash_);
    if (mp_vfs_mount_and_chdir_protected(device, root) == 0) {
        return;
    }
    nlr_buf_t nlr;
    if (nlr_push(&nlr) == 0) { // the first start: there is no file system yet
        mp_call_function_1(mp_load_attr(MP_OBJ_FROM_PTR(&mp_type_vfs_lfs2), MP_QSTR_mkfs), device);
        nlr_pop();
        mp_vfs_mount_and_chdir_protected(device, root);
    }
}

static void listen(void) {
    static uint32_t vectors[64] __attribute__((aligned(256)));
    memcpy(vectors, (const void *)VECTOR_TABLE, FIRST_IRQ * sizeof(uint32_t));
    vectors[FIRST_IRQ + UART_IRQ] = (uint32_t)on_receive;
    VECTOR_TABLE = (uint32_t)vectors;
    UART_CTRL |= RECEIVE_INTERRUPT;
    NVIC_ENABLE = 1 << UART_IRQ;
}

// At the end of mp_init, after every reset: config.h. As the ports for real boards do in their main().
void board_start(void) {
    static bool listens;
    if (!listens) {
        listens = true;
        listen();
    }
    mount_flash();
    mp_vfs_mount_romfs_protected(); // mp_init would, but only after this
    mp_obj_list_append(mp_sys_path, MP_OBJ_NEW_QSTR(qstr_from_str("/lib")));
    int done = pyexec_file_if_exists("boot.py");
    if (!(done & PYEXEC_FORCED_EXIT) && pyexec_mode_kind == PYEXEC_MODE_FRIENDLY_REPL) {
        pyexec_file_if_exists("main.py");
    }
}
