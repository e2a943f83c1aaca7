// fuzz_info.c: any bytes into info, whose answer must hang together. See fuzz.h.
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *exact = (uint8_t *)fuzz_new(size);
    if (size) memcpy(exact, data, size);
    padic_codec_report r;
    memset(&r, 0xEE, sizeof r);
    if (codec_info(exact, size, &r) == PADIC_OK) {
        FUZZ_CHECK(padic_dtype_size(r.dtype) > 0 && r.rank <= PADIC_MAX_RANK);
        FUZZ_CHECK(r.packed_size == size);
        uint64_t elements = 1, blocks = 1, in_block = 1;
        for (uint32_t a = 0; a < r.rank; a++) {
            FUZZ_CHECK(r.shape[a] == 0 || elements <= UINT64_MAX / r.shape[a]);
            elements *= r.shape[a];
            if (r.shape[a]) {
                FUZZ_CHECK(r.block[a] > 0);
                blocks *= (r.shape[a] - 1) / r.block[a] + 1;
                in_block *= r.block[a];
            }
        }
        FUZZ_CHECK(r.raw_size == elements * padic_dtype_size(r.dtype));
        FUZZ_CHECK(r.blocks == (elements ? blocks : 0) || !elements);
        FUZZ_CHECK(!elements || in_block <= (uint64_t)1 << 20);
        FUZZ_CHECK((int)r.tolerance_mode >= 0 && r.tolerance_mode <= PADIC_CODEC_TOLERANCE_FIXED);
        FUZZ_CHECK(r.tolerance_mode == PADIC_CODEC_TOLERANCE_NONE || r.tolerance > 0);
        uint64_t transforms = 0, sizes = 0;
        for (int i = 0; i < 8; i++) transforms += r.transforms[i];
        for (int i = 0; i < PADIC_CODEC_STREAM_KINDS; i++) sizes += r.bytes[i];
        const uint64_t layers = r.layers ? r.layers : 1; // a block has a part in each
        FUZZ_CHECK((transforms + layers - 1) / layers <= r.blocks && sizes <= size);
        FUZZ_CHECK(r.wire_version >= 1 && r.wire_version <= PADIC_CODEC_WIRE_VERSION);
    }
    free(exact);
    return 0;
}
