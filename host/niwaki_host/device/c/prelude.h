#include <stdint.h>

/* Shifting a negative number to the right must keep its sign, and numbers must have two's complement. */
typedef char nw_arithmetic_shift[(-1 >> 1) == -1 && -1 == ~0 ? 1 : -1];

/* A function that is worth a copy where it is called. */
#ifndef NW_INSIDE
#define NW_INSIDE inline
#endif

/* The arrays of a model, which never overlap. The first three are all its state. */
typedef struct {
    int32_t *words;
    uint16_t *halves;
    uint8_t *octets;
    int32_t *scratch;
} niwaki_arrays;

/* a // b and a % b as Python has them: rounded down. */
static inline int32_t nw_div(int32_t a, int32_t b)
{
    int32_t q = a / b;
    return (a ^ b) < 0 && q * b != a ? q - 1 : q;
}

static inline int32_t nw_mod(int32_t a, int32_t b)
{
    int32_t r = a % b;
    return r != 0 && (r ^ b) < 0 ? r + b : r;
}

/* a << n where a may be below 0. */
static inline int32_t nw_shl(int32_t a, int32_t n)
{
    return (int32_t)((uint32_t)a << n);
}
