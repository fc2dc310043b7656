
#define HEAD_BYTES 20
/* proof: */
#define FORMAT_AT 6
#define ABOUT_BYTES 4096
/* :proof */

static niwaki_arrays reach(@name@_model *model)
{
    const niwaki_arrays at = {model->words, model->halves, model->octets, model->scratch@sizes@};
    return at;
}

static uint32_t get(const uint8_t *image, int bytes)
{
    uint32_t value = 0;
    while (bytes--) {
        value = value << 8 | image[bytes];
    }
    return value;
}

static uint8_t *put(uint8_t *image, uint32_t value, int bytes)
{
    while (bytes--) {
        *image++ = (uint8_t)value;
        value >>= 8;
    }
    return image;
}

/* CRC-32 as in zlib, by nibbles, of all but the last four bytes of an image. */
static uint32_t checksum(const uint8_t *image, uint32_t size)
{
    static const uint32_t table[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
        0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    uint32_t crc = 0xffffffff;
    for (uint32_t i = 0; i < size - 4; i++) {
        crc ^= image[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

/* The arrays of an image, which is little-endian, into the model; its scratch is cleared. */
static void fill(@name@_model *model, const uint8_t *image)
{
    image += HEAD_BYTES;
    for (uint32_t i = 0; i < @NAME@_WORDS; i++, image += 4) {
        model->words[i] = (int32_t)get(image, 4);
    }
    for (uint32_t i = 0; i < @NAME@_HALVES; i++, image += 2) {
        model->halves[i] = (uint16_t)get(image, 2);
    }
    for (uint32_t i = 0; i < @NAME@_OCTETS; i++) {
        model->octets[i] = *image++;
    }
    for (uint32_t i = 0; i < @NAME@_SCRATCH; i++) {
        model->scratch[i] = 0;
    }
}

void @name@_init(@name@_model *model)
{
    fill(model, @name@_image);
    const niwaki_arrays at = reach(model);
    @prefix@_resume(&at, 0);
}

int @name@_predict(@name@_model *model, const int16_t *x)
{
    const niwaki_arrays at = reach(model);
    return (int)@prefix@_answer(&at, x);
}

int @name@_learn(@name@_model *model, const int16_t *x, int label)
{
    if (label < 0 || label >= @NAME@_CLASSES) {
        return -1;
    }
    const niwaki_arrays arrays = reach(model);
    const niwaki_arrays *at = &arrays;
    const int32_t y = label;
/* credit: */
    int32_t answer = @asked@;
    if (answer < 0) {
        const int32_t answered = -1;
        answer = @prefix@_answer(at, x);
        @recall@;
    }
    @prefix@_teach(at, x, y);
/* :credit */
/* plain: */
    const int32_t answer = @prefix@_both(at, x, y);
/* :plain */
    return (int)answer;
}

/* credit: */
int32_t @name@_answers(@name@_model *model)
{
    const niwaki_arrays arrays = reach(model);
    const niwaki_arrays *at = &arrays;
    return @answers@;
}

int @name@_learn_late(@name@_model *model, const int16_t *x, int label, int32_t answered)
{
    if (label < 0 || label >= @NAME@_CLASSES) {
        return -1;
    }
    const niwaki_arrays arrays = reach(model);
    const niwaki_arrays *at = &arrays;
    const int32_t answer = @prefix@_answer(at, x);
    @recall@;
    @prefix@_teach(at, x, label);
    return (int)answer;
}

/* :credit */
int @name@_scores(@name@_model *model, const int16_t *x, int32_t *out)
{
    const niwaki_arrays at = reach(model);
    @prefix@_scores(&at, x, out);
    return (int)@prefix@_answer(&at, x);
}

int32_t @name@_samples(const @name@_model *model)
{
    return model->words[7];
}

void @name@_save(const @name@_model *model, uint8_t *image)
{
    uint8_t *end = image;
    for (uint32_t i = 0; i < HEAD_BYTES; i++) {
        *end++ = @name@_image[i];
    }
    for (uint32_t i = 0; i < @NAME@_WORDS; i++) {
        end = put(end, (uint32_t)model->words[i], 4);
    }
    for (uint32_t i = 0; i < @NAME@_HALVES; i++) {
        end = put(end, model->halves[i], 2);
    }
    for (uint32_t i = 0; i < @NAME@_OCTETS; i++) {
        *end++ = model->octets[i];
    }
    put(end, checksum(image, @NAME@_IMAGE_BYTES), 4);
}
/* proof: */

/* Header words that learning changes, and what they may be; all others are those of the built-in image. */
static const struct {
    int32_t word, low, high;
} changing[] = {
@ranges@};

static int header_is_good(const @name@_model *model)
{
    for (int32_t i = 0; i < @header@; i++) {
        int32_t low = (int32_t)get(@name@_image + HEAD_BYTES + 4 * i, 4);
        int32_t high = low;
        for (uint32_t k = 0; k < sizeof(changing) / sizeof(changing[0]); k++) {
            if (changing[k].word == i) {
                low = changing[k].low;
                high = changing[k].high;
            }
        }
        if (model->words[i] < low || model->words[i] > high) {
            return 0;
        }
    }
    return 1;
}

int @name@_load(@name@_model *model, const uint8_t *image, uint32_t size, uint8_t *work)
{
    if (size < @NAME@_IMAGE_BYTES || size > @NAME@_IMAGE_BYTES + ABOUT_BYTES) {
        return 1;
    }
    for (uint32_t i = 0; i < HEAD_BYTES; i++) {
        /* format 2: names, units and the like follow upon the arrays; nobody needs them here */
        const uint8_t told = i == FORMAT_AT && size > @NAME@_IMAGE_BYTES;
        if (image[i] != @name@_image[i] + told) {
            return 1;
        }
    }
    if (get(image + size - 4, 4) != checksum(image, size)) {
        return 2;
    }
    fill(model, image);
    if (!header_is_good(model)) {
        return 3;
    }
/* values: */
    for (uint32_t i = 0; i < @NAME@_FEATURES; i++) {  /* how many values each has */
        if (model->octets[i] != @name@_image[HEAD_BYTES + 4 * @NAME@_WORDS + 2 * @NAME@_HALVES + i]) {
            return 3;
        }
    }
/* :values */
    nw_pool pool = {work, @NAME@_WORK_BYTES, 0};
    if (@prefix@_check(&pool, model->words, model->halves, model->octets)) {
        return 3;
    }
    const niwaki_arrays at = reach(model);
    @prefix@_resume(&at, 0);
    return 0;
}
/* :proof */
