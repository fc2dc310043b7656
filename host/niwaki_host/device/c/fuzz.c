
/* Hostile images and small scopes at the speed of C. Images: mutate one of `count` good ones, give it the right
 * checksum, load it; when the proof lets it pass, ask and teach it some samples, then prove what is left. Whatever a
 * kernel must not do ends in nw_found() or in a sanitizer's report, both of which end the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void nw_found(const char *what, const char *where, int64_t value);
void nw_found(const char *what, const char *where, int64_t value)
{
    fprintf(stderr, "harm: %s %ld in %s\n", what, (long)value, where);
    abort();
}

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 20) % below;
}

static void sample(int16_t *x)
{
    static const int16_t odd[] = {-32768, -32767, 32767, 0, 1, -1, 2, 255, 256};
    for (int f = 0; f < @NAME@_FEATURES; f++) {
        const uint32_t kind = draw(4);
        x[f] = kind == 0 ? odd[draw(9)] : kind == 1 ? (int16_t)draw(65536) : (int16_t)(draw(41) - 20);
    }
}

static void mutate(uint8_t *image)
{
    const uint32_t body = @NAME@_IMAGE_BYTES - HEAD_BYTES - 4;
    const uint32_t words = 4 * @NAME@_WORDS;
    const uint32_t halves = 2 * @NAME@_HALVES;
    for (uint32_t n = 1 + draw(3); n; n--) {
        const uint32_t kind = draw(6);
        uint32_t at = kind < 2 ? draw(words) : kind < 5 ? words + draw(halves) : draw(body);
        uint8_t *p = image + HEAD_BYTES + at;
        switch (draw(5)) {
        case 0:
            *p = (uint8_t)draw(256);
            break;
        case 1:
            *p ^= (uint8_t)(1 << draw(8));
            break;
        case 2:
            *p = (uint8_t)(*p + 1);
            break;
        case 3:
            *p = (uint8_t)(*p - 1);
            break;
        default:
            if (at + 2 <= body) {
                memcpy(p, image + HEAD_BYTES + draw(body - 1), 2);
            }
        }
    }
}

/* Prove the model again, by way of an image. */
static void prove(@name@_model *model, uint8_t *image, uint8_t *work, const char *when)
{
    static @name@_model again;
    @name@_save(model, image);
    if (@name@_load(&again, image, @NAME@_IMAGE_BYTES, work)) {
        fprintf(stderr, "harm: the proof fails after %s\n", when);
        abort();
    }
}

static int images(const char *path, uint64_t rounds, uint64_t seed)
{
    static uint8_t good[64][@NAME@_IMAGE_BYTES];
    uint8_t *image = malloc(@NAME@_IMAGE_BYTES);
    uint8_t *work = malloc(@NAME@_WORK_BYTES);
    @name@_model *model = malloc(sizeof(@name@_model));
    FILE *file = fopen(path, "rb");
    uint32_t count = 0;
    while (file && count < 64 && fread(good[count], @NAME@_IMAGE_BYTES, 1, file) == 1) {
        count++;
    }
    if (!count || !image || !work || !model) {
        return 2;
    }
    state = seed * 2654435761u + 88172645463325252u;
    uint64_t passed = 0;
    for (uint64_t round = 0; round < rounds; round++) {
        memcpy(image, good[draw(count)], @NAME@_IMAGE_BYTES);
        mutate(image);
        put(image + @NAME@_IMAGE_BYTES - 4, checksum(image, @NAME@_IMAGE_BYTES), 4);
        if (@name@_load(model, image, @NAME@_IMAGE_BYTES, work) == 0) {
            int16_t x[@NAME@_FEATURES];
            int32_t out[@NAME@_CLASSES];
            passed++;
            for (uint32_t n = 1 + draw(24); n; n--) {
                sample(x);
                @name@_predict(model, x);
                @name@_learn(model, x, (int)draw(@NAME@_CLASSES));
            }
            @name@_scores(model, x, out);
            prove(model, image, work, "a hostile image");
        }
        if ((round + 1) % 100000 == 0) {
            printf("%llu images, %llu passed the proof\n", (unsigned long long)round + 1, (unsigned long long)passed);
            fflush(stdout);
        }
    }
    printf("%llu images, %llu passed the proof, harm 0\n", (unsigned long long)rounds, (unsigned long long)passed);
    free(image);
    free(work);
    free(model);
    return 0;
}

/* Every stream of `length` samples over an alphabet of codes for each feature, with every label. */
static int scopes(int length, int letters)
{
    static const int16_t alphabet[] = {0, 5, -32768, 32767};
    uint32_t symbols = @NAME@_CLASSES;
    uint64_t streams = 1;
    for (int f = 0; f < @NAME@_FEATURES; f++) {
        symbols *= (uint32_t)letters;
    }
    for (int i = 0; i < length; i++) {
        streams *= symbols;
    }
    uint8_t *image = malloc(@NAME@_IMAGE_BYTES);
    uint8_t *work = malloc(@NAME@_WORK_BYTES);
    static @name@_model model;
    for (uint64_t number = 0; number < streams; number++) {
        uint64_t rest = number;
        @name@_init(&model);
        for (int i = 0; i < length; i++) {
            uint32_t symbol = (uint32_t)(rest % symbols);
            rest /= symbols;
            int16_t x[@NAME@_FEATURES];
            const int label = (int)(symbol % @NAME@_CLASSES);
            symbol /= @NAME@_CLASSES;
            for (int f = 0; f < @NAME@_FEATURES; f++) {
                x[f] = alphabet[symbol % (uint32_t)letters];
                symbol /= (uint32_t)letters;
            }
            @name@_predict(&model, x);
            @name@_learn(&model, x, label);
        }
        prove(&model, image, work, "a stream");
    }
    printf("%llu streams, harm 0\n", (unsigned long long)streams);
    free(image);
    free(work);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && !strcmp(argv[1], "images")) {
        return images(argv[2], strtoull(argv[3], 0, 10), strtoull(argv[4], 0, 10));
    }
    if (argc == 4 && !strcmp(argv[1], "scopes")) {
        return scopes(atoi(argv[2]), atoi(argv[3]));
    }
    fprintf(stderr, "images FILE ROUNDS SEED | scopes LENGTH LETTERS\n");
    return 2;
}
