#include "kernels.h"

#if PADICI_IMPLEMENT_FFT

// Blocks from and to memory of any steps and precision, a number at a time. With one lane a block
// is a line of complex numbers.

PADICI_FN void padici_fft_load_any(const padici_fft_view *view, uint32_t lanes, uint32_t is_double,
                                   void *block)
{
    const size_t real = is_double ? 8 : 4;
    const size_t re = view->swapped ? lanes * real : 0, im = view->swapped ? 0 : lanes * real;
    char *to = (char *)block;
    uint64_t j;
    uint32_t l;
    for (j = 0; j < view->count; j++, to += 2 * lanes * real) {
        const char *from = view->at + (int64_t)j * view->element;
        for (l = 0; l < view->lines; l++, from += view->line) {
            padici_fft_put(to + re + l * real, is_double, padici_fft_get(from, view->is_double));
            padici_fft_put(to + im + l * real, is_double,
                           view->imaginary != PADICI_FFT_NONE
                               ? padici_fft_get(from + view->imaginary, view->is_double)
                               : 0);
        }
        for (; l < lanes; l++) {
            padici_fft_put(to + re + l * real, is_double, 0);
            padici_fft_put(to + im + l * real, is_double, 0);
        }
    }
}

PADICI_FN void padici_fft_store_any(const padici_fft_view *view, uint32_t lanes,
                                    uint32_t is_double, const void *block)
{
    const size_t real = is_double ? 8 : 4;
    const size_t re = view->swapped ? lanes * real : 0, im = view->swapped ? 0 : lanes * real;
    const char *from = (const char *)block;
    uint64_t j;
    uint32_t l;
    for (j = 0; j < view->count; j++, from += 2 * lanes * real) {
        char *to = view->at + (int64_t)j * view->element;
        for (l = 0; l < view->lines; l++, to += view->line) {
            padici_fft_put(to, view->is_double,
                           view->scale * padici_fft_get(from + re + l * real, is_double));
            if (view->imaginary != PADICI_FFT_NONE)
                padici_fft_put(to + view->imaginary, view->is_double,
                               view->scale * padici_fft_get(from + im + l * real, is_double));
        }
    }
}

#endif
