// The program cache: fields of the key, blobs that are damaged in every way, hooks that lie, order
// of store, and the directory cache: whose it must be, links, pipes, modes.
#define _XOPEN_SOURCE 700 // symlink, mkfifo
#define PADIC_IMPLEMENT_CACHE
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_cache.h"
#include "../../backends/padic_opencl.h"
#include "../support/padic_test.h"

// A cache in memory with one entry.
typedef struct shelf_cache {
    char key[33];
    unsigned char blob[4096];
    size_t size;
    int loads, stores;
    size_t grow; // the second answer of load is larger by this
} shelf_cache;

static int shelf_load(const char *key, void *data, size_t *size, void *user)
{
    shelf_cache *s = (shelf_cache *)user;
    s->loads++;
    if (strcmp(key, s->key)) return 0;
    if (!data) return *size = s->size, 1;
    memcpy(data, s->blob, s->size);
    *size = s->size + s->grow;
    return 1;
}

static void shelf_store(const char *key, const void *data, size_t size, void *user)
{
    shelf_cache *s = (shelf_cache *)user;
    s->stores++;
    strcpy(s->key, key);
    s->size = size;
    if (size <= sizeof s->blob) memcpy(s->blob, data, size);
}

typedef struct bench {
    shelf_cache shelf;
    padic_cache cache;
    padic_stats stats;
    padic_env env;
    padic_device_info info;
    padici_cache_program program;
    padici_cache_key key;
    uint32_t kind; // what load() found
    void *payload;
    size_t size;
} bench;

static const char *const defines[] = {"PD_WG=128", "PD_NUM_FORM=2"};

static void bench_begin(bench *b)
{
    memset(b, 0, sizeof *b);
    b->cache.load = shelf_load;
    b->cache.store = shelf_store;
    b->cache.user = &b->shelf;
    b->env.cache = &b->cache;
    b->env.stats = &b->stats;
    strcpy(b->info.name, "a device");
    strcpy(b->info.vendor, "a vendor");
    strcpy(b->info.driver, "1.2.3");
    strcpy(b->info.platform, "a platform");
    strcpy(b->info.arch, "sm_90");
    b->info.compute_units = 132;
    b->info.local_bytes = 65536;
    b->program.backend = "opencl";
    b->program.info = &b->info;
    b->program.program = "num";
    b->program.text_hash = UINT64_C(0x123456789abcdef0);
    b->program.defines = defines;
    b->program.define_count = 2;
    b->program.options = "-cl-std=CL1.2";
    b->program.compiler = "a compiler 1.0";
}

static int load(bench *b)
{
    return padici_cache_load(&b->env, b->key.space, &b->kind, &b->payload, &b->size);
}

static void done(bench *b)
{
    padici_cache_free(&b->env, b->payload, b->size);
}

static void store(bench *b, uint32_t kind, const void *payload, size_t size)
{
    padici_cache_store(&b->env, b->key.space, kind, payload, size);
}

// The key has become another than `last`, in text and hash.
static void changed(bench *b, char last[33])
{
    char hash[33];
    CHECK(padici_cache_program_key(&b->key, &b->program));
    padici_cache_hash(b->key.space, hash);
    CHECK_EQ(strlen(hash), 32);
    CHECK_EQ(strspn(hash, "0123456789abcdef"), 32);
    CHECK(strcmp(hash, last) != 0);
    strcpy(last, hash);
}

TEST(key_fields)
{
    static const char *const swapped[] = {"PD_NUM_FORM=2", "PD_WG=128"};
    static const char *const joined[] = {"PD_WG=128\ndefine PD_NUM_FORM=2"};
    char last[33] = "", first[33];
    static char wide[2000];
    bench b;
    bench_begin(&b);
    changed(&b, last);
    strcpy(first, last);
    CHECK(strstr(b.key.space, "padic " PADIC_VERSION "\n") != NULL);
    CHECK(strstr(b.key.space, "define PD_WG=128\ndefine PD_NUM_FORM=2\n") != NULL);
    b.program.backend = "cuda", changed(&b, last);
    b.program.program = "wave", changed(&b, last);
    b.program.text_hash++, changed(&b, last);
    b.program.defines = swapped, changed(&b, last);
    b.program.define_count = 1, changed(&b, last);
    b.program.defines = joined, changed(&b, last); // a line end cannot make another field
    CHECK(strstr(b.key.space, "define PD_WG=128 define PD_NUM_FORM=2\n") != NULL);
    b.program.options = "-cl-std=CL2.0", changed(&b, last);
    b.program.compiler = "a compiler 1.1", changed(&b, last);
    strcpy(b.info.platform, "other"), changed(&b, last);
    strcpy(b.info.vendor, "other"), changed(&b, last);
    strcpy(b.info.name, "other"), changed(&b, last);
    strcpy(b.info.driver, "other"), changed(&b, last);
    strcpy(b.info.arch, "other"), changed(&b, last);
    b.info.compute_units++, changed(&b, last);
    b.info.local_bytes++, changed(&b, last);
    bench_begin(&b);
    changed(&b, last);
    CHECK(!strcmp(last, first)); // and the same again
    memset(wide, 'x', sizeof wide - 1);
    b.program.options = wide;
    CHECK(!padici_cache_program_key(&b.key, &b.program)); // does not fit: not cached
}

TEST(stored_and_found)
{
    static const unsigned char payload[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0};
    bench b;
    bench_begin(&b);
    padici_cache_program_key(&b.key, &b.program);
    CHECK(!load(&b));
    CHECK(b.stats.cache_misses == 1 && b.stats.cache_hits == 0 && b.stats.cache_bad == 0);
    store(&b, PADICI_CACHE_CUBIN, payload, sizeof payload);
    CHECK_EQ(b.shelf.stores, 1);
    CHECK(!memcmp(b.shelf.blob, "PADC\1\0\0\0\1\0\0\0", 12)); // the same on every machine
    REQUIRE(load(&b));
    CHECK_EQ(b.kind, PADICI_CACHE_CUBIN);
    CHECK_EQ(b.size, sizeof payload);
    CHECK(!memcmp(b.payload, payload, sizeof payload));
    done(&b);
    CHECK(b.stats.cache_misses == 1 && b.stats.cache_hits == 1 && b.stats.cache_bad == 0);
    padici_cache_bad(&b.env); // the driver refused it
    CHECK_EQ(b.stats.cache_bad, 1);

    store(&b, PADICI_CACHE_PTX, NULL, 0); // an empty payload is one
    REQUIRE(load(&b));
    CHECK(b.kind == PADICI_CACHE_PTX && b.size == 0);
    done(&b);

    b.env.stats = NULL; // nobody counts
    REQUIRE(load(&b));
    done(&b);
    padici_cache_bad(&b.env);
    b.cache.load = NULL;
    b.cache.store = NULL;
    CHECK(!load(&b));
    store(&b, PADICI_CACHE_PTX, payload, 1);
    b.env.cache = NULL;
    CHECK(!load(&b));
    store(&b, PADICI_CACHE_PTX, payload, 1);
    CHECK_EQ(b.shelf.stores, 2);
}

TEST(damage)
{
    unsigned char payload[100], whole[2048];
    bench b, other;
    size_t size, i;
    uint64_t bad = 0;
    for (i = 0; i < sizeof payload; i++) payload[i] = (unsigned char)test_random();
    bench_begin(&b);
    padici_cache_program_key(&b.key, &b.program);
    store(&b, PADICI_CACHE_OPENCL, payload, sizeof payload);
    size = b.shelf.size;
    REQUIRE(size < sizeof whole);
    memcpy(whole, b.shelf.blob, size);
    for (i = 0; i < size; i++) { // every byte, a bit of it
        b.shelf.blob[i] ^= (unsigned char)(1u << test_random() % 8);
        CHECK(!load(&b));
        CHECK(b.payload == NULL && b.size == 0);
        CHECK_EQ(b.stats.cache_bad, ++bad);
        CHECK_EQ(b.stats.cache_misses, bad);
        b.shelf.blob[i] = whole[i];
    }
    for (b.shelf.size = 0; b.shelf.size < size; b.shelf.size++) { // every length
        CHECK(!load(&b));
        CHECK_EQ(b.stats.cache_bad, ++bad);
    }
    b.shelf.size = size + 1; // and one byte more
    CHECK(!load(&b));
    b.shelf.size = size;
    b.shelf.grow = 5; // it grew between the two questions
    CHECK(!load(&b));
    b.shelf.grow = 0;
    REQUIRE(load(&b)); // whole again
    done(&b);

    // Another key whose hash is the same: the text decides.
    bench_begin(&other);
    other.program.text_hash++;
    padici_cache_program_key(&other.key, &other.program);
    other.shelf = b.shelf;
    padici_cache_hash(other.key.space, other.shelf.key);
    CHECK(!load(&other));
    CHECK_EQ(other.stats.cache_bad, 1);
    CHECK_EQ(other.stats.cache_misses, 1);
}

TEST(noise)
{
    bench b;
    bench_begin(&b);
    padici_cache_program_key(&b.key, &b.program);
    padici_cache_hash(b.key.space, b.shelf.key);
    for (int round = 0; round < (test_tiny ? 200 : 5000); round++) {
        b.shelf.size = test_random() % 200;
        for (size_t i = 0; i < b.shelf.size; i++) b.shelf.blob[i] = (unsigned char)test_random();
        if (round & 1 && b.shelf.size >= 12)
            memcpy(b.shelf.blob, "PADC\1\0\0\0\1\0\0\0", 12);
        CHECK(!load(&b));
    }
    CHECK_EQ(b.stats.cache_bad, test_tiny ? 200 : 5000);
}

typedef struct few { // an allocator whose n-th call fails
    int calls, fail_at, live;
} few;

static void *few_alloc(size_t size, size_t align, void *user)
{
    few *f = (few *)user;
    if (++f->calls == f->fail_at) return NULL;
    f->live++;
    return padici_alloc(NULL, size, align);
}

static void few_free(void *p, size_t size, void *user)
{
    ((few *)user)->live--;
    padici_free(NULL, p, size);
}

TEST(no_memory)
{
    few f = PADIC_ZERO;
    padic_allocator hook = PADIC_ZERO;
    bench b;
    hook.alloc = few_alloc;
    hook.free = few_free;
    hook.user = &f;
    bench_begin(&b);
    b.env.allocator = &hook;
    padici_cache_program_key(&b.key, &b.program);
    f.fail_at = 1;
    store(&b, PADICI_CACHE_PTX, "x", 1);
    CHECK_EQ(b.shelf.stores, 0);
    store(&b, PADICI_CACHE_PTX, "x", 1);
    CHECK_EQ(b.shelf.stores, 1);
    for (int at = 1; at <= 2; at++) { // the blob, the payload
        f.calls = 0;
        f.fail_at = at;
        CHECK(!load(&b));
        CHECK_EQ(f.live, 0);
        CHECK_EQ(b.stats.cache_misses, at);
    }
    f.calls = 0;
    f.fail_at = 3;
    REQUIRE(load(&b));
    CHECK(b.size == 1 && *(const char *)b.payload == 'x');
    done(&b);
    CHECK_EQ(f.live, 0);
    CHECK_EQ(b.stats.cache_bad, 0); // nothing is wrong with the entry
}

#define KEY "0123456789abcdef0123456789abcdef"
#ifdef _WIN32
#define FOLDER "."
#else
#include <dirent.h>
#define FOLDER "test_cache_folder" // the hook makes it
#endif

TEST(directory)
{
    const padic_cache good = padic_cache_directory(FOLDER), bad = padic_cache_directory("no/such");
    const char *name = FOLDER "/" KEY ".padic", *key = KEY;
    char long_path[1200], data[16];
    size_t size = 99;
    remove(name);
    CHECK(!(*good.load)(key, NULL, &size, good.user));
    (*good.store)(key, "hello", 5, good.user);
    CHECK((*good.load)(key, NULL, &size, good.user));
    CHECK_EQ(size, 5);
    size = 4; // too small a space
    CHECK(!(*good.load)(key, data, &size, good.user));
    size = sizeof data;
    CHECK((*good.load)(key, data, &size, good.user));
    CHECK(size == 5 && !memcmp(data, "hello", 5));
    (*good.store)(key, "longer than that", 16, good.user); // replaces
    CHECK((*good.load)(key, NULL, &size, good.user));
    CHECK_EQ(size, 16);
    CHECK_EQ(remove(name), 0);
    (*bad.store)(key, "hello", 5, bad.user); // nowhere to write: nothing happens
    CHECK(!(*bad.load)(key, NULL, &size, bad.user));
    memset(long_path, 'a', sizeof long_path - 1);
    long_path[sizeof long_path - 1] = 0;
    const padic_cache deep = padic_cache_directory(long_path);
    (*deep.store)(key, "hello", 5, deep.user);
    CHECK(!(*deep.load)(key, NULL, &size, deep.user));
    const padic_cache none = padic_cache_directory(NULL);
    (*none.store)(key, "hello", 5, none.user);
    CHECK(!(*none.load)(key, NULL, &size, none.user));
    CHECK(padic_cache_refusal(NULL) != NULL);
}

#ifdef _WIN32
TEST(whose) {}
TEST(entries) {}
#else
static int found(const padic_cache *cache)
{
    char data[16];
    size_t size = sizeof data;
    const int asked = (*cache->load)(KEY, NULL, &size, cache->user);
    size = sizeof data;
    CHECK_EQ((*cache->load)(KEY, data, &size, cache->user), asked);
    return asked;
}

static unsigned mode_of(const char *path)
{
    struct stat s;
    return stat(path, &s) ? 0 : (unsigned)s.st_mode & 07777;
}

static int files_in(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    int n = 0;
    while (folder && (entry = readdir(folder)) != NULL) n += entry->d_name[0] != '.';
    if (folder) closedir(folder);
    return n;
}

// A directory that others own or may write is neither read nor written, and says why.
TEST(whose)
{
    const padic_cache cache = padic_cache_directory(FOLDER);
    const mode_t before = umask(0);
    remove(FOLDER "/" KEY ".padic");
    remove(FOLDER);
    CHECK(padic_cache_refusal(FOLDER) == NULL);
    CHECK(!found(&cache));
    (*cache.store)(KEY, "hello", 5, cache.user);
    CHECK_EQ(mode_of(FOLDER), 0700);
    CHECK_EQ(mode_of(FOLDER "/" KEY ".padic"), 0600);
    umask(before);
    CHECK(found(&cache));
    for (unsigned mode = 0; mode < 64; mode++) {
        const int safe = !(mode & 022);
        CHECK_EQ(chmod(FOLDER, 0700 | mode), 0);
        CHECK_EQ(padic_cache_refusal(FOLDER) == NULL, safe);
        CHECK_EQ(found(&cache), safe);
        remove(FOLDER "/" KEY ".padic");
        (*cache.store)(KEY, "hello", 5, cache.user);
        CHECK_EQ(files_in(FOLDER), safe);
        CHECK_EQ(chmod(FOLDER, 0700), 0);
        (*cache.store)(KEY, "hello", 5, cache.user);
        CHECK(found(&cache));
    }
    if (!geteuid()) { // the only one who can give things away
        CHECK_EQ(chown(FOLDER, 65534, 65534), 0);
        CHECK(!found(&cache));
        (*cache.store)("ffff", "hello", 5, cache.user);
        CHECK_EQ(files_in(FOLDER), 1);
        CHECK(padic_cache_refusal(FOLDER) != NULL);
        CHECK_EQ(chown(FOLDER, 0, 0), 0);
        CHECK(found(&cache));
    } else {
        CHECK(padic_cache_refusal("/") != NULL);
    }
    CHECK(padic_cache_refusal(FOLDER "/" KEY ".padic") != NULL); // no directory
}

// What lies there and is no file of the user's own is a miss, and is never written through.
TEST(entries)
{
    const padic_cache cache = padic_cache_directory(FOLDER);
    const char *name = FOLDER "/" KEY ".padic", *other = FOLDER "/other";
    char data[16];
    size_t size = sizeof data;
    FILE *file;
    remove(name);
    remove(other);
    (*cache.store)(KEY, "hello", 5, cache.user);
    CHECK(found(&cache));
    CHECK_EQ(chmod(name, 0620), 0); // others may have written it
    CHECK(!found(&cache));
    CHECK_EQ(chmod(name, 0602), 0);
    CHECK(!found(&cache));
    (*cache.store)(KEY, "hello", 5, cache.user); // replaced by one that is not so
    CHECK(found(&cache));
    CHECK_EQ(mode_of(name) & 022, 0);
    if (!geteuid()) {
        CHECK_EQ(chown(name, 65534, 65534), 0);
        CHECK(!found(&cache));
    }

    CHECK_EQ(rename(name, other), 0);
    CHECK_EQ(chown(other, geteuid(), getegid()), 0);
    CHECK_EQ(symlink("other", name), 0);
    CHECK(!found(&cache)); // a link
    (*cache.store)(KEY, "longer", 6, cache.user);
    CHECK(found(&cache)); // the link went, what it led to did not
    file = fopen(other, "rb");
    REQUIRE(file != NULL);
    CHECK(fread(data, 1, sizeof data, file) == 5 && !memcmp(data, "hello", 5));
    fclose(file);

    // Where a temporary file was to be made there is a link, a file: neither is written.
    remove(name);
    CHECK_EQ(symlink("other", name), 0);
    CHECK_EQ(padici_cache_write_file(name, "evil!", 5), -1);
    CHECK_EQ(padici_cache_write_file(other, "evil!", 5), -1);
    file = fopen(other, "rb");
    REQUIRE(file != NULL);
    CHECK(fread(data, 1, sizeof data, file) == 5 && !memcmp(data, "hello", 5));
    fclose(file);
    remove(name);
    CHECK_EQ(symlink("nowhere", name), 0);
    CHECK_EQ(padici_cache_write_file(name, "evil!", 5), -1);
    CHECK(fopen(FOLDER "/nowhere", "rb") == NULL);

    remove(name);
    CHECK_EQ(mkfifo(name, 0600), 0); // nobody will ever write into it
    CHECK(!found(&cache));
    remove(name);
    CHECK_EQ(mkdir(name, 0700), 0);
    CHECK(!found(&cache));
    (*cache.store)(KEY, "hello", 5, cache.user);
    CHECK_EQ(files_in(FOLDER), 2); // the folder in the way, `other`, no temporary file
    CHECK_EQ(remove(name), 0);

    uint64_t length = 0;
    const int number = padici_cache_open(other, &length);
    CHECK(number >= 0 && length == 5);
    CHECK(fcntl(number, F_GETFD) & FD_CLOEXEC); // no child has it
    close(number);
    file = fopen(other, "wb"); // empty: no entry
    REQUIRE(file != NULL);
    fclose(file);
    CHECK_EQ(rename(other, name), 0);
    CHECK(!(*cache.load)(KEY, data, &size, cache.user));
    CHECK_EQ(remove(name), 0);
    CHECK_EQ(remove(FOLDER), 0);
}
#endif

TEST_MAIN("test_cache", CASE(key_fields), CASE(stored_and_found), CASE(damage), CASE(noise),
          CASE(no_memory), CASE(directory), CASE(whose), CASE(entries))
