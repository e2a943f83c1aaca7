// rollout_disk.h: memory that a record is written to, and that fails when it is told to. Include it
// after padic_test.h.
#pragma once
#include <stdint.h>
#include <string.h>

typedef struct disk {
    uint8_t bytes[1 << 20];
    uint64_t size, writes;
    int64_t fail; // from this write on; negative: never
} disk;

static void disk_clear(disk *d)
{
    memset(d, 0, sizeof *d);
    d->fail = -1;
}

static int disk_write(const void *bytes, uint64_t size, uint64_t at, void *user)
{
    disk *d = (disk *)user;
    CHECK(at <= d->size && size <= sizeof d->bytes - at);
    if (d->fail >= 0 && (int64_t)d->writes >= d->fail) return 1;
    d->writes++;
    memcpy(d->bytes + at, bytes, (size_t)size);
    if (at + size > d->size) d->size = at + size;
    return 0;
}

static int disk_read(void *bytes, uint64_t size, uint64_t at, void *user)
{
    const disk *d = (const disk *)user;
    CHECK(at <= d->size && size <= d->size - at);
    memcpy(bytes, d->bytes + at, (size_t)size);
    return 0;
}
