// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// The rank of this process among several, and their meeting point.
struct ProcessPlace
{
    int rank = 0, size = 1;
    int localRank = 0, localSize = 1; ///< Rank and number of processes on this machine.
    std::string address = "127.0.0.1";
    int port = 0; ///< Port of process 0. 0: any free port, only for process 0.
    bool isHosted =
        false; ///< The program that started the processes keeps the meeting place (torchrun's agent).
    std::string keyPrefix{}; ///< Prefix of its keys.
    /// A secret common to all processes of the run, with which they authenticate one another.
    std::string secret{};
};

/// The value of an environment variable; nullopt if it is not set.
using EnvironmentReader = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> readEnvironment(const char* name);

/// Reads torchrun's variables (RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT), or,
/// if RANK is missing, those of a step started with srun (SLURM_PROCID, SLURM_STEP_NUM_TASKS, SLURM_LOCALID).
/// nullopt for a process started alone. Fails if a value is missing or not a number.
Result<std::optional<ProcessPlace>> placeFromEnvironment(const EnvironmentReader& read = readEnvironment);

/// The variable with which the first process passes the secret to the others.
inline constexpr const char* joinSecretVariable = "SPARSERL_JOIN_SECRET";
/// The secret of externally started processes: their own secret if set; otherwise derived from the run's name
/// in torchrun or srun, the number of processes, and the command line `words`, which is the same for all.
std::string secretOf(const ProcessPlace& place, std::vector<std::string> words,
                     const EnvironmentReader& read = readEnvironment);

/// The number of cores for a process of this machine: those in its affinity mask, or its part of all.
int coresOf(int localSize);

} // namespace sparserl
