#include "../context/messages.h"
#include "mera_scaling.h"
#include "mera_state.h"
#include "mera_fields.h"
#include "mera_random.h"
#include "mera_update.h"
#include "mera_layer.h"
#include "../context/state.h"
#include "../core/platform.h"

#if PADICI_IMPLEMENT_TENSOR

// The public calls.

#define PADICI_TENSOR_MERA_ENTRY(name) \
    PADIC_API padic_result padic_tensor_mera_##name(padic_context *context, \
                                                    const padic_tensor_mera_##name##_desc *desc) \
    { \
        const char *before = padici_enter(context, "tensor_mera_" #name); \
        const padic_result result = \
            desc ? padici_tensor_mera_##name(context, desc) \
                 : padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL"); \
        padici_leave(context, before); \
        return result; \
    }

PADICI_TENSOR_MERA_ENTRY(ascend)

PADICI_TENSOR_MERA_ENTRY(descend)

PADICI_TENSOR_MERA_ENTRY(expect)

PADICI_TENSOR_MERA_ENTRY(fixed_point)

PADICI_TENSOR_MERA_ENTRY(environment)

PADICI_TENSOR_MERA_ENTRY(update)

PADICI_TENSOR_MERA_ENTRY(random)

PADICI_TENSOR_MERA_ENTRY(check)

PADICI_TENSOR_MERA_ENTRY(state)

PADICI_TENSOR_MERA_ENTRY(scaling)

#undef PADICI_TENSOR_MERA_ENTRY

#endif
