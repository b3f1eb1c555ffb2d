// SPDX-License-Identifier: Apache-2.0
#include "training/work/process_place.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <sched.h>
#include <thread>

namespace sparserl {

namespace {

Result<int> number(const EnvironmentReader& read, const char* name, std::optional<int> otherwise, int least,
                   int most)
{
    const auto text = read(name);
    if (!text || text->empty()) {
        if (otherwise)
            return *otherwise;
        return fail(
            fmt::format("the environment has no {}, which the other variables of several processes require",
                        name),
            "Start the processes by `sparserl train --nproc`, torchrun or srun (docs/several-"
            "processes.md), or unset RANK");
    }
    int value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size() || value < least || value > most)
        return fail(fmt::format("the environment variable {} is \"{}\", not a number from {} to {}", name,
                                *text, least, most),
                    "Start the processes by `sparserl train --nproc`, torchrun or srun");
    return value;
}

constexpr int mostProcesses = 65536;
constexpr int lastPort = 65535;

Result<ProcessPlace> torchrunPlace(const EnvironmentReader& read)
{
    ProcessPlace place;
    SPARSERL_TRY(place.size, number(read, "WORLD_SIZE", {}, 1, mostProcesses));
    SPARSERL_TRY(place.rank, number(read, "RANK", {}, 0, place.size - 1));
    SPARSERL_TRY(place.localSize, number(read, "LOCAL_WORLD_SIZE", 1, 1, place.size));
    SPARSERL_TRY(place.localRank, number(read, "LOCAL_RANK", 0, 0, mostProcesses));
    place.address = read("MASTER_ADDR").value_or("");
    if (place.address.empty())
        return fail("the environment has no MASTER_ADDR, the host of process 0", "Set it, or use torchrun");
    SPARSERL_TRY(place.port, number(read, "MASTER_PORT", {}, 1, lastPort));
    if (read("TORCHELASTIC_USE_AGENT_STORE").value_or("") == "True") {
        place.isHosted = true;
        place.keyPrefix = "/worker/attempt_" + read("TORCHELASTIC_RESTART_COUNT").value_or("0");
    }
    return place;
}

/// srun tells a rank and a size, but not where to meet. On one host that is found here.
Result<ProcessPlace> slurmPlace(const EnvironmentReader& read)
{
    ProcessPlace place;
    SPARSERL_TRY(place.size, number(read, "SLURM_STEP_NUM_TASKS", {}, 1, mostProcesses));
    SPARSERL_TRY(place.rank, number(read, "SLURM_PROCID", {}, 0, place.size - 1));
    SPARSERL_TRY(place.localRank, number(read, "SLURM_LOCALID", 0, 0, mostProcesses));
    SPARSERL_TRY(const int nodes, number(read, "SLURM_STEP_NUM_NODES", 1, 1, mostProcesses));
    place.localSize = std::max(1, place.size / nodes);
    place.address = read("MASTER_ADDR").value_or(nodes == 1 ? "127.0.0.1" : "");
    if (place.address.empty())
        return fail("the step has several hosts, and the environment has no MASTER_ADDR, that of process 0",
                    "Set it in the batch script: export MASTER_ADDR=$(scontrol show hostnames "
                    "\"$SLURM_JOB_NODELIST\" | head -n 1)");
    // Jobs that share a host, and steps of a job, have numbers close to each other.
    SPARSERL_TRY(const int job, number(read, "SLURM_JOB_ID", 0, 0, 1 << 30));
    SPARSERL_TRY(const int step, number(read, "SLURM_STEP_ID", 0, 0, 1 << 20));
    SPARSERL_TRY(place.port, number(read, "MASTER_PORT", 20000 + (job + 97 * step) % 20000, 1, lastPort));
    return place;
}

} // namespace

std::optional<std::string> readEnvironment(const char* name)
{
    const char* value = std::getenv(name);
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

Result<std::optional<ProcessPlace>> placeFromEnvironment(const EnvironmentReader& read)
{
    if (read("RANK")) {
        SPARSERL_TRY(auto place, torchrunPlace(read));
        return std::optional(std::move(place));
    }
    // A batch script has a SLURM_PROCID too; only srun's steps count their tasks.
    if (read("SLURM_PROCID") && read("SLURM_STEP_NUM_TASKS")) {
        SPARSERL_TRY(auto place, slurmPlace(read));
        if (place.size > 1)
            return std::optional(std::move(place));
    }
    return std::optional<ProcessPlace>();
}

std::string secretOf(const ProcessPlace& place, std::vector<std::string> words, const EnvironmentReader& read)
{
    if (const auto own = read(joinSecretVariable); own && !own->empty())
        return *own;
    std::string all = std::to_string(place.size);
    for (const char* name : {"TORCHELASTIC_RUN_ID", "SLURM_JOB_ID", "SLURM_STEP_ID"})
        all += "\n" + read(name).value_or(std::string());
    // How long one waits is its own affair.
    if (const auto patience = std::find(words.begin(), words.end(), "--join-seconds");
        patience != words.end())
        words.erase(patience, std::min(patience + 2, words.end()));
    for (const std::string& word : words)
        all += "\n" + word;
    return all;
}

int coresOf(int localSize)
{
    const int all = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    cpu_set_t set;
    CPU_ZERO(&set);
    const int bound = ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : all;
    // srun binds each task to its own cores; then they are divided already.
    return bound < all && localSize > 1 ? std::max(1, bound) : std::max(1, all / std::max(1, localSize));
}

} // namespace sparserl
