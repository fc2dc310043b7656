/* A Cortex-M3 without an operating system: teach the library's model samples of a small generator, and print its
 * image's last four bytes, the checksum, through the emulator (semihosting). */
#include "niwaki.h"

extern uint32_t _estack, _sidata, _sdata, _edata, _sbss, _ebss;
int main(void);

static void call_host(int operation, const void *argument)
{
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void reset(void)
{
    for (uint32_t *to = &_sdata, *from = &_sidata; to < &_edata;) {
        *to++ = *from++;
    }
    for (uint32_t *to = &_sbss; to < &_ebss;) {
        *to++ = 0;
    }
    main();
    call_host(0x18, (void *)0x20026); /* the end */
    for (;;) {
    }
}

__attribute__((section(".isr_vector"), used)) static const void *const vectors[] = {&_estack, reset};

static niwaki_model model;
static uint8_t image[NIWAKI_IMAGE_BYTES];

int main(void)
{
    static char text[] = "00000000 00000000\n";
    int16_t x[NIWAKI_FEATURES];
    uint32_t seed = 1, right = 0;
    niwaki_init(&model);
    for (int t = 0; t < TAUGHT_SAMPLES; t++) {
        for (int f = 0; f < NIWAKI_FEATURES; f++) {
            seed = seed * 1664525u + 1013904223u;
            x[f] = (int16_t)((seed >> 16) % 2001 - 1000);
        }
        int label = ((x[0] > 0) * 2 + (x[1] > 300)) % NIWAKI_CLASSES;
        right += niwaki_learn(&model, x, label) == label;
    }
    niwaki_save(&model, image);
    uint32_t numbers[2] = {0, right};
    for (int i = 0; i < 4; i++) {
        numbers[0] |= (uint32_t)image[NIWAKI_IMAGE_BYTES - 4 + i] << 8 * i;
    }
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 8; i++) {
            text[9 * k + i] = "0123456789abcdef"[numbers[k] >> (28 - 4 * i) & 15];
        }
    }
    call_host(4, text);
    return 0;
}
