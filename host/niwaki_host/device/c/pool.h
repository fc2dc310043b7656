/* Memory that a proof needs for a moment, of the caller. */
typedef struct {
    uint8_t *bytes;
    uint32_t size;
    uint32_t used;
} nw_pool;

/* n bytes of zeros, or 0 when so many are not left. */
static uint8_t *nw_room(nw_pool *pool, int32_t n)
{
    if (n < 0 || (uint32_t)n > pool->size - pool->used) {
        return 0;
    }
    uint8_t *room = pool->bytes + pool->used;
    pool->used += (uint32_t)n;
    for (int32_t i = 0; i < n; i++) {
        room[i] = 0;
    }
    return room;
}

static inline int nw_between(int32_t value, int32_t low, int32_t high)
{
    return low <= value && value <= high;
}

/* The integers 0..n-1, each of which may be taken once; one bit each. */
typedef struct {
    int32_t n;
    int32_t taken;
    uint8_t *bits;
} nw_once;

static int nw_once_make(nw_once *set, nw_pool *pool, int32_t n)
{
    set->n = n;
    set->taken = 0;
    set->bits = nw_room(pool, (n + 7) >> 3);
    return set->bits != 0;
}

static int nw_has(const nw_once *set, int32_t i)
{
    return set->bits[i >> 3] >> (i & 7) & 1;
}

static int nw_take(nw_once *set, int32_t i)
{
    if (i < 0 || i >= set->n || nw_has(set, i)) {
        return 0;
    }
    set->bits[i >> 3] |= (uint8_t)(1 << (i & 7));
    set->taken++;
    return 1;
}
