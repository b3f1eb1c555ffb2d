// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/runner_gpu.h"

namespace sparserl {

/// A runner: untrusted work in a locked process. Started by the pool (evaluation/runners/runner_pool.h),
/// which talks to it over the socket; not for people. `openGpu` is used by the role cuda.
int runnerMain(int argc, char** argv, const OpenGpu& openGpu);

} // namespace sparserl
