#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_NUM

PADICI_INLINE uint64_t padici_word_at(padic_num_form form, const void *plane, uint64_t i,
                                      uint32_t narrow)
{
    return form == PADIC_NUM_W32 || (form == PADIC_NUM_B2 && narrow)
               ? ((const uint32_t *)plane)[i]
               : ((const uint64_t *)plane)[i];
}

PADICI_INLINE void padici_word_to(padic_num_form form, void *plane, uint64_t i, uint32_t narrow,
                                  uint64_t x)
{
    if (form == PADIC_NUM_W32 || (form == PADIC_NUM_B2 && narrow))
        ((uint32_t *)plane)[i] = (uint32_t)x;
    else
        ((uint64_t *)plane)[i] = x;
}

// Have all operands of a call i32 valuations and one word?
PADICI_INLINE int padici_num_fast(const padic_num_call *call, padic_num_model model)
{
    return call->model == model && call->ring->form < PADIC_NUM_W128 &&
           !(call->a.val16 | call->b.val16 | call->c.val16 | call->out.val16);
}

PADICI_FN void padici_mul_loop(padic_num_call *call);
PADICI_FN void padici_neg_loop(padic_num_call *call);
PADICI_FN void padici_fma_loop(padic_num_call *call);
PADICI_FN void padici_div_loop(padic_num_call *call);
PADICI_FN void padici_shift_loop(padic_num_call *call);
PADICI_FN void padici_pow_loop(padic_num_call *call);
PADICI_FN void padici_add_loop(padic_num_call *call);
PADICI_FN void padici_sub_loop(padic_num_call *call);

#endif
