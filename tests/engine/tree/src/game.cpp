// game.cpp: C++17 without exceptions and RTTI; hooks are lambdas.
#include "padic.h"
#include "padic_threads.h"

#include "checks.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string_view>

#ifndef STUDIO_VARIANT
#define STUDIO_VARIANT "game"
#endif

extern "C" const char *studio_audio(void); // audio.c

namespace studio {

struct Destroy {
    void operator()(padic_context *context) const { padic_context_destroy(context); }
};
using Context = std::unique_ptr<padic_context, Destroy>;

// Memory and messages of the context come through the studio's own hooks.
const char *hooks()
{
    static std::atomic<long> live{0};
    padic_context_desc desc = PADIC_ZERO;
    desc.allocator.alloc = [](std::size_t size, std::size_t align, void *user) -> void * {
        static_cast<std::atomic<long> *>(user)->fetch_add(1);
        return align <= alignof(std::max_align_t) ? std::malloc(size)
                                                  : std::aligned_alloc(align, (size + align - 1) /
                                                                                  align * align);
    };
    desc.allocator.free = [](void *pointer, std::size_t, void *user) {
        static_cast<std::atomic<long> *>(user)->fetch_sub(1);
        std::free(pointer);
    };
    desc.allocator.user = &live;
    padic_context *made = nullptr;
    if (padic_context_create(&desc, &made)) return "create";
    {
        Context context(made);
        if (!studio_product(context.get())) return "product with hooks";
        if (live.load() <= 0) return "allocator hook not asked";
        if (auto text = std::string_view(padic_result_text(PADIC_ERROR_PRIME)); text.empty())
            return "text";
    }
    return live.load() ? "context leaked" : nullptr;
}

} // namespace studio

int main()
{
    const char *failed = studio_check();
    if (!failed) failed = studio_audio();
    if (!failed) failed = studio::hooks();
    return studio_report(STUDIO_VARIANT, failed);
}
