#include "choose.h"
#include "../../core/log.h"
#include "loader.h"

#if PADICI_IMPLEMENT_CUDA

// The driver library, and the choice of the device.

static padic_result padici_cuda_no_driver(padici_cuda *cuda, int error)
{
    const char *why = "no NVIDIA driver is installed";
    switch (error) {
    case -1: break;
    case 34: why = "the toolkit's stub library was found instead of the driver"; break;
    case 100: why = "there is a driver, but no device is visible (CUDA_VISIBLE_DEVICES?)"; break;
    case 803:
        why = "the driver library does not fit the kernel module: reboot after the driver's update";
        break;
    case 804:
        why = "the CUDA compatibility package does not fit this driver or GPU: update the driver";
        break;
    case 999: why = "the driver cannot start (999): is its kernel module loaded?"; break;
    default: return padici_cuda_answer(cuda, error, "cuInit", 0);
    }
    return padici_cuda_fail(cuda, PADIC_ERROR_NO_DEVICE, why);
}

PADICI_FN padic_result padici_cuda_load_driver(padici_cuda *cuda, const char *path)
{
#ifdef _WIN32
    static const char *const names[] = {"nvcuda.dll", NULL};
#else
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
#endif
    void *library = padici_cuda_library_any(path, names, 1);
    const char *missing;
    int error;
    if (!library) return padici_cuda_no_driver(cuda, -1);
    missing = padici_cuda_resolve(library, padici_cuda_symbols, &cuda->api);
    if (missing) {
        padici_text text;
        padici_cuda_say(cuda, &text);
        padici_text_add(&text, "the driver is too old: it has no ");
        padici_text_add(&text, missing);
        return PADIC_ERROR_NO_DEVICE;
    }
    error = cuda->api.cuInit(0);
    if (error) return padici_cuda_no_driver(cuda, error);
    return padici_cuda_answer(cuda, cuda->api.cuDriverGetVersion(&cuda->driver),
                              "cuDriverGetVersion", 0);
}

PADICI_FN int padici_cuda_attribute(padici_cuda *cuda, int attribute, int device)
{
    int value = 0;
    return cuda->api.cuDeviceGetAttribute(&value, attribute, device) ? 0 : value;
}

// 1 if `part` occurs in a name, ignoring case. Empty or NULL matches.
static int padici_cuda_name_has(const char *name, const char *part)
{
    size_t i;
    if (!part || !*part) return 1;
    for (; *name; name++) {
        for (i = 0; part[i]; i++) {
            const char a = name[i], b = part[i];
            if ((a >= 'A' && a <= 'Z' ? a + 32 : a) != (b >= 'A' && b <= 'Z' ? b + 32 : b)) break;
        }
        if (!part[i]) return 1;
    }
    return 0;
}

// Multiprocessors times clock; 0 for a device that forbids contexts or is excluded.
static uint64_t padici_cuda_score(padici_cuda *cuda, int ordinal, const char *name)
{
    char own[64];
    int device = 0;
    if (cuda->api.cuDeviceGet(&device, ordinal)) return 0;
    memset(own, 0, sizeof own);
    if (cuda->api.cuDeviceGetName(own, (int)sizeof own - 1, device)) return 0;
    if (!padici_cuda_name_has(own, name)) return 0;
    if (padici_cuda_attribute(cuda, 20, device) == 2) return 0; // compute mode: prohibited
    return 1 + (uint64_t)(uint32_t)padici_cuda_attribute(cuda, 16, device) *
                   (1 + (uint64_t)(uint32_t)padici_cuda_attribute(cuda, 13, device));
}

// The index-th best of the devices that match.
PADICI_FN padic_result padici_cuda_choose(padici_cuda *cuda, const padic_device_desc *desc)
{
    int count = 0, i, best = -1, last = -1;
    uint64_t ceiling = UINT64_MAX; // score of the one before
    uint32_t turn;
    padic_result result =
        padici_cuda_answer(cuda, cuda->api.cuDeviceGetCount(&count), "cuDeviceGetCount", 0);
    if (result) return result;
    for (turn = 0; turn <= desc->index; turn++) {
        uint64_t top = 0;
        best = -1;
        for (i = 0; i < count; i++) {
            const uint64_t score = padici_cuda_score(cuda, i, desc->name);
            if (score > ceiling || (score == ceiling && i <= last) || score <= top) continue;
            top = score;
            best = i;
        }
        if (best < 0) break;
        ceiling = top;
        last = best;
    }
    if (best < 0)
        return padici_cuda_fail(cuda, PADIC_ERROR_NO_DEVICE,
                                count ? "no device matches the name and index asked for"
                                      : "there is a driver, but no device");
    return padici_cuda_answer(cuda, cuda->api.cuDeviceGet(&cuda->device, best), "cuDeviceGet", 0);
}

#endif
