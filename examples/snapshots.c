// How do I send a moving scene? Each tick is packed with the tick before as a reference, which the
// other side holds, too: the decoded one, since positions are sent within a millimetre.
//
//     cc -O2 -o snapshots examples/snapshots.c -lm

#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BODIES = 4000, TICKS = 60 };

// Position and velocity of a body, as an engine keeps them.
static float scene[BODIES][6], sent[BODIES][6], before[BODIES][6];
static unsigned char packet[BODIES * 6 * 4 + 4096];

// Between 0 and 1, the same on every machine.
static float chance(uint32_t body, uint32_t what)
{
    uint32_t x = (body * 8 + what) * 2654435761u;
    x = (x ^ x >> 15) * 2246822519u;
    return (float)((x ^ x >> 13) >> 8) / 16777216.0f;
}

// A third of the bodies rests; the others fly and bounce in a hall of 100 by 20 by 100 metres.
static void step(int tick)
{
    for (uint32_t i = 0; i < BODIES; i++) {
        float *p = scene[i], *v = p + 3;
        for (int k = 0; k < 3 && tick == 0; k++) {
            p[k] = (k == 1 ? 20.0f : 100.0f) * chance(i, (uint32_t)k);
            v[k] = i % 3 ? 8.0f * chance(i, 3 + (uint32_t)k) - 4.0f : 0.0f;
        }
        if (i % 3 == 0 || tick == 0) continue;
        v[1] -= 9.81f / 60.0f;
        for (int k = 0; k < 3; k++) {
            const float wall = k == 1 ? 20.0f : 100.0f;
            p[k] += v[k] / 60.0f;
            if (p[k] < 0.0f) p[k] = -p[k], v[k] = -0.8f * v[k];
            if (p[k] > wall) p[k] = 2.0f * wall - p[k], v[k] = -0.8f * v[k];
        }
    }
}

// One tick there and back. Returns its bytes, 0 after a failure.
static size_t send(const padic_tensor *reference, double bound)
{
    padic_codec_pack_desc desc = PADIC_ZERO;
    desc.tensor = padic_tensor_2d(PADIC_F32, scene, BODIES, 6);
    if (bound > 0.0) desc.tolerance_mode = PADIC_CODEC_TOLERANCE_ABSOLUTE, desc.tolerance = bound;
    if (reference) desc.reference = *reference;
    padic_codec_report report = PADIC_ZERO;
    desc.packed = padic_bytes_out(packet, sizeof packet);
    desc.report = &report;
    padic_result result = padic_codec_pack(NULL, &desc);

    padic_codec_unpack_desc back = PADIC_ZERO;
    back.tensor = padic_tensor_2d(PADIC_F32, sent, BODIES, 6);
    if (reference) back.reference = *reference;
    back.packed = padic_bytes_in(packet, report.packed_size);
    if (!result) result = padic_codec_unpack(NULL, &back);
    if (result) puts(padic_result_text(result));
    return result ? 0 : (size_t)report.packed_size;
}

// All ticks, each with the one before as the reference if `delta`. Returns bytes a tick.
static double play(int delta, double bound, double *worst)
{
    const padic_tensor reference = padic_tensor_2d(PADIC_F32, before, BODIES, 6);
    double total = 0.0;
    *worst = 0.0;
    for (int tick = 0; tick < TICKS; tick++) {
        step(tick);
        const size_t size = send(delta && tick ? &reference : NULL, bound);
        if (!size) return 0.0;
        total += tick ? (double)size : 0.0; // the first one is a key frame
        for (int i = 0; i < BODIES; i++) {
            for (int k = 0; k < 6; k++) {
                *worst = fmax(*worst, fabs((double)scene[i][k] - (double)sent[i][k]));
            }
        }
        memcpy(before, sent, sizeof before);
    }
    return total / (TICKS - 1);
}

int main(void)
{
    static const double bounds[2] = {0.0, 0.001};
    double worst;
    // what one would write first: the bodies that moved, each with its number
    printf("raw %d bytes a tick, raw delta (moved bodies) %d\n", (int)sizeof scene,
           (BODIES - (BODIES + 2) / 3) * (4 + 24));
    for (int b = 0; b < 2; b++) {
        const double alone = play(0, bounds[b], &worst), delta = play(1, bounds[b], &worst);
        if (alone <= 0.0 || delta <= 0.0) return 1;
        printf("bound %-6g each tick alone %7.0f, after the one before %7.0f, largest error %.3g\n",
               bounds[b], alone, delta, worst);
        if (worst > bounds[b]) return 1;
    }
    return 0;
}
