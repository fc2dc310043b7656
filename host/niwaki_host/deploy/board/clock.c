// The emulated board has no clock; LittleFS asks for the time of a file's last change all the same.
#include <stdint.h>

uint64_t mp_hal_time_ns(void) {
    return 0;
}
