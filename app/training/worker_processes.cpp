// SPDX-License-Identifier: Apache-2.0
#include "app/training/worker_processes.h"

#include "app/cli/commands.h"
#include "training/work/process_place.h"

#include <array>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

namespace sparserl::cli {

namespace {

/// Gives the whole lines of what a pipe has to `line`; false at its end.
bool readLines(int fd, std::string& rest, const std::function<void(std::string_view)>& line)
{
    std::array<char, 4096> buffer{};
    const auto n = ::read(fd, buffer.data(), buffer.size());
    if (n <= 0)
        return n < 0 && errno == EINTR;
    rest.append(buffer.data(), static_cast<std::size_t>(n));
    for (std::size_t end; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1))
        line(std::string_view(rest).substr(0, end));
    return true;
}

} // namespace

Result<WorkerProcesses> WorkerProcesses::start(const Options& options)
{
    WorkerProcesses all;
    all.m_workers = std::make_unique<std::vector<Worker>>();
    for (int rank = 1; rank < options.count; ++rank) {
        SpawnOptions spawning;
        spawning.argv = {options.program.string(), "worker", options.run.string(), "--join-seconds",
                         fmt::format("{}", options.patience)};
        spawning.output = spawning.error = StreamEnd::pipe();
        spawning.dieWithParent = true;
        spawning.extraEnvironment = {{"RANK", std::to_string(rank)},
                                     {"LOCAL_RANK", std::to_string(rank)},
                                     {"WORLD_SIZE", std::to_string(options.count)},
                                     {"LOCAL_WORLD_SIZE", std::to_string(options.count)},
                                     {"MASTER_ADDR", "127.0.0.1"},
                                     {"MASTER_PORT", std::to_string(options.port)},
                                     {joinSecretVariable, options.secret},
                                     {"TORCHELASTIC_USE_AGENT_STORE", ""}};
        SPARSERL_TRY(auto process, spawn(spawning));
        all.m_workers->push_back({std::move(process), rank, {}, {}, false});
    }
    all.m_watcher = std::jthread([workers = all.m_workers.get(), options](const std::stop_token& stop) {
        watch(stop, *workers, options);
    });
    return all;
}

void WorkerProcesses::watch(const std::stop_token& stop, std::vector<Worker>& workers, const Options& options)
{
    while (!stop.stop_requested()) {
        std::vector<pollfd> ready;
        std::vector<std::pair<Worker*, bool>> of; ///< Worker, and whether it is its error stream.
        for (auto& worker : workers) {
            for (const bool error : {false, true}) {
                ready.push_back({error ? worker.process.errorFd() : worker.process.outputFd(), POLLIN, 0});
                of.emplace_back(&worker, error);
            }
        }
        if (::poll(ready.data(), ready.size(), 100) < 0)
            continue;
        for (std::size_t i = 0; i < ready.size(); ++i) {
            auto* const worker = of[i].first;
            const bool error = of[i].second;
            if ((ready[i].revents & (POLLIN | POLLHUP)) != 0 && !worker->ended)
                readLines(ready[i].fd, error ? worker->error : worker->output,
                          [&](std::string_view line) { options.onLine(worker->rank, line); });
        }
        bool alive = false;
        for (auto& worker : workers) {
            const auto status = worker.ended ? std::nullopt : worker.process.poll();
            if (status) {
                worker.ended = true;
                if (!status->ok() && (status->signalled || status->code != Interrupted))
                    options.onFailure(fmt::format("Process {} {}", worker.rank, status->sentence()));
            }
            alive = alive || !worker.ended;
        }
        if (!alive)
            return;
    }
}

} // namespace sparserl::cli
