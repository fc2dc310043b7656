
/* Do n events with the samples: see runtimes/events.py. An event is verb << 16 | label, and the row of its
 * sample. Answers are kept in `kept`, a ring of `waiting` words. A guess is learned if its margin is not below
 * `margin`. */
void niwaki_loop(int32_t *words, uint16_t *halves, uint8_t *octets, int32_t *scratch, const int16_t *samples,
                 const int32_t *codes, const int32_t *rows, int32_t *kept, int16_t *predictions, int64_t n,
                 int64_t waiting, int32_t margin)
{
    const niwaki_arrays arrays = {words, halves, octets, scratch};
    const niwaki_arrays *at = &arrays;
    const int64_t length = words[5];
    for (int64_t event = 0; event < n; event++) {
        const int32_t verb = codes[event] >> @VERB_SHIFT@;
        int32_t y = codes[event] & @LABEL_MASK@;
        const int64_t row = rows[event];
        const int16_t *x = samples + row * length;
        if (verb == @ASK@) {
            predictions[row] = (int16_t)@answer@(at, x);
            continue;
        }
        if (verb == @DEFER@) {
            kept[row % waiting] = @answers@;
            continue;
        }
        if (verb != @LEARN@) {
            const int32_t best = @answer@(at, x);
            if (verb == @GUESS@) {
                if (@margin@ < margin) {
                    continue;
                }
                y = best;
            }
            const int32_t answered = verb == @LABEL@ ? kept[row % waiting] : -1;
            @recall@;
        }
        @teach@(at, x, y);
    }
}
