// How do I pack more than fits in memory, or what has no known length yet? Push it as it comes and
// pull it back; both keep one row of blocks.
//
//     cc -O2 -o stream examples/stream.c -lm

#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include <stdio.h>

enum { CHANNELS = 6, FRAMES = 400000, CHUNK = 1000 };

// Frame t of a recording of six channels.
static void record(int t, float frame[CHANNELS])
{
    for (int c = 0; c < CHANNELS; c++) {
        frame[c] = 0.001f * (float)((t * (c + 3)) % 4096 - 2048);
    }
}

// Both functions of the caller return 0 on success.
static int write_file(const void *data, size_t size, void *user)
{
    return fwrite(data, 1, size, (FILE *)user) != size;
}

static int read_file(void *data, size_t size, size_t *got, void *user)
{
    *got = fread(data, 1, size, (FILE *)user);
    return *got < size && ferror((FILE *)user);
}

static padic_result pack(FILE *file, uint64_t *size)
{
    const uint64_t shape[2] = {PADIC_CODEC_UNKNOWN, CHANNELS};
    padic_codec_report report = PADIC_ZERO;
    padic_codec_pack_begin_desc desc = PADIC_ZERO;
    desc.write = write_file;
    desc.user = file;
    desc.pack.report = &report;
    desc.pack.tensor = padic_tensor_nd(PADIC_F32, NULL, 2, shape);
    padic_codec_packer *packer = NULL;
    padic_result result = padic_codec_pack_begin(NULL, &desc, &packer);
    if (result) {
        return result;
    }
    for (int t = 0; t < FRAMES && !result; t++) {
        float frame[CHANNELS];
        const padic_bytes bytes = padic_bytes_in(frame, sizeof frame);
        record(t, frame);
        result = padic_codec_pack_push(packer, &bytes);
    }
    padic_result end = padic_codec_pack_end(packer); // also after an error: it frees
    *size = report.packed_size;
    return result ? result : end;
}

static padic_result unpack(FILE *file, int *frames, int *wrong)
{
    padic_codec_unpack_begin_desc desc = PADIC_ZERO;
    desc.read = read_file;
    desc.user = file;
    padic_codec_unpacker *unpacker = NULL;
    padic_result result = padic_codec_unpack_begin(NULL, &desc, &unpacker);
    float chunk[CHUNK][CHANNELS], frame[CHANNELS];
    padic_bytes bytes = padic_bytes_out(chunk, sizeof chunk);
    if (result) {
        return result;
    }
    do {
        result = padic_codec_unpack_pull(unpacker, &bytes);
        for (size_t i = 0; i < bytes.size / sizeof frame; i++, (*frames)++) {
            record(*frames, frame);
            for (int c = 0; c < CHANNELS; c++) *wrong += frame[c] != chunk[i][c];
        }
    } while (!result && bytes.size == sizeof chunk);
    padic_codec_unpack_end(unpacker);
    return result;
}

int main(void)
{
    FILE *file = tmpfile();
    uint64_t size = 0;
    int frames = 0, wrong = 0;
    if (!file) {
        puts("no temporary file");
        return 1;
    }
    padic_result result = pack(file, &size);
    rewind(file);
    if (!result) {
        result = unpack(file, &frames, &wrong);
    }
    fclose(file);
    if (result) {
        puts(padic_result_text(result));
        return 1;
    }
    printf("%d frames, %u -> %u bytes, %d wrong values\n", frames,
           (unsigned)(FRAMES * CHANNELS * sizeof(float)), (unsigned)size, wrong);
    return wrong != 0 || frames != FRAMES;
}
