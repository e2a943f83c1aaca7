// How do I find where two lockstep peers went apart? Each peer keeps one digest of all entities,
// changed by what changed. They compare 24 bytes now and then. When those differ, a search over the
// past ticks finds the first bad one, and a search over ranges of ids the first bad entity: a few
// digests cross the wire, never the world.
//
//     cc -O2 -o desync examples/desync.c -lm && ./desync

#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include <stdio.h>

enum { ENTITIES = 500, TICKS = 400, COMPARE = 50, BAD_TICK = 173, BAD_ENTITY = 371 };

typedef struct entity { // integers, no padding: the bytes that go into the digest
    int32_t x, y, vx, vy;
} entity;

typedef struct peer {
    entity world[TICKS + 1][ENTITIES]; // what a real game saves now and then, and replays from
    padic_num_digest digest[TICKS + 1];
    int faulty;
} peer;

static peer here, there;
static int messages;

// One tick: entities fly between walls, and each rests every fifth tick.
static void step(peer *p, int tick)
{
    const entity *before = p->world[tick - 1];
    entity *now = p->world[tick];
    p->digest[tick] = p->digest[tick - 1];
    for (uint32_t i = 0; i < ENTITIES; i++) {
        now[i] = before[i];
        if ((i + (uint32_t)tick) % 5) {
            now[i].x += now[i].vx;
            now[i].y += now[i].vy;
            if (now[i].x < 0 || now[i].x > 100000) now[i].vx = -now[i].vx;
            if (now[i].y < 0 || now[i].y > 100000) now[i].vy = -now[i].vy;
        }
        // Two errors that cancel in any plain sum: one unit too many here, one too few there.
        if (p->faulty && tick == BAD_TICK && i == BAD_ENTITY) now[i].x++;
        if (p->faulty && tick == BAD_TICK && i == BAD_ENTITY + 9) now[i].x--;
        if (memcmp(&now[i], &before[i], sizeof(entity)))
            padic_num_digest_update(&p->digest[tick], i, &before[i], &now[i], sizeof(entity));
    }
}

static void begin(peer *p, uint64_t seed)
{
    padic_num_digest_init(&p->digest[0], seed);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        uint32_t word[4];
        padic_random_block(seed, i, 0, 0, word);
        const entity e = {(int32_t)(word[0] % 100000), (int32_t)(word[1] % 100000),
                          (int32_t)(word[2] % 200) - 100, (int32_t)(word[3] % 200) - 100};
        p->world[0][i] = e;
        padic_num_digest_add(&p->digest[0], i, &e, sizeof e);
    }
}

// Each call stands for one message there and one back.
static int same_tick(int tick)
{
    messages++;
    return !memcmp(&here.digest[tick], &there.digest[tick], sizeof(padic_num_digest));
}

static padic_num_digest of_range(const peer *p, int tick, uint32_t first, uint32_t count)
{
    padic_num_digest digest;
    padic_num_digest_init(&digest, p->digest[0].seed);
    for (uint32_t i = first; i < first + count; i++)
        padic_num_digest_add(&digest, i, &p->world[tick][i], sizeof(entity));
    return digest;
}

static int same_range(int tick, uint32_t first, uint32_t count)
{
    const padic_num_digest a = of_range(&here, tick, first, count);
    const padic_num_digest b = of_range(&there, tick, first, count);
    messages++;
    return !memcmp(&a, &b, sizeof a);
}

int main(void)
{
    int tick = 0, good = 0, bad;
    there.faulty = 1;
    begin(&here, 2026);
    begin(&there, 2026);
    do {
        tick++;
        step(&here, tick);
        step(&there, tick);
    } while (tick < TICKS && (tick % COMPARE || same_tick(tick)));
    if (tick == TICKS) return puts("the peers agree"), 1;
    printf("digests differ at tick %d\n", tick);

    for (bad = tick; bad - good > 1;) { // at `good` they agree, at `bad` they do not
        const int middle = (good + bad) / 2;
        if (same_tick(middle))
            good = middle;
        else
            bad = middle;
    }
    uint32_t first = 0, count = ENTITIES;
    while (count > 1) { // the first entity that differs is among these
        const uint32_t half = count / 2;
        const int same = same_range(bad, first, half);
        first += same ? half : 0;
        count = same ? count - half : half;
    }
    const entity a = here.world[bad][first], b = there.world[bad][first];
    printf("they went apart at tick %d; first at entity %d: (%d, %d) here, (%d, %d) there\n", bad,
           (int)first, (int)a.x, (int)a.y, (int)b.x, (int)b.y);
    printf("%d digests compared, %d bytes each way; the world has %d\n", messages, 24 * messages,
           (int)sizeof here.world[0]);
    return bad == BAD_TICK && first == BAD_ENTITY ? 0 : 1;
}
