// MicroPython's configuration of this machine, with a ROMFS partition.
#include <mpconfigport.h>

#undef MICROPY_VFS_ROM_IOCTL
#define MICROPY_VFS_ROM_IOCTL (1)
