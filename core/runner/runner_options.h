// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/gpu_sandbox.h"
#include "runner/sandbox.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// The program of the role oracle, beside sparserl-runner.
constexpr const char* oracleProgram = "sparserl-oracle";

/// The command line of a runner.
struct RunnerOptions
{
    std::string role;
    int socket = -1;
    std::uint64_t memoryMiB = 1024;
    int programs = 64; ///< Answers before the runner ends to be replaced.
    int gpu = 0;
    int sandbox = strictestGpuLock;   ///< Step of lockDownGpu.
    int tests = 2;                    ///< Of the GPU: before the lock, and after it.
    std::string tool;                 ///< What the roles disassemble and import become.
    std::vector<std::string> visible; ///< What the role import may read besides system libraries.
    int cpuSeconds = 60;              ///< Of the role import.
    SandboxMeans means;
    bool witness = false;    ///< Refused calls are counted.
    bool background = false; ///< Others of the pool come first.
    bool probe = false;      ///< Only say what locks there are.
};

/// Reads the command line. Returns the exit status if the program has nothing more to do: after --version,
/// and for a command line that is wrong, which it says.
std::optional<int> readRunnerOptions(int argc, char** argv, RunnerOptions& options);

/// Says what is wrong and how the program is called. Returns the exit status.
int runnerUsage(const std::string& problem);

} // namespace sparserl
