
/* Methods of the class, as functions of this module: what Python's do, in the same order, with the same errors.
 * A model's attribute _at is an array that starts with the addresses of its arrays (equip() in construct.py);
 * _seen is the sample that _admit() has validated. */

#include "py/objarray.h"

mp_obj_t at_name, seen_name;  /* as keys of the table of a model's attributes */

/* Call a method of the model with one argument. */
static mp_obj_t ask(mp_obj_t model, qstr method, mp_obj_t argument)
{
    mp_obj_t call[3];
    mp_load_method(model, method, call);
    call[2] = argument;
    return mp_fun_table.call_method_n_kw(1, 0, call);
}

/* The model's arrays, and the codes of a sample that kernels may read. */
static const niwaki_arrays *admit(mp_obj_t model, mp_obj_t sample, const int16_t **codes)
{
    mp_obj_t at = MP_OBJ_NULL;
    mp_obj_t seen = MP_OBJ_NULL;
    if (mp_obj_is_obj(model) && mp_obj_is_instance_type(((mp_obj_base_t *)MP_OBJ_TO_PTR(model))->type)) {
        const mp_map_t *members = &((const mp_obj_instance_t *)MP_OBJ_TO_PTR(model))->members;
        const mp_map_elem_t *item = members->table + members->alloc;
        while ((at == MP_OBJ_NULL || seen == MP_OBJ_NULL) && item != members->table) {
            item--;
            if (item->key == at_name) {
                at = item->value;
            } else if (item->key == seen_name) {
                seen = item->value;
            }
        }
    }
    if (at == MP_OBJ_NULL || seen == MP_OBJ_NULL) {
        mp_raise_TypeError("not a model");
    }
    const niwaki_arrays *arrays = ((mp_obj_array_t *)MP_OBJ_TO_PTR(at))->items;
    if (sample != seen || (int32_t)((mp_obj_array_t *)MP_OBJ_TO_PTR(sample))->len != arrays->words[5]) {
        sample = ask(model, MP_QSTR__admit, sample);
    }
    *codes = ((mp_obj_array_t *)MP_OBJ_TO_PTR(sample))->items;
    return arrays;
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
static int32_t label_of(mp_obj_t model, mp_obj_t label)
{
    mp_int_t y = mp_obj_is_small_int(label) ? MP_OBJ_SMALL_INT_VALUE(label) : -1;
    if (label == mp_const_false || label == mp_const_true) {
        y = label == mp_const_true;
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
/* :credit */
/* plain: */
    const int32_t answer = @answer@(at, x);
/* :plain */
    if (@teach@(at, x, y) < 0) {
        ask(args[0], MP_QSTR__refuse, args[2]);
    }
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
    const niwaki_arrays *at = admit(args[0], mp_load_attr(args[0], MP_QSTR__seen), &x);
    return MP_OBJ_NEW_SMALL_INT(@answers@);
}
/* :credit */

/* After a model was made or loaded: find again what an image does not keep. */
static mp_obj_t resume(mp_obj_fun_bc_t *self, size_t n_args, size_t n_kw, mp_obj_t *args)
{
    mp_arg_check_num(n_args, n_kw, 1, 1, false);
    const int16_t *x;
    const niwaki_arrays *at = admit(args[0], mp_load_attr(args[0], MP_QSTR__seen), &x);
    @resume@(at, x);
    return mp_const_none;
}

mp_obj_t mpy_init(mp_obj_fun_bc_t *self, size_t n_args, size_t n_kw, mp_obj_t *args)
{
    MP_DYNRUNTIME_INIT_ENTRY
    at_name = MP_OBJ_NEW_QSTR(MP_QSTR__at);
    seen_name = MP_OBJ_NEW_QSTR(MP_QSTR__seen);
    mp_store_global(MP_QSTR_predict, MP_DYNRUNTIME_MAKE_FUNCTION(predict));
    mp_store_global(MP_QSTR_learn, MP_DYNRUNTIME_MAKE_FUNCTION(learn));
/* credit: */
    mp_store_global(MP_QSTR_learn_late, MP_DYNRUNTIME_MAKE_FUNCTION(learn_late));
    mp_store_global(MP_QSTR_answers, MP_DYNRUNTIME_MAKE_FUNCTION(answers));
/* :credit */
    mp_store_global(MP_QSTR_resume, MP_DYNRUNTIME_MAKE_FUNCTION(resume));
    MP_DYNRUNTIME_INIT_EXIT
}
