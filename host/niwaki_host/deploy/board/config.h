// MicroPython's configuration of this machine, with a ROMFS partition, and with board.c in some places.
#include <mpconfigport.h>

#undef MICROPY_VFS_ROM_IOCTL
#define MICROPY_VFS_ROM_IOCTL (1)

void board_start(void);
#define MICROPY_PORT_INIT_FUNC board_start()

#ifndef BOARD_ITSELF
#define uart_rx_chr board_rx_chr
#define mp_semihosting_exit board_exit
#endif
