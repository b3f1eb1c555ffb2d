// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/gpu_sandbox.h"
#include "runner/sandbox.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// The program for the role oracle; it is in the same folder as sparserl-runner.
constexpr const char* oracleProgram = "sparserl-oracle";

/// The command line of a runner.
struct RunnerOptions
{
    std::string role;
    int socket = -1;
    std::uint64_t memoryMiB = 1024;
    int programs = 64; ///< Number of answers after which the runner exits and is replaced.
    int gpu = 0;
    int sandbox = strictestGpuLock;   ///< The step for lockDownGpu().
    int tests = 2;                    ///< Number of GPU tests: one before the lock and, if 2, one after it.
    std::string tool;                 ///< The program that the roles disassemble and import start.
    std::vector<std::string> visible; ///< Paths that the role import may read besides system libraries.
    int cpuSeconds = 60;              ///< CPU time limit of the role import.
    SandboxMeans means;
    bool witness = false;    ///< Counts refused calls.
    bool background = false; ///< Runs with a lower priority than other runners of the pool.
    bool probe = false;      ///< Only reports which locks this machine supports.
};

/// Reads the command line. Returns an exit status if the program should end: after --version, or after a
/// message about a wrong command line.
std::optional<int> readRunnerOptions(int argc, char** argv, RunnerOptions& options);

/// Prints the problem and the usage to standard error. Returns the exit status.
int runnerUsage(const std::string& problem);

} // namespace sparserl
