// Error bounds of waves as results, for tests.
#ifndef WAVE_CALLS_H
#define WAVE_CALLS_H

static inline padic_result wave_error_bound(padic_context *context,
                                            const padic_wave_superpose_desc *like, double *bound)
{
    padic_wave_superpose_report report = PADIC_ZERO;
    padic_wave_superpose_desc desc;
    if (!like) return padic_wave_error_bound(context, NULL);
    desc = *like;
    desc.report = bound ? &report : NULL;
    const padic_result result = padic_wave_error_bound(context, &desc);
    if (!result && bound) *bound = report.error_bound;
    return result;
}

static inline padic_result wave_frames_error_bound(padic_context *context,
                                                   const padic_wave_frames_desc *like,
                                                   double *bound)
{
    padic_wave_superpose_report report = PADIC_ZERO;
    padic_wave_frames_desc desc;
    if (!like) return padic_wave_frames_error_bound(context, NULL);
    desc = *like;
    desc.field.report = bound ? &report : NULL;
    const padic_result result = padic_wave_frames_error_bound(context, &desc);
    if (!result && bound) *bound = report.error_bound;
    return result;
}

#endif
