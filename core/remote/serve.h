// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// The remote end of a connection, on the machine that executes a run: `sparserl remote serve RUN`, started
/// through ssh for each connection. Sends new data of the run's folder to `output` piece by piece, takes
/// commands from `input`, starts a worker on request, and ends when its input ends; the worker continues. In
/// the folder, it writes only control.jsonl.
struct ServeOptions
{
    std::filesystem::path run;
    std::filesystem::path program; ///< Path of sparserl, for starting the worker.
    std::string version;
    int input = 0, output = 1;
    CancelToken cancel;
};
Status serveRun(const ServeOptions& options);

} // namespace sparserl
