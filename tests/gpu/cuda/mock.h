// mock.h: what a test tells the fake CUDA driver and the fake NVRTC, and what they count.
#ifndef MOCK_H
#define MOCK_H
#include <stdint.h>

typedef struct mock_cuda {
    // Set by the test; zero is a driver in good order with one GPU of compute capability 9.0.
    int fail_at, fail_with; // the fail_at-th call that can fail answers fail_with (0: 2, no memory)
    int init_answer;        // of cuInit
    int devices;            // -1: none, 0: one, n: n; the later the faster
    int arch;               // 0: 90
    int version;            // of the driver; 0: 13000
    int refuse_cubin, refuse_ptx; // cuModuleLoadData answers this to such an image
    int any_image;          // a CUBIN need not be of mock_nvrtc.c
    const void *image;      // what cuModuleLoadData was given last
    int loads;              // how often that was
    int lost_at;            // the lost_at-th kernel fails with 719, the context is lost
    int spoilt;             // such a loss outlives the context, as real ones mostly do
    uint64_t kernel_ns;     // how long a kernel takes; 0: 1000
    // Counted.
    int calls, live;        // calls that can fail; objects that exist
    int misused;            // rules of the driver that were broken; the first is in `misuse`
    const char *misuse;
    int depth;              // contexts on the stack
    int not_pushed;         // pushes that failed
    int leaked;             // objects still there when the primary context went
    int launches, kernels_run, graph_launches, copies, waits;
    int capturing;
} mock_cuda;

typedef struct mock_nvrtc {
    int fail_at, fail_with; // as above; 0: 6, with a log
    int no_cubin;           // as before 11.1
    const int *archs;       // ends with 0; NULL: 75 80 86 89 90 100 120
    int refuse_a;           // sm_90a and the like are unknown
    int calls, live, compiles;
    char options[256];      // of the last compile, with a space behind each
} mock_nvrtc;

// Exported by the two libraries. The state also goes back to zero, what lives stays counted.
typedef mock_cuda *(*mock_cuda_state_fn)(void);
typedef mock_nvrtc *(*mock_nvrtc_state_fn)(void);
#endif
