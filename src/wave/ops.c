#include "../context/operation.h"
#include "../context/ops.h"
#include "../core/platform.h"

#if PADICI_IMPLEMENT_WAVE

// ------------------------------------------------------------------------------ >>wave operations

// wave_superpose

// Points and sources.
static uint32_t padici_wave_inputs(padic_wave_superpose_desc *desc, padici_operand *operands)
{
    static const char *const names[7] = {"points",     "sources",   "amplitude", "phase",
                                         "wavenumber", "frequency", "absorption"};
    padic_tensor *inputs[7];
    uint32_t i, n = 0;
    inputs[0] = &desc->points;
    inputs[1] = &desc->sources;
    inputs[2] = &desc->amplitude;
    inputs[3] = &desc->phase;
    inputs[4] = &desc->wavenumber;
    inputs[5] = &desc->frequency;
    inputs[6] = &desc->absorption;
    for (i = 0; i < 7; i++) {
        if (inputs[i]->dtype == PADIC_DTYPE_NONE) continue;
        operands[n].name = names[i];
        operands[n].tensor = inputs[i];
        operands[n++].any_stride = 1;
    }
    return n;
}

// What the host gets, and what it has, beside the views of a field.
static uint32_t padici_wave_host_operands(const padic_wave_superpose_desc *desc,
                                          padici_operand *operands, uint32_t n)
{
    n = padici_operand_host(operands, n, desc->report);
    return padici_operand_host(operands, n, desc->tone.table);
}

PADICI_FN uint32_t padici_wave_superpose_operands(void *desc_, padici_operand *operands)
{
    padic_wave_superpose_desc *desc = (padic_wave_superpose_desc *)desc_;
    const uint32_t n = padici_wave_inputs(desc, operands);
    operands[n].name = "out";
    operands[n].tensor = &desc->out;
    operands[n].out = desc->flags & PADIC_WAVE_FLAG_ACCUMULATE ? 2 : 1;
    return padici_wave_host_operands(desc, operands, n + 1);
}

// wave_frames

PADICI_FN uint32_t padici_wave_frames_operands(void *desc_, padici_operand *operands)
{
    padic_wave_frames_desc *desc = (padic_wave_frames_desc *)desc_;
    padic_tensor *inputs[2];
    uint32_t i, n = padici_wave_inputs(&desc->field, operands);
    inputs[0] = &desc->times;
    inputs[1] = &desc->drive;
    for (i = 0; i < 2; i++) {
        if (inputs[i]->dtype == PADIC_DTYPE_NONE) continue;
        operands[n].name = i ? "drive" : "times";
        operands[n].tensor = inputs[i];
        operands[n++].any_stride = 1;
    }
    if (desc->field.out.dtype != PADIC_DTYPE_NONE) {
        operands[n].name = "field.out";
        operands[n].tensor = &desc->field.out;
        operands[n++].out = desc->field.flags & PADIC_WAVE_FLAG_ACCUMULATE ? 2 : 1;
    }
    if (desc->mean_intensity.dtype != PADIC_DTYPE_NONE) {
        operands[n].name = "mean_intensity";
        operands[n].tensor = &desc->mean_intensity;
        operands[n++].out = 1;
    }
    return padici_wave_host_operands(&desc->field, operands, n);
}

// wave_gradient

PADICI_FN uint32_t padici_wave_gradient_operands(void *desc_, padici_operand *operands)
{
    padic_wave_gradient_desc *desc = (padic_wave_gradient_desc *)desc_;
    const uint8_t out = desc->field.flags & PADIC_WAVE_FLAG_ACCUMULATE ? 2 : 1;
    uint32_t n = padici_wave_inputs(&desc->field, operands);
    if (desc->field.out.dtype != PADIC_DTYPE_NONE) {
        operands[n].name = "field.out";
        operands[n].tensor = &desc->field.out;
        operands[n++].out = out;
    }
    operands[n].name = "out";
    operands[n].tensor = &desc->out;
    operands[n].out = out;
    return padici_wave_host_operands(&desc->field, operands, n + 1);
}

// wave_observe, wave_tonemap, wave_normalise

PADICI_FN uint32_t padici_wave_observe_operands(void *desc_, padici_operand *operands)
{
    padic_wave_observe_desc *desc = (padic_wave_observe_desc *)desc_;
    operands[0].tensor = &desc->psi;
    operands[0].any_stride = 1;
    operands[0].name = "psi";
    operands[1].name = "out";
    operands[1].tensor = &desc->out;
    operands[1].out = 1;
    return 2;
}

PADICI_FN uint32_t padici_wave_tonemap_operands(void *desc_, padici_operand *operands)
{
    padic_wave_tonemap_desc *desc = (padic_wave_tonemap_desc *)desc_;
    operands[0].tensor = &desc->field;
    operands[0].any_stride = 1;
    operands[0].name = "field";
    operands[1].name = "out";
    operands[1].tensor = &desc->out;
    operands[1].out = 1;
    return padici_operand_host(operands, padici_operand_host(operands, 2, desc->tone.table),
                               desc->report);
}

PADICI_FN uint32_t padici_wave_normalise_operands(void *desc_, padici_operand *operands)
{
    operands[0].name = "psi";
    operands[0].tensor = &((padic_wave_normalise_desc *)desc_)->psi;
    operands[0].out = 2;
    return 1;
}

// wave_vortex

PADICI_FN uint32_t padici_wave_vortex_operands(void *desc_, padici_operand *operands)
{
    padic_wave_vortex_desc *desc = (padic_wave_vortex_desc *)desc_;
    static const char *const names[6] = {"points", "centres", "axes", "charges", "cores", "psi"};
    padic_tensor *inputs[6];
    uint32_t i, n = 0;
    inputs[0] = &desc->points;
    inputs[1] = &desc->centres;
    inputs[2] = &desc->axes;
    inputs[3] = &desc->charges;
    inputs[4] = &desc->cores;
    inputs[5] = &desc->psi;
    for (i = 0; i < 6; i++) {
        if (inputs[i]->dtype == PADIC_DTYPE_NONE) continue;
        operands[n].name = names[i];
        operands[n].tensor = inputs[i];
        operands[n++].any_stride = 1;
    }
    operands[n].name = "out";
    operands[n].tensor = &desc->out;
    operands[n].out = 1;
    return padici_operand_host(operands, padici_operand_host(operands, n + 1, desc->tone.table),
                               desc->report);
}

// wave_phase_gradient

PADICI_FN uint32_t padici_wave_phase_gradient_operands(void *desc_, padici_operand *operands)
{
    padic_wave_phase_gradient_desc *desc = (padic_wave_phase_gradient_desc *)desc_;
    operands[0].tensor = &desc->psi;
    operands[0].any_stride = 1;
    operands[0].name = "psi";
    operands[1].name = "out";
    operands[1].tensor = &desc->out;
    operands[1].out = 1;
    return padici_operand_host(operands, 2, desc->report);
}

// wave_winding

PADICI_FN uint32_t padici_wave_winding_operands(void *desc_, padici_operand *operands)
{
    padic_wave_winding_desc *desc = (padic_wave_winding_desc *)desc_;
    uint32_t count = 1;
    operands[0].tensor = &desc->psi;
    operands[0].any_stride = 1;
    operands[0].name = "psi";
    if (desc->map.dtype != PADIC_DTYPE_NONE) {
        operands[count].name = "map";
        operands[count].tensor = &desc->map;
        operands[count++].out = 1;
    }
    if (desc->defects.dtype != PADIC_DTYPE_NONE) { // rows beyond the last defect stay
        operands[count].name = "defects";
        operands[count].tensor = &desc->defects;
        operands[count++].out = 2;
    }
    return count;
}

#endif
