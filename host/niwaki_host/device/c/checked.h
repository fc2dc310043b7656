#include <stdint.h>

/* As prelude.h, with every number, index, shift and store tested: the first that is wrong is reported to nw_found(). */
typedef char nw_arithmetic_shift[(-1 >> 1) == -1 && -1 == ~0 ? 1 : -1];

/* A function that is worth a copy where it is called. */
#ifndef NW_INSIDE
#define NW_INSIDE inline
#endif

typedef struct {
    int32_t *words;
    uint16_t *halves;
    uint8_t *octets;
    int32_t *scratch;
    int32_t words_n, halves_n, octets_n, scratch_n, x_n, out_n;
} niwaki_arrays;

void nw_found(const char *what, const char *where, int64_t value);

static inline int32_t nw_value(int64_t value, const char *where)
{
    if (value < -1073741824 || value > 1073741824) {
        nw_found("number", where, value);
    }
    return (int32_t)value;
}

static inline int32_t nw_index(int32_t index, int32_t n, const char *where)
{
    if (index < 0 || index >= n) {
        nw_found("index", where, index);
        return 0;
    }
    return index;
}

static inline int32_t nw_shift(int32_t count, const char *where)
{
    if (count < 0 || count > 31) {
        nw_found("shift", where, count);
        return 0;
    }
    return count;
}

static inline int32_t nw_divisor(int32_t by, const char *where)
{
    if (by == 0) {
        nw_found("division by", where, by);
        return 1;
    }
    return by;
}

static inline int64_t nw_range(int64_t value, int64_t low, int64_t high, const char *where)
{
    if (value < low || value > high) {
        nw_found("store", where, value);
    }
    return value;
}

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

static inline int32_t nw_shl(int32_t a, int32_t n)
{
    return (int32_t)((uint32_t)a << n);
}
