// api.h: everything that users see, in the order of the contents.
#pragma once
#include "core/api_version.h"
#include "core/api_config.h"
#include "core/api_types.h"
#include "core/api_result.h"
#include "core/api_hooks.h"

// With PADIC_STATIC the functions of an area that is switched off are declared, but not as static,
// which would have them defined.
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_CODEC)
#undef PADIC_API
#define PADIC_API extern
#endif
#include "codec/api.h"
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_CODEC)
#undef PADIC_API
#define PADIC_API PADICI_STATIC_API
#endif
#include "context/api.h"
#include "context/api_buffer.h"
#include "core/api_tensor.h"
#include "context/api_record.h"
#include "context/api_profile.h"
#include "core/api_philox.h"
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_NUM)
#undef PADIC_API
#define PADIC_API extern
#endif
#include "num/api.h"
#include "num/api_convert.h"
#include "num/api_series.h"
#include "num/api_exact.h"
#include "num/api_channels.h"
#include "num/api_tree.h"
#include "num/api_short.h"
#include "num/api_kernel.h"
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_NUM)
#undef PADIC_API
#define PADIC_API PADICI_STATIC_API
#endif
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_SPARSE)
#undef PADIC_API
#define PADIC_API extern
#endif
#include "sparse/api.h"
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_SPARSE)
#undef PADIC_API
#define PADIC_API PADICI_STATIC_API
#endif
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_SAMPLE)
#undef PADIC_API
#define PADIC_API extern
#endif
#include "sample/api.h"
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_SAMPLE)
#undef PADIC_API
#define PADIC_API PADICI_STATIC_API
#endif
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_WAVE)
#undef PADIC_API
#define PADIC_API extern
#endif
#include "wave/api.h"
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_WAVE)
#undef PADIC_API
#define PADIC_API PADICI_STATIC_API
#endif
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_TENSOR)
#undef PADIC_API
#define PADIC_API extern
#endif
#include "tensor/api.h"
#include "tensor/api_einsum.h"
#include "tensor/api_code.h"
#include "tensor/api_mera.h"
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_TENSOR)
#undef PADIC_API
#define PADIC_API PADICI_STATIC_API
#endif
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_FFT)
#undef PADIC_API
#define PADIC_API extern
#endif
#include "fft/api.h"
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_FFT)
#undef PADIC_API
#define PADIC_API PADICI_STATIC_API
#endif
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_CDT)
#undef PADIC_API
#define PADIC_API extern
#endif
#include "cdt/api.h"
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_CDT)
#undef PADIC_API
#define PADIC_API PADICI_STATIC_API
#endif
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_FIELD)
#undef PADIC_API
#define PADIC_API extern
#endif
#include "field/api.h"
#include "field/api_vortices.h"
#include "field/api_gft.h"
#include "field/api_legacy.h"
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_FIELD)
#undef PADIC_API
#define PADIC_API PADICI_STATIC_API
#endif
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_RNN)
#undef PADIC_API
#define PADIC_API extern
#endif
#include "rnn/api.h"
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_RNN)
#undef PADIC_API
#define PADIC_API PADICI_STATIC_API
#endif
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_ROLLOUT)
#undef PADIC_API
#define PADIC_API extern
#endif
#include "rollout/api.h"
#include "rollout/api_sampling.h"
#include "rollout/api_initial.h"
#include "rollout/api_metrics.h"
#include "rollout/api_run.h"
#include "rollout/api_single.h"
#include "rollout/api_plan.h"
#include "rollout/api_record.h"
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_ROLLOUT)
#undef PADIC_API
#define PADIC_API PADICI_STATIC_API
#endif
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_PQ)
#undef PADIC_API
#define PADIC_API extern
#endif
#include "pq/api.h"
#include "pq/api_lists.h"
#include "pq/api_plan.h"
#if defined(PADICI_STATIC_API) && defined(PADIC_NO_PQ)
#undef PADIC_API
#define PADIC_API PADICI_STATIC_API
#endif
#include "context/api_backend.h"
