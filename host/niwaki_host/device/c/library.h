/* @what@
 *
 * Written by niwaki @version@ from the same source that runs as Python on MicroPython: export it again rather
 * than change it. A model learns and answers the same, byte for byte, here and there, and its images go both ways.
 *
 *     static @name@_model model;                  // all of its memory: sizeof(model) bytes
 *     @name@_init(&model);                        // the built-in image, @origin@
 *     int16_t x[@NAME@_FEATURES];                 // codes; @NAME@_MISSING where there is no value
 *     int answer = @name@_predict(&model, x);     // 0 .. @NAME@_CLASSES - 1
 *     @name@_learn(&model, x, label);             // when somebody says what it was
 *
 * Nothing is allocated, nothing is global: as many models at once as there is memory for. A model is not to be
 * used by an interrupt while another call on it runs.
 */
#ifndef @NAME@_H
#define @NAME@_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define @NAME@_FEATURES @features@
#define @NAME@_CLASSES @classes@
#define @NAME@_MISSING (-32767 - 1)
#define @NAME@_WORDS @words@
#define @NAME@_HALVES @halves@
#define @NAME@_OCTETS @octets@
#define @NAME@_SCRATCH @scratch@
#define @NAME@_IMAGE_BYTES @image_bytes@ /* of a saved model */
/* proof: */
#define @NAME@_WORK_BYTES @work_bytes@ /* that `load` needs beside the model, for as long as it runs */
/* :proof */

/* Leave its members alone: the first three arrays are the model, the last is scratch. */
typedef struct {
    int32_t words[@NAME@_WORDS];
    int32_t scratch[@NAME@_SCRATCH];
    uint16_t halves[@NAME@_HALVES];
    uint8_t octets[@NAME@_OCTETS];
} @name@_model;

/* The model's built-in image. */
extern const uint8_t @name@_image[@NAME@_IMAGE_BYTES];

/* Start from the built-in image. */
void @name@_init(@name@_model *model);

/* The most likely class of a sample. */
int @name@_predict(@name@_model *model, const int16_t *x);

/* Learn that a sample is of class `label`. Returns what the answer would have been before; -1, and nothing is
 * learned, when there is no such class. */
int @name@_learn(@name@_model *model, const int16_t *x, int label);

/* credit: */
/* Where a label comes late: keep what this returns after `predict`, and give it back with the label. */
int32_t @name@_answers(@name@_model *model);
int @name@_learn_late(@name@_model *model, const int16_t *x, int label, int32_t answered);

/* :credit */
/* How likely each class is: @NAME@_CLASSES numbers into `out`, which sum to about 65,536. Returns the answer. */
int @name@_scores(@name@_model *model, const int16_t *x, int32_t *out);

/* Samples learned so far. */
int32_t @name@_samples(const @name@_model *model);

/* The model as an image of @NAME@_IMAGE_BYTES bytes, which Python's `load` takes, too. */
void @name@_save(const @name@_model *model, uint8_t *image);
/* proof: */

/* Take a saved model of the same shape and options. An image is proved before it is used: 0 is good; 1 is none of
 * this model's, 2 is damaged, 3 is not what learning can have left. After anything but 0 the model must be started
 * again, by `init` or another image. `work` is @NAME@_WORK_BYTES bytes that nobody else uses meanwhile. What an image
 * tells about its model (names, units; format 2) is passed over, and `save` does not write it. */
int @name@_load(@name@_model *model, const uint8_t *image, uint32_t size, uint8_t *work);
/* :proof */

#ifdef __cplusplus
}
#endif

#endif
