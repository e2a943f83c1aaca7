#include "power.h"
#include "../tests.h"
#include "flags.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_FFT)

// Which launches of lines the kernel for powers of two does, and its variant.

enum {
    PADICI_GPU_FFT_EACH = 16, // elements of an item
    PADICI_GPU_FFT_APART = 4  // lines that make whole parts of memory where they are neighbours
};

// Whether numbers lie in pairs of reals.
static int padici_gpu_fft_paired(const padici_k_fft_lines_params *k)
{
    uint32_t odd = k->from_base | k->from_step | k->from_line | k->to_base | k->to_step |
                   k->to_line, i;
    for (i = 0; i < 7; i++) odd |= k->from_outer[i] | k->to_outer[i];
    return !(odd & 1);
}

// Items of a group, 0 for none: as many as give the device work, and groups whole parts of memory.
static uint32_t padici_gpu_fft_items(const padici_gpu *gpu, uint64_t n, uint64_t all,
                                     uint64_t outer, uint32_t across, uint32_t most)
{
    const uint64_t units = gpu->info->compute_units ? gpu->info->compute_units : 16;
    const uint64_t least = across ? PADICI_GPU_FFT_APART : 1;
    uint64_t items, lines;
    for (items = most; items > 64; items /= 2) {
        lines = PADICI_GPU_FFT_EACH * items / n;
        if (lines < 2 * least) break;
        if (lines <= all && (all + lines - 1) / lines * outer >= 2 * units) break;
    }
    lines = PADICI_GPU_FFT_EACH * items / n;
    return lines && lines <= 2 * all ? (uint32_t)items : 0;
}

// The variant for `outer` times `all` lines of n, of up to `most` items. `across`: neighbours in
// memory are of different lines, 1 as they are read, 2 as they are written. 0: a kernel for all
// lengths has to do them.
PADICI_FN int padici_gpu_fft_power_find(const padici_gpu *gpu, uint64_t n, uint64_t all,
                                        uint64_t outer, uint32_t across, uint32_t is_double,
                                        uint32_t most, padici_gpu_fft_power *power)
{
    static const char *const logs[] = {"PD_FFT_LOG=5", "PD_FFT_LOG=6", "PD_FFT_LOG=7",
                                       "PD_FFT_LOG=8", "PD_FFT_LOG=9", "PD_FFT_LOG=10",
                                       "PD_FFT_LOG=11"};
    static const char *const words[] = {"PD_FFT_ACROSS=0", "PD_FFT_ACROSS=1", "PD_FFT_ACROSS=2",
                                        "PD_FFT_ACROSS=3"};
    uint32_t log = 0, items;
    while (log < 11 && n >> log > 1) log++;
    if (log < 5 || n != UINT64_C(1) << log) return 0;
    if (gpu->tested && padici_gpu_tested(gpu, "PD_FFT_LOG", 0) != log) return 0;
    items = padici_gpu_fft_items(gpu, n, all, outer, across, is_double ? 128 : most);
    items = padici_gpu_tested(gpu, "PD_FFT_WG", items);
    if (!items) return 0;
    power->lines = PADICI_GPU_FFT_EACH * items >> log;
    power->defines[0] = logs[log - 5];
    power->defines[1] = items == 64    ? "PD_FFT_WG=64"
                        : items == 128 ? "PD_FFT_WG=128"
                                       : "PD_FFT_WG=256";
    power->defines[2] = words[across];
    power->defines[3] = "PD_FFT_F64=1";
    power->define_count = is_double ? 4 : 3;
    return 1;
}

// The variant for a launch of lines.
PADICI_FN int padici_gpu_fft_power_of(const padici_gpu *gpu, const padici_k_fft_lines_params *k,
                                      uint32_t is_double, uint64_t outer,
                                      padici_gpu_fft_power *power)
{
    const uint32_t plain = PADICI_GPU_FFT_SWAP | PADICI_GPU_FFT_LINES | PADICI_GPU_FFT_TWIST;
    const uint32_t across = (k->from_flags & PADICI_GPU_FFT_LINES ? 0 : 1) |
                            (k->to_flags & PADICI_GPU_FFT_LINES ? 0 : 2);
    return !((k->from_flags | k->to_flags) & ~plain) && padici_gpu_fft_paired(k) &&
           padici_gpu_fft_power_find(gpu, k->n, k->all, outer, across, is_double, 256, power);
}

#endif
