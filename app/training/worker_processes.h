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

/// Processes 1 to N - 1 of a run, children of process 0: they end with it. Must be started on the main
/// thread, whose end is theirs.
class WorkerProcesses
{
public:
    struct Options
    {
        std::filesystem::path program, run;
        int count = 2;      ///< Process 0 included.
        int port = 0;       ///< Where process 0 waits for them.
        std::string secret; ///< By which they know each other (ProcessPlace).
        double patience = 300;
        std::function<void(int rank, std::string_view line)> onLine; ///< What one prints. From a thread.
        /// One has ended in another way than by having done its work; a sentence. From a thread.
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

    std::unique_ptr<std::vector<Worker>> m_workers; ///< Goes after the thread that watches it.
    std::jthread m_watcher;
};

} // namespace sparserl::cli
