// A ROMFS partition, as boards with some flash to spare have it: in the last half megabyte of PSRAM.
#include <string.h>

#include "extmod/vfs.h"
#include "py/mperrno.h"
#include "py/objarray.h"
#include "py/runtime.h"

#define ROM ((uint8_t *)0x21f80000)
#define ROM_SIZE (0x80000)

mp_obj_t mp_vfs_rom_ioctl(size_t n_args, const mp_obj_t *args) {
    switch (mp_obj_get_int(args[0])) {
        case MP_VFS_ROM_IOCTL_GET_NUMBER_OF_SEGMENTS:
            return MP_OBJ_NEW_SMALL_INT(1);
        case MP_VFS_ROM_IOCTL_GET_SEGMENT:
            return mp_obj_new_memoryview('B', ROM_SIZE, ROM);
        case MP_VFS_ROM_IOCTL_WRITE_PREPARE:
            memset(ROM, 0xff, ROM_SIZE);
            return MP_OBJ_NEW_SMALL_INT(4); // the smallest piece that can be written
        case MP_VFS_ROM_IOCTL_WRITE: {
            mp_buffer_info_t data;
            mp_get_buffer_raise(args[3], &data, MP_BUFFER_READ);
            memcpy(ROM + mp_obj_get_int(args[2]), data.buf, data.len);
            return MP_OBJ_NEW_SMALL_INT(0);
        }
        case MP_VFS_ROM_IOCTL_WRITE_COMPLETE:
            return MP_OBJ_NEW_SMALL_INT(0);
        default:
            return MP_OBJ_NEW_SMALL_INT(-MP_EINVAL);
    }
}
