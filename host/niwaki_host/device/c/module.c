
/* Methods of the class, as functions of this module: what Python's do, in the same order, with the same errors.
 * A model's attribute _at is an array that starts with the addresses of its arrays (equip() in construct.py);
 * _seen is the sample that _admit() has validated. */

#include "py/objarray.h"

/* The names of the two, and their places in a table of attributes of so many places, as the last model had it:
 * models that are made alike have equal tables. Not static, because the linker can't place such variables. */
struct {
    mp_obj_t at_name, seen_name;
    size_t alloc, at_place, seen_place;
} known;

/* Call a method of the model with one argument. */
static mp_obj_t ask(mp_obj_t model, qstr method, mp_obj_t argument)
{
    mp_obj_t call[3];
    mp_load_method(model, method, call);
    call[2] = argument;
    return mp_fun_table.call_method_n_kw(1, 0, call);
}

/* The place of a name in a model's table of attributes. */
static size_t place_of(const mp_map_t *members, mp_obj_t name)
{
    for (size_t i = 0; i < members->alloc; i++) {
        if (members->table[i].key == name) {
            return i;
        }
    }
    mp_raise_TypeError("not a model");
}

static NW_INSIDE int is_instance(mp_obj_t object)
{
    return mp_obj_is_obj(object) && mp_obj_is_instance_type(((mp_obj_base_t *)MP_OBJ_TO_PTR(object))->type);
}

/* Find the places in this model's table. */
static NW_COLD void know(mp_obj_t model)
{
    const mp_map_t *members = &((const mp_obj_instance_t *)MP_OBJ_TO_PTR(model))->members;
    known.alloc = is_instance(model) ? members->alloc : 0;
    if (!known.alloc) {
        mp_raise_TypeError("not a model");
    }
    known.at_place = place_of(members, known.at_name);
    known.seen_place = place_of(members, known.seen_name);
}

/* The model's arrays, and the codes of a sample that kernels may read. */
static NW_INSIDE const niwaki_arrays *admit(mp_obj_t model, mp_obj_t sample, const int16_t **codes)
{
    const mp_map_t *members = &((const mp_obj_instance_t *)MP_OBJ_TO_PTR(model))->members;
    while (!is_instance(model) || members->alloc != known.alloc
           || members->table[known.at_place].key != known.at_name
           || members->table[known.seen_place].key != known.seen_name) {
        know(model);
    }
    const niwaki_arrays *arrays = ((mp_obj_array_t *)MP_OBJ_TO_PTR(members->table[known.at_place].value))->items;
    if (sample != members->table[known.seen_place].value
        || (int32_t)((mp_obj_array_t *)MP_OBJ_TO_PTR(sample))->len != arrays->words[5]) {
        sample = ask(model, MP_QSTR__admit, sample);
    }
    *codes = ((mp_obj_array_t *)MP_OBJ_TO_PTR(sample))->items;
    return arrays;
}

/* The same, for what is seldom called. */
static NW_COLD const niwaki_arrays *admit_seldom(mp_obj_t model, const int16_t **codes)
{
    return admit(model, mp_load_attr(model, MP_QSTR__seen), codes);
}

static mp_obj_t predict(mp_obj_fun_bc_t *self, size_t n_args, size_t n_kw, mp_obj_t *args)
{
    if (n_args != 2 || n_kw) {
        mp_arg_check_num(n_args, n_kw, 2, 2, false);
    }
    const int16_t *x;
    const niwaki_arrays *at = admit(args[0], args[1], &x);
    return MP_OBJ_NEW_SMALL_INT(@answer@(at, x));
}

/* A label as a number of 8 bits; what is none is refused. */
static NW_INSIDE int32_t label_of(mp_obj_t model, mp_obj_t label)
{
    mp_int_t y = MP_OBJ_SMALL_INT_VALUE(label);
    if (!mp_obj_is_small_int(label)) {
        y = label == mp_const_true ? 1 : label == mp_const_false ? 0 : -1;
    }
    if (y >> 8) {
        ask(model, MP_QSTR__refuse, label);
    }
    return y;
}

static mp_obj_t learn(mp_obj_fun_bc_t *self, size_t n_args, size_t n_kw, mp_obj_t *args)
{
    if (n_args != 3 || n_kw) {
        mp_arg_check_num(n_args, n_kw, 3, 3, false);
    }
    const int32_t y = label_of(args[0], args[2]);
    const int16_t *x;
    const niwaki_arrays *at = admit(args[0], args[1], &x);
/* credit: */
    if (y >= at->words[6]) { /* there is no such class: say so before a question is counted */
        ask(args[0], MP_QSTR__refuse, args[2]);
    }
    int32_t answer = @asked@;
    if (answer < 0) {
        const int32_t answered = -1;
        answer = @answer@(at, x);
        @recall@;
    }
    if (@teach@(at, x, y) < 0) {
        ask(args[0], MP_QSTR__refuse, args[2]);
    }
/* :credit */
/* plain: */
    const int32_t answer = @both@(at, x, y);
    if (answer < 0) {
        ask(args[0], MP_QSTR__refuse, args[2]);
    }
/* :plain */
    return MP_OBJ_NEW_SMALL_INT(answer);
}

/* credit: */
static mp_obj_t learn_late(mp_obj_fun_bc_t *self, size_t n_args, size_t n_kw, mp_obj_t *args)
{
    mp_arg_check_num(n_args, n_kw, 4, 4, false);
    const int32_t y = label_of(args[0], args[2]);
    const int32_t answered = mp_obj_get_int(args[3]);
    const int16_t *x;
    const niwaki_arrays *at = admit(args[0], args[1], &x);
    if (y >= at->words[6]) {
        ask(args[0], MP_QSTR__refuse, args[2]);
    }
    const int32_t answer = @answer@(at, x);
    @recall@;
    if (@teach@(at, x, y) < 0) {
        ask(args[0], MP_QSTR__refuse, args[2]);
    }
    return MP_OBJ_NEW_SMALL_INT(answer);
}

static mp_obj_t answers(mp_obj_fun_bc_t *self, size_t n_args, size_t n_kw, mp_obj_t *args)
{
    mp_arg_check_num(n_args, n_kw, 1, 1, false);
    const int16_t *x;
    const niwaki_arrays *at = admit_seldom(args[0], &x);
    return MP_OBJ_NEW_SMALL_INT(@answers@);
}
/* :credit */

/* After a model was made or loaded: find again what an image does not keep. */
static mp_obj_t resume(mp_obj_fun_bc_t *self, size_t n_args, size_t n_kw, mp_obj_t *args)
{
    mp_arg_check_num(n_args, n_kw, 1, 1, false);
    const int16_t *x;
    const niwaki_arrays *at = admit_seldom(args[0], &x);
    @resume@(at, x);
    return mp_const_none;
}

mp_obj_t mpy_init(mp_obj_fun_bc_t *self, size_t n_args, size_t n_kw, mp_obj_t *args)
{
    MP_DYNRUNTIME_INIT_ENTRY
    known.at_name = MP_OBJ_NEW_QSTR(MP_QSTR__at);
    known.seen_name = MP_OBJ_NEW_QSTR(MP_QSTR__seen);
    mp_store_global(MP_QSTR_predict, MP_DYNRUNTIME_MAKE_FUNCTION(predict));
    mp_store_global(MP_QSTR_learn, MP_DYNRUNTIME_MAKE_FUNCTION(learn));
/* credit: */
    mp_store_global(MP_QSTR_learn_late, MP_DYNRUNTIME_MAKE_FUNCTION(learn_late));
    mp_store_global(MP_QSTR_answers, MP_DYNRUNTIME_MAKE_FUNCTION(answers));
/* :credit */
    mp_store_global(MP_QSTR_resume, MP_DYNRUNTIME_MAKE_FUNCTION(resume));
    MP_DYNRUNTIME_INIT_EXIT
}
