// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// Which of several processes this one is, and where they meet.
struct ProcessPlace
{
    int rank = 0, size = 1;
    int localRank = 0, localSize = 1; ///< Among those of this machine.
    std::string address = "127.0.0.1";
    int port = 0; ///< Of process 0; 0: any free one, for process 0 alone.
    bool isHosted =
        false; ///< The program that started the processes keeps the meeting place (torchrun's agent).
    std::string keyPrefix{}; ///< Of the keys in it.
    /// What all processes of the run have in common, and no other run has: they prove it to each other.
    std::string secret{};
};

/// The value of an environment variable; nothing where it is not set.
using EnvironmentReader = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> readEnvironment(const char* name);

/// What the environment says: torchrun's variables (RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE,
/// MASTER_ADDR, MASTER_PORT), or those of a step that srun started (SLURM_PROCID, SLURM_STEP_NUM_TASKS,
/// SLURM_LOCALID) where RANK is missing. Nothing where the process was started by itself. Fails with a
/// sentence where something is missing or no number.
Result<std::optional<ProcessPlace>> placeFromEnvironment(const EnvironmentReader& read = readEnvironment);

/// What starts the others of a run gives them a secret in this variable.
inline constexpr const char* joinSecretVariable = "SPARSERL_JOIN_SECRET";
/// The secret of processes that somebody else started: their own one where they have it, else what torchrun
/// or srun call the run, their number, and the command line `words`, which is the same for all.
std::string secretOf(const ProcessPlace& place, std::vector<std::string> words,
                     const EnvironmentReader& read = readEnvironment);

/// How many cores a process of this machine may keep busy: those that it is bound to, or its part of all.
int coresOf(int localSize);

} // namespace sparserl
