#pragma once
#include "../core/platform.h"
#include "net.h"

#ifndef PADIC_NO_RNN

// The calls of one step with the kernels of a backend.
PADICI_FN padic_result padici_rnn_gru_step_run(const padic_env *env,
                                               const padici_rnn_kernels *kernels,
                                               const padic_rnn_gru_step_desc *desc);
PADICI_FN padic_result padici_rnn_lstm_step_run(const padic_env *env,
                                                const padici_rnn_kernels *kernels,
                                                const padic_rnn_lstm_step_desc *desc);
PADICI_FN padic_result padici_rnn_linear_run(const padic_env *env,
                                             const padici_rnn_kernels *kernels,
                                             const padic_rnn_linear_desc *desc);

#endif
