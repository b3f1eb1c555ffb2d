// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// The rank of this process among the processes of a run, and the address where they meet.
struct ProcessPlace
{
    int rank = 0, size = 1;
    int localRank = 0, localSize = 1; ///< Rank among, and number of, the processes on this machine.
    std::string address = "127.0.0.1";
    int port = 0; ///< Port of process 0; there, 0 means any free port.
    bool isHosted =
        false; ///< Whether the program that started the processes hosts the store (torchrun's agent).
    std::string keyPrefix{}; ///< Prefix of the keys in the store.
    /// A secret that all processes of the run know, and with which they authenticate one another.
    std::string secret{};
};

/// Returns the value of an environment variable; nullopt if it is not set.
using EnvironmentReader = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> readEnvironment(const char* name);

/// Reads torchrun's variables (RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT) or,
/// if RANK is missing, those of a step started by srun (SLURM_PROCID, SLURM_STEP_NUM_TASKS, SLURM_LOCALID).
/// Returns nullopt for a process started alone. Fails if a value is missing or not a number.
Result<std::optional<ProcessPlace>> placeFromEnvironment(const EnvironmentReader& read = readEnvironment);

/// The variable with which the first process passes the secret to the others.
inline constexpr const char* joinSecretVariable = "SPARSERL_JOIN_SECRET";
/// Returns the secret of a process that another program started: the value of joinSecretVariable if it is
/// set, otherwise one derived from the run's name in torchrun or srun, the number of processes, and the
/// command line `words`, which is the same for all processes.
std::string secretOf(const ProcessPlace& place, std::vector<std::string> words,
                     const EnvironmentReader& read = readEnvironment);

/// Returns the number of cores for one of `localSize` processes on this machine: an equal part of all cores
/// or, if an affinity mask divides the cores among several processes already, those in the mask.
int coresOf(int localSize);

} // namespace sparserl
