// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// Options of serveRun().
struct ServeOptions
{
    std::filesystem::path run;
    std::filesystem::path program; ///< Path of sparserl, to start the worker.
    std::string version;
    int input = 0, output = 1;
    CancelToken cancel;
};
/// Serves a run on the machine that executes it: the work of `sparserl remote serve RUN`, which ssh starts
/// for each connection. Sends new data of the run's folder to `output` in pieces, takes commands from
/// `input`, and starts a worker on request. Returns when its input ends; the worker continues. Of the files
/// in the folder, it writes only control.jsonl.
Status serveRun(const ServeOptions& options);

} // namespace sparserl
