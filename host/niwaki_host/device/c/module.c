
/* Methods of the class, as functions of this module: what Python's do, in the same order, with the same errors.
 * A model's attribute _at is an array that starts with the addresses of its arrays (equip() in construct.py);
 * _seen is the sample that _admit() has validated. */

#include "py/objarray.h"

/* Where two attributes are in a model's table, as the last model had it: models that are made alike have equal
 * tables. */
typedef struct {
    mp_obj_t at_name, seen_name;
    size_t alloc, at_place, seen_place;
} places;

/* MicroPython's own kind of function for native code would take 25 instructions more for each call. */
typedef struct {
    mp_obj_empty_type_t base;
    const void *call;
    places known;
} method_type;

/* A function that binds a model as its first argument. */
typedef struct {
    method_type *type;
    uint16_t name;
    uint16_t n_args;
    mp_obj_t (*function)(places *known, const mp_obj_t *args);
} method;

typedef void (*look_up_function)(mp_obj_t self, qstr name, mp_obj_t *found);

/* Not static, because the linker can't place such variables. */
struct {
    method_type type;
    look_up_function otherwise; /* what looks for the other attributes of a model */
    method methods[@METHODS@];
} made;

/* Methods of the model that are called with one argument. All but the first raise. */
enum { ADMIT, REFUSE, NESTED };

static NW_COLD mp_obj_t ask(mp_obj_t model, int which, mp_obj_t argument)
{
    mp_obj_t call[3];
    mp_load_method(model, which == ADMIT ? MP_QSTR__admit : which == REFUSE ? MP_QSTR__refuse : MP_QSTR__nested, call);
    call[2] = argument;
    return mp_fun_table.call_method_n_kw(1, 0, call);
}

static NW_INSIDE const mp_map_t *members_of(mp_obj_t model)
{
    return &((const mp_obj_instance_t *)MP_OBJ_TO_PTR(model))->members;
}

static NW_INSIDE int is_instance(mp_obj_t object)
{
    return mp_obj_is_obj(object) && mp_obj_is_instance_type(((mp_obj_base_t *)MP_OBJ_TO_PTR(object))->type);
}

static NW_INSIDE void *items_of(mp_obj_t array)
{
    return ((mp_obj_array_t *)MP_OBJ_TO_PTR(array))->items;
}

/* Find the places in this model's table. */
static NW_COLD void know(places *known, mp_obj_t model)
{
    size_t left = is_instance(model) ? members_of(model)->alloc : 0;
    int missing = 2;
    known->alloc = left;
    while (left--) {
        const mp_obj_t name = members_of(model)->table[left].key;
        if (name == known->at_name) {
            known->at_place = left;
            missing--;
        } else if (name == known->seen_name) {
            known->seen_place = left;
            missing--;
        }
    }
    if (missing) {
        known->alloc = 0;
        mp_raise_TypeError("not a model");
    }
}

/* The model's arrays, and the codes of a sample that kernels may read. */
static NW_INSIDE const niwaki_arrays *admit(places *known, const mp_obj_t *args, const int16_t **codes)
{
    const mp_obj_t model = args[0];
    const mp_map_t *members = members_of(model);
    const mp_map_elem_t *at, *seen;
    for (;;) {
        if (is_instance(model) && members->alloc == known->alloc) {
            at = &members->table[known->at_place];
            seen = &members->table[known->seen_place];
            if (at->key == known->at_name && seen->key == known->seen_name) {
                break;
            }
        }
        know(known, model);
    }
    const niwaki_arrays *arrays = items_of(at->value);
    mp_obj_t sample = args[1];
    if (sample != seen->value
        || (int32_t)((mp_obj_array_t *)MP_OBJ_TO_PTR(sample))->len != arrays->words[@FEATURES@]) {
        sample = ask(model, ADMIT, sample);
    }
    *codes = items_of(sample);
    return arrays;
}

/* The model's arrays, for what is seldom called and has no sample. */
static NW_COLD const niwaki_arrays *reach(mp_obj_t model)
{
    return items_of(mp_load_attr(model, MP_QSTR__at));
}

static mp_obj_t predict(places *known, const mp_obj_t *args)
{
    const int16_t *x;
    const niwaki_arrays *at = admit(known, args, &x);
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
        ask(model, REFUSE, label);
    }
    return y;
}

/* A call of a hard interrupt, or of another thread, may come in the midst of this one: while a model learns, its
 * header says so, and another `learn` is refused. Nothing between these two calls Python or raises. */
static NW_INSIDE int32_t begin(mp_obj_t model, const niwaki_arrays *at)
{
    const int32_t identity = at->words[@IDENTITY@];
    if (identity & @BUSY@) {
        ask(model, NESTED, model);
    }
    at->words[@IDENTITY@] = identity | @BUSY@;
    return identity;
}

static NW_INSIDE void end(const niwaki_arrays *at, int32_t identity)
{
    at->words[@IDENTITY@] = identity;
}

/* credit: */
/* Learn with what was answered, -1: as what it is, asked just now or not. */
static mp_obj_t learn_asked(const mp_obj_t *args, const niwaki_arrays *at, const int16_t *x, int32_t y, int32_t answered)
{
    const int32_t identity = begin(args[0], at);
    int32_t answer = answered < 0 ? @asked@ : -1;
    if (answer < 0) {
        answer = @answer@(at, x);
        @recall@;
    }
    @teach@(at, x, y);
    end(at, identity);
    return MP_OBJ_NEW_SMALL_INT(answer);
}

/* A label that is a class: what is none is refused before a question is counted. */
static int32_t class_of(const mp_obj_t *args, const niwaki_arrays *at)
{
    const int32_t y = label_of(args[0], args[2]);
    if (y >= at->words[@CLASSES@]) {
        ask(args[0], REFUSE, args[2]);
    }
    return y;
}

static mp_obj_t learn(places *known, const mp_obj_t *args)
{
    const int16_t *x;
    const niwaki_arrays *at = admit(known, args, &x);
    const int32_t y = class_of(args, at);
    return learn_asked(args, at, x, y, -1);
}

static mp_obj_t learn_late(places *known, const mp_obj_t *args)
{
    const int32_t answered = mp_obj_get_int(args[3]);
    const int16_t *x;
    const niwaki_arrays *at = admit(known, args, &x);
    const int32_t y = class_of(args, at);
    return learn_asked(args, at, x, y, answered);
}

static mp_obj_t answers(places *known, const mp_obj_t *args)
{
    (void)known;
    const niwaki_arrays *at = reach(args[0]);
    const int16_t *x = items_of(mp_load_attr(args[0], MP_QSTR__seen));
    return MP_OBJ_NEW_SMALL_INT(@answers@);
}
/* :credit */
/* plain: */
static mp_obj_t learn(places *known, const mp_obj_t *args)
{
    const int32_t y = label_of(args[0], args[2]);
    const int16_t *x;
    const niwaki_arrays *at = admit(known, args, &x);
    const int32_t identity = begin(args[0], at);
    const int32_t answer = @both@(at, x, y);
    end(at, identity);
    if (answer < 0) {
        ask(args[0], REFUSE, args[2]);
    }
    return MP_OBJ_NEW_SMALL_INT(answer);
}
/* :plain */

/* After a model was made or loaded: find again what an image does not keep. */
static mp_obj_t resume(places *known, const mp_obj_t *args)
{
    (void)known;
    const niwaki_arrays *at = reach(args[0]);
    @resume@(at, 0); /* gains do not depend on a sample */
    return mp_const_none;
}

static NW_COLD MP_NORETURN void complain(const method *called, size_t n_args, size_t n_kw)
{
    mp_arg_check_num(n_args, n_kw, called->n_args, called->n_args, false);
    for (;;) { /* it has raised */
    }
}

static mp_obj_t call(mp_obj_t self, size_t n_args, size_t n_kw, const mp_obj_t *args)
{
    const method *called = MP_OBJ_TO_PTR(self);
    if (n_args != called->n_args || n_kw) {
        complain(called, n_args, n_kw);
    }
    return called->function(&called->type->known, args);
}

/* What looks for the attributes of a class's models. */
static look_up_function *look_up_of(mp_obj_t class)
{
    mp_obj_full_type_t *type = MP_OBJ_TO_PTR(class);
    return (look_up_function *)&type->slots[type->slot_index_attr - 1];
}

/* Find `predict` and `learn` at once. In the model's own table, then in its class's, that takes 250 instructions. */
static void look_up(mp_obj_t model, qstr name, mp_obj_t *found)
{
    method *wanted = &made.methods[0];
    if (name == wanted->name || name == (++wanted)->name) {
        if (found[0] == MP_OBJ_NULL) {
            found[0] = MP_OBJ_FROM_PTR(wanted);
            found[1] = model;
            return;
        }
        /* A model gets a method of its own: from now on all are looked for. */
        *look_up_of((mp_obj_t)mp_obj_get_type(model)) = made.otherwise;
    }
    made.otherwise(model, name, found);
}

/* Let models of a class have their methods found so; those of a subclass, which may have its own, do not. */
static mp_obj_t extend(places *known, const mp_obj_t *args)
{
    (void)known;
    if (*look_up_of(args[0]) != look_up) {
        made.otherwise = *look_up_of(args[0]);
        *look_up_of(args[0]) = look_up;
    }
    return mp_const_none;
}

static void give(method *one, qstr name, size_t n_args, mp_obj_t (*function)(places *, const mp_obj_t *))
{
    one->type = &made.type;
    one->name = (uint16_t)name;
    one->n_args = (uint16_t)n_args;
    one->function = function;
    mp_store_global(name, MP_OBJ_FROM_PTR(one));
}

mp_obj_t mpy_init(mp_obj_fun_bc_t *self, size_t n_args, size_t n_kw, mp_obj_t *args)
{
    MP_DYNRUNTIME_INIT_ENTRY
    made.type.base.base.type = &mp_type_type;
    made.type.base.flags = MP_TYPE_FLAG_BINDS_SELF;
    made.type.base.name = MP_QSTR_function;
    made.type.base.slot_index_call = 1;
    made.type.call = call;
    made.type.known.at_name = MP_OBJ_NEW_QSTR(MP_QSTR__at);
    made.type.known.seen_name = MP_OBJ_NEW_QSTR(MP_QSTR__seen);
    give(&made.methods[0], MP_QSTR_predict, 2, predict);
    give(&made.methods[1], MP_QSTR_learn, 3, learn);
    give(&made.methods[2], MP_QSTR_resume, 1, resume);
    give(&made.methods[3], MP_QSTR_extend, 1, extend);
/* credit: */
    give(&made.methods[4], MP_QSTR_learn_late, 4, learn_late);
    give(&made.methods[5], MP_QSTR_answers, 1, answers);
/* :credit */
    MP_DYNRUNTIME_INIT_EXIT
}
