// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// The side where a run works: `sparserl remote serve RUN`, started by ssh for each connection. Tells over
/// `output` what is new in the run's folder, piece by piece, takes commands from `input`, starts a worker
/// when it is asked to, and ends with its input; the worker does not. Reads the folder only, but for
/// control.jsonl.
struct ServeOptions
{
    std::filesystem::path run;
    std::filesystem::path program; ///< sparserl, to start the worker with.
    std::string version;
    int input = 0, output = 1;
    CancelToken cancel;
};
Status serveRun(const ServeOptions& options);

} // namespace sparserl
