#pragma once

enum { // flags of the kernels: fft/lines.cl
    PADICI_GPU_FFT_REAL = 1,
    PADICI_GPU_FFT_MIRROR = 2,
    PADICI_GPU_FFT_SWAP = 4,
    PADICI_GPU_FFT_SWAP_FIRST = 8,
    PADICI_GPU_FFT_LINES = 16,
    PADICI_GPU_FFT_FACTORS = 32,
    PADICI_GPU_FFT_TWIST = 64
};
