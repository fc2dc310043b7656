
/* The prequential loop over samples first..last. labels[t] is that of the sample `delay` earlier: -1 where it
 * has none, -2 where there is no such sample. Above a margin of 0, a sample without label is learned as what
 * it is predicted to be, if the prediction is as sure as that. */
void niwaki_loop(int32_t *words, uint16_t *halves, uint8_t *octets, int32_t *scratch, const int16_t *rows,
                 const int16_t *labels, int16_t *predictions, int64_t first, int64_t last, int64_t delay,
                 int32_t margin)
{
    const niwaki_arrays arrays = {words, halves, octets, scratch};
    const niwaki_arrays *at = &arrays;
    const int64_t length = words[5];
    for (int64_t t = first; t < last; t++) {
        const int16_t *x = rows + t * length;
        predictions[t] = (int16_t)@answer@(at, x);
        int32_t y = labels[t];
        if (y < -1 || (y < 0 && margin == 0)) {
            continue;
        }
        if (delay > 0 || y < 0) {
            x = rows + (t - delay) * length;
            int32_t best = @answer@(at, x);
            if (y < 0) {
                if (@margin@ < margin) {
                    continue;
                }
                y = best;
            }
        }
        @teach@(at, x, y);
    }
}
