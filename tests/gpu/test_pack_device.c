// test_pack_device.c: the cases of gen.h with a profile: what every device packs is the host's to
// the byte, and what it unpacks are the elements that the host unpacks. The devices are those of
// gpu_devices.h: the kernels as plain C, an OpenCL device with PADIC_TEST_OPENCL=1.
//
//     test_pack_device [--seed N] [--tiny]          PACK_DEVICE_COUNT=10000 for a long run
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#include "../support/codec_calls.h"

#include "gpu_devices.h"

#include "../codec/gen.h"

// Blocks that are runs of elements: all axes behind the first that is cut are whole.
static int runs(const padic_codec_pack_desc *d)
{
    int cut = 0;
    for (uint32_t k = 0; k < d->tensor.rank; k++) {
        const uint64_t block = d->block[k], extent = d->tensor.shape[k];
        if (cut && block < extent) return 0;
        if (block > 1) cut = 1;
    }
    return 1;
}

// 0: the same everywhere.
static int differs(gen_case *c, char *why, size_t why_size)
{
    padic_codec_pack_desc host = c->desc;
    const size_t room = padic_codec_size_bound(&host), bytes = c->count * c->element;
    uint8_t *packed = (uint8_t *)gen_new(room), *got = (uint8_t *)gen_new(bytes);
    size_t size = 0;
    padic_codec_unpack_desc u;
    int bad = 0;
    memset(&u, 0, sizeof u);
    memset(host.tensor.stride, 0, sizeof host.tensor.stride);
    host.tensor.data = c->dense;
    u.tensor = host.tensor;
    u.tensor.data = got;
    padic_result result = codec_pack(NULL, &host, packed, room, &size);
    if (result == PADIC_OK) result = codec_unpack(NULL, &u, packed, size);
    if (result != PADIC_OK) bad = 1, snprintf(why, why_size, "the host gives %d", (int)result);
    open_devices();
    for (int k = 0; k < device_count && !bad; k++) {
        padic_context *context = devices[k];
        const padic_tensor line = padic_tensor_1d(PADIC_U8, NULL, room);
        plane from = plane_new(context, &host.tensor, c->plan % 5, c->dense);
        plane to = plane_new(context, &line, c->plan / 8 % 9, NULL);
        plane back = plane_new(context, &host.tensor, c->plan / 128 % 5, NULL);
        padic_codec_pack_desc d = host;
        padic_codec_report report;
        uint64_t written = 0, block = 5;
        memset(&report, 0, sizeof report);
        d.tensor = from.tensor;
        d.report = &report;
        result = codec_pack_to(context, &d, &to.tensor, &written);
        if (result == PADIC_ERROR_NOT_SUPPORTED && !runs(&host)) {
            // the host's, in a context that is not strict
        } else if (result != PADIC_OK || written != size || !plane_is(context, &to, packed, size)) {
            snprintf(why, why_size, "device %d packs other bytes: %d, %d of %d bytes", k,
                     (int)result, (int)written, (int)size);
            bad = 1;
        } else if (report.blocks_reencoded) {
            snprintf(why, why_size, "device %d: %d blocks did not pass the proof", k,
                     (int)report.blocks_reencoded);
            bad = 1;
        } else {
            to.tensor.shape[0] = size;
            u.tensor = back.tensor;
            u.report = CODEC_BAD_BLOCK(&block);
            result = codec_unpack_from(context, &u, &to.tensor);
            if (result != PADIC_OK || block != UINT64_MAX ||
                !plane_is(context, &back, got, bytes)) {
                snprintf(why, why_size, "device %d unpacks something else: %d, block %d", k,
                         (int)result, (int)block);
                bad = 1;
            }
        }
        plane_end(context, &from);
        plane_end(context, &to);
        plane_end(context, &back);
    }
    free(packed);
    free(got);
    return bad;
}

TEST(devices)
{
    static gen_case c;
    const char *wish = getenv("PACK_DEVICE_COUNT");
    const uint64_t count = wish ? strtoull(wish, NULL, 0) : test_tiny ? 30 : 600;
    open_devices();
    if (!device_count) {
        SKIP("no device, and no compiler for kernels as plain C");
    }
    for (uint64_t i = 0; i < count; i++) {
        uint8_t bytes[GEN_STRING];
        char why[200];
        gen_seeded(test_seed * UINT64_C(1000000007) + i, bytes);
        bytes[GEN_AT_PROFILE] = 11;
        gen_make(&c, bytes, sizeof bytes);
        // some kinds of arrays say how they are packed, without a profile: the host's
        const int bad = c.count && c.desc.profile && differs(&c, why, sizeof why);
        if (bad) printf("\n  case %lu: %s\n  %s", (unsigned long)i, why, c.text);
        CHECK(!bad);
        gen_free(&c);
    }
}

TEST_MAIN("test_pack_device", CASE(devices), CASE(no_kernel_was_dropped))
