#include "queries.h"
#include "../../core/memory.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_OPENCL

// Queries of a device or a platform.

// A text from the driver, truncated to fit and trimmed, or "".
static void padici_cl_trim(char *words)
{
    char *from = words;
    size_t length;
    while (*from == ' ') from++;
    length = strlen(from);
    while (length && from[length - 1] == ' ') length--;
    memmove(words, from, length);
    words[length] = 0;
}

PADICI_FN void padici_cl_device_text(const padici_cl *cl, padici_cl_device device, uint32_t what,
                                     char *out, size_t size)
{
    char space[512]; // drivers refuse to fill less than they have
    size_t length = 0;
    memset(space, 0, sizeof space);
    out[0] = 0;
    if ((*cl->api.GetDeviceInfo)(device, what, sizeof space - 1, space, &length)) return;
    padici_cl_trim(space);
    length = strlen(space);
    if (length > size - 1) length = size - 1;
    memcpy(out, space, length);
    out[length] = 0;
}

PADICI_FN void padici_cl_platform_text(const padici_cl *cl, uint32_t what, char *out, size_t size)
{
    char space[512];
    size_t length = 0;
    memset(space, 0, sizeof space);
    out[0] = 0;
    if ((*cl->api.GetPlatformInfo)(cl->platform, what, sizeof space - 1, space, &length)) return;
    padici_cl_trim(space);
    length = strlen(space);
    if (length > size - 1) length = size - 1;
    memcpy(out, space, length);
    out[length] = 0;
}

// A number from the driver, of 4 or 8 bytes (size_t, cl_uint, cl_ulong), or 0.
PADICI_FN uint64_t padici_cl_device_number(const padici_cl *cl, padici_cl_device device,
                                           uint32_t what)
{
    unsigned char space[8];
    size_t size = 0;
    uint32_t word;
    uint64_t number;
    memset(space, 0, sizeof space);
    if ((*cl->api.GetDeviceInfo)(device, what, sizeof space, space, &size)) return 0;
    memcpy(&word, space, 4);
    memcpy(&number, space, 8);
    return size == 8 ? number : size == 4 ? word : 0;
}

PADICI_FN int padici_cl_has_extension(const padici_cl *cl, padici_cl_device device,
                                      const char *name)
{
    const size_t length = strlen(name);
    size_t size = 0;
    char *words, *at;
    int found = 0;
    if ((*cl->api.GetDeviceInfo)(device, PADICI_CL_DEVICE_EXTENSIONS, 0, NULL, &size) || !size)
        return 0;
    words = (char *)padici_alloc(cl->env.allocator, size + 1, 1);
    if (!words) return 0;
    memset(words, 0, size + 1);
    if (!(*cl->api.GetDeviceInfo)(device, PADICI_CL_DEVICE_EXTENSIONS, size, words, NULL))
        for (at = strstr(words, name); at && !found; at = strstr(at + 1, name))
            found = (at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]);
    padici_free(cl->env.allocator, words, size + 1);
    return found;
}

#endif
