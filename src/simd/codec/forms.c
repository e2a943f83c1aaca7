// ------------------------------------------------------------------------------------ >>codec, x86
// The forms and sizes that have a loop of vectors; `run` is that of a level.
#define PADICI_CODEC_FORMS(RUN)                                                                   \
    RUN(PADICI_FORM_BITS, 1, 8)                                                                   \
    RUN(PADICI_FORM_BITS, 1, 4)                                                                   \
    RUN(PADICI_FORM_BITS, 1, 2)                                                                   \
    RUN(PADICI_FORM_BITS, 0, 8)                                                                   \
    RUN(PADICI_FORM_BITS, 0, 4)                                                                   \
    RUN(PADICI_FORM_BITS, 0, 2)                                                                   \
    RUN(PADICI_FORM_BITS, 0, 1)                                                                   \
    RUN(PADICI_FORM_FIELDS, 1, 8)                                                                 \
    RUN(PADICI_FORM_FIELDS, 1, 4)                                                                 \
    RUN(PADICI_FORM_FIELDS, 1, 2)                                                                 \
    RUN(PADICI_FORM_SCALE, 1, 8)                                                                  \
    RUN(PADICI_FORM_SCALE, 1, 4)                                                                  \
    RUN(PADICI_FORM_SCALE, 1, 2)                                                                  \
    RUN(PADICI_FORM_AFFINE, 1, 8)                                                                 \
    RUN(PADICI_FORM_AFFINE, 1, 4)                                                                 \
    RUN(PADICI_FORM_DECIMAL, 1, 8)                                                                \
    RUN(PADICI_FORM_DECIMAL, 1, 4)

// Whether a form has no rule of its own: a shift, bf16 lattices, and factors that could make a NaN,
// whose bits depend on the instruction.
static int padici_codec_plain_form(const padici_form *form, padic_dtype dtype)
{
    const double g = padici_double_of(form->g), o = padici_double_of(form->o);
    if (form->kind == PADICI_FORM_BITS) return form->shift != 0;
    if (form->kind == PADICI_FORM_FIELDS) return 0;
    return dtype == PADIC_BF16 || !(g - g == 0) || !(o - o == 0) || g == 0;
}

// A difference below this is within the bound; others are looked at one by one.
static double padici_codec_within(const padici_bound *bound)
{
    return bound->mode == PADIC_BOUND_ABSOLUTE || bound->mode == PADIC_BOUND_RANGE ? bound->absolute
                                                                                   : 0;
}

