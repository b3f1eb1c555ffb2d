// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/runner_gpu.h"

namespace sparserl {

/// The main function of a runner, which does untrusted work in a locked process. The pool
/// (evaluation/runners/runner_pool.h) starts it and communicates with it over the socket. It is not meant for
/// manual use. The role cuda opens its GPU with `openGpu`.
int runnerMain(int argc, char** argv, const OpenGpu& openGpu);

} // namespace sparserl
