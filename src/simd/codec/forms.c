#include "forms.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_CODEC) && PADICI_SIMD_X86

// Whether a form has no rule of its own: a shift, bf16 lattices, and factors that could make a NaN,
// whose bits depend on the instruction.
PADICI_FN int padici_simd_codec_plain_form(const padici_form *form, padic_dtype dtype)
{
    const double g = padici_double_of(form->g), o = padici_double_of(form->o);
    if (form->kind == PADICI_FORM_BITS) return form->shift != 0;
    if (form->kind == PADICI_FORM_FIELDS) return 0;
    return dtype == PADIC_BF16 || !(g - g == 0) || !(o - o == 0) || g == 0;
}

// A difference below this is within the bound; others are looked at one by one.
PADICI_FN double padici_simd_codec_within(const padici_bound *bound)
{
    return bound->mode == PADIC_BOUND_ABSOLUTE || bound->mode == PADIC_BOUND_RANGE ? bound->absolute
                                                                                   : 0;
}

#endif
