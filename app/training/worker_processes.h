// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/subprocess.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace sparserl::cli {

/// Processes 1 to N - 1 of a run. They are children of process 0. Start them on the main thread, because they
/// end with the thread that starts them.
class WorkerProcesses
{
public:
    struct Options
    {
        std::filesystem::path program, run;
        int count = 2;      ///< Including process 0.
        int port = 0;       ///< Port of process 0.
        std::string secret; ///< Their common secret (ProcessPlace).
        double patience = 300;
        std::function<void(int rank, std::string_view line)> onLine; ///< Receives a line of output. Called
                                                                     ///< from a thread.
        /// Receives a sentence if a process ends abnormally. Called from a thread.
        std::function<void(const std::string& sentence)> onFailure;
    };
    static Result<WorkerProcesses> start(const Options& options);

private:
    struct Worker
    {
        Subprocess process;
        int rank = 0;
        std::string output, error; ///< Unfinished lines.
        bool ended = false;
    };
    static void watch(const std::stop_token& stop, std::vector<Worker>& workers, const Options& options);

    std::unique_ptr<std::vector<Worker>> m_workers; ///< Outlives the thread that watches it.
    std::jthread m_watcher;
};

} // namespace sparserl::cli
