#include "driver.h"
#include "../../core/tensor.h"
#include "../launch.h"
#include "../tuner.h"
#include "../variants.h"
#include "axes.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU

// The drivers of fill, copy and random_fill, what they build in advance, their rows.

static const padici_gpu_choice padici_gpu_base_plain = {{NULL, NULL, NULL, NULL}, 0, 128};

PADICI_FN int padici_example_random_fill(padici_any_desc *desc, uint32_t size_class)
{
    desc->random_fill.tensor = padic_tensor_1d(PADIC_U32, NULL, UINT64_C(2048) << 4 * size_class);
    return size_class < 4; // its largest size class behaves like the one before
}

static padic_result padici_gpu_base_launch(padici_gpu *gpu, uint32_t kernel, const padic_mem *mem,
                                           uint32_t mem_count, const void *params, uint32_t size,
                                           uint64_t items, const padici_gpu_choice *choice)
{
    padici_gpu_work work;
    memset(&work, 0, sizeof work);
    work.kernel = kernel;
    work.defines = choice->defines;
    work.define_count = choice->define_count;
    memcpy(work.mem, mem, mem_count * sizeof *mem);
    work.mem_count = mem_count;
    work.params = params;
    work.params_size = size;
    work.groups[0] = padici_gpu_groups(gpu, items, choice->number);
    return padici_gpu_launch(gpu, &work);
}

PADICI_FN padic_result padici_gpu_fill(padici_gpu *gpu, const padici_call *call, int query)
{
    const padici_operand *o = &call->operands[0];
    const void *value = call->desc->fill.value;
    const uint32_t size = padic_dtype_size(o->tensor->dtype);
    padici_k_base_fill_params k;
    padici_gpu_axes x;
    padici_gpu_slices s;
    uint32_t kernel, i;
    unsigned char bytes[16];
    padic_result result;
    padici_gpu_axes_begin(&x, o, NULL, 4);
    kernel = x.unit == 4   ? PADICI_KERNEL_BASE_FILL_4
             : x.unit == 2 ? PADICI_KERNEL_BASE_FILL_2
                           : PADICI_KERNEL_BASE_FILL_1;
    result = padici_gpu_need(gpu, kernel, NULL, 0);
    if (query || result) return result;
    memset(&k, 0, sizeof k);
    for (i = 0; i < 16; i++) bytes[i] = value ? ((const unsigned char *)value)[i % size] : 0;
    memcpy(k.value, bytes, 16);
    padici_gpu_slices_begin(&x, &s);
    do {
        k.n = (uint32_t)s.count;
        k.axes = padici_gpu_divide(&x, &s, k.extent, k.magic, k.shift);
        k.base_lo = (uint32_t)s.at[0];
        k.base_hi = (uint32_t)(s.at[0] >> 32);
        for (i = 0; i < k.axes; i++) k.stride[i] = (uint32_t)x.stride[0][i];
        result = padici_gpu_base_launch(gpu, kernel, &o->now.mem, 1, &k, sizeof k, s.count,
                                        &padici_gpu_base_plain);
    } while (!result && padici_gpu_slices_next(&x, &s));
    return result;
}

PADICI_FN padic_result padici_gpu_copy(padici_gpu *gpu, const padici_call *call, int query)
{
    const padici_operand *from = &call->operands[0], *to = &call->operands[1];
    padici_k_base_copy_params k;
    padici_gpu_axes x;
    padici_gpu_slices s;
    padic_mem mem[2];
    uint32_t kernel, i;
    padic_result result;
    padici_gpu_axes_begin(&x, from, to, 4);
    kernel = x.unit == 4   ? PADICI_KERNEL_BASE_COPY_4
             : x.unit == 2 ? PADICI_KERNEL_BASE_COPY_2
                           : PADICI_KERNEL_BASE_COPY_1;
    result = padici_gpu_need(gpu, kernel, NULL, 0);
    if (query || result) return result;
    memset(&k, 0, sizeof k);
    mem[0] = from->now.mem;
    mem[1] = to->now.mem;
    padici_gpu_slices_begin(&x, &s);
    do {
        k.n = (uint32_t)s.count;
        k.axes = padici_gpu_divide(&x, &s, k.extent, k.magic, k.shift);
        k.from_lo = (uint32_t)s.at[0];
        k.from_hi = (uint32_t)(s.at[0] >> 32);
        k.to_lo = (uint32_t)s.at[1];
        k.to_hi = (uint32_t)(s.at[1] >> 32);
        for (i = 0; i < k.axes; i++) {
            k.from_stride[i] = (uint32_t)x.stride[0][i];
            k.to_stride[i] = (uint32_t)x.stride[1][i];
        }
        result = padici_gpu_base_launch(gpu, kernel, mem, 2, &k, sizeof k, s.count,
                                        &padici_gpu_base_plain);
    } while (!result && padici_gpu_slices_next(&x, &s));
    return result;
}

// How the kernels make an element from its words: base.cl has the numbers.
PADICI_FN uint32_t padici_gpu_random_kind(padic_dtype dtype)
{
    return dtype == PADIC_F32 || dtype == PADIC_C64    ? 1
           : dtype == PADIC_F64 || dtype == PADIC_C128 ? 2
           : dtype == PADIC_F16                        ? 3
           : dtype == PADIC_BF16                       ? 4
                                                       : 0;
}

PADICI_FN padic_result padici_gpu_random_fill(padici_gpu *gpu, const padici_call *call, int query)
{
    const padici_operand *o = &call->operands[0];
    const padic_random_fill_desc *desc = &call->desc->random_fill;
    const uint32_t size = padic_dtype_size(o->tensor->dtype);
    padici_k_base_random_params k;
    padici_gpu_axes x;
    padici_gpu_slices s;
    const padici_gpu_choice *choice;
    uint32_t kernel, i;
    padic_result result;
    padici_gpu_axes_begin(&x, o, NULL, size < 4 ? size : 4); // a unit takes one word
    kernel = x.unit == 4   ? PADICI_KERNEL_BASE_RANDOM_4
             : x.unit == 2 ? PADICI_KERNEL_BASE_RANDOM_2
                           : PADICI_KERNEL_BASE_RANDOM_1;
    choice = padici_gpu_choose(gpu, &padici_tunable_random_fill, call->count);
    result = padici_gpu_need(gpu, kernel, choice->defines, choice->define_count);
    if (query || result) return result;
    memset(&k, 0, sizeof k);
    k.step = desc->step;
    k.kind = padici_gpu_random_kind(o->tensor->dtype);
    k.seed_lo = (uint32_t)desc->seed;
    k.seed_hi = (uint32_t)(desc->seed >> 32);
    k.stream_lo = (uint32_t)desc->stream;
    k.stream_hi = (uint32_t)(desc->stream >> 32);
    padici_gpu_slices_begin(&x, &s);
    do {
        k.n = (uint32_t)s.count;
        k.axes = padici_gpu_divide(&x, &s, k.extent, k.magic, k.shift);
        k.base_lo = (uint32_t)s.at[0];
        k.base_hi = (uint32_t)(s.at[0] >> 32);
        k.skip = (uint32_t)s.unit & 3;
        k.block = (uint32_t)(s.unit >> 2);
        for (i = 0; i < k.axes; i++) k.stride[i] = (uint32_t)x.stride[0][i];
        result = padici_gpu_base_launch(gpu, kernel, &o->now.mem, 1, &k, sizeof k,
                                        (s.count + k.skip + 3) / 4, choice);
    } while (!result && padici_gpu_slices_next(&x, &s));
    return result;
}

PADICI_FN padic_result padici_warm_base(padici_gpu *gpu)
{
    return padici_gpu_need(gpu, PADICI_KERNEL_BASE_FILL_4, NULL, 0);
}

#endif
