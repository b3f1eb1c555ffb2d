// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/policy_facts.h"
#include "training/parameters/stage_parameters.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sparserl {

/// The memory of a device, in bytes.
struct DeviceMemory
{
    std::optional<int> gpu; ///< Number of the GPU; nullopt: the machine's own memory.
    double total = 0;
    double free = 0; ///< What other programs leave.
};

/// Returns the memory of the device that `device` (the parameter of this name) chooses: of a GPU by the
/// number that the driver gives it, or of the machine. "auto" chooses the first GPU if there is one. Returns
/// nullopt if nobody reports the memory. Tests pass a file in place of the system's NVML as `nvml`.
std::optional<DeviceMemory> deviceMemory(const std::string& device, const std::filesystem::path& nvml = {});

enum class MemoryFit
{
    Fits,
    NotNow, ///< Only if other programs give memory back.
    Never   ///< The device has less.
};
MemoryFit memoryFit(double bytes, const DeviceMemory& device);

/// Returns parameters with which a stage needs at most `bytes` for its policy, and which do not change what
/// is learned, apart from rounding: as few as possible, with their values. Returns none if nothing suffices.
std::vector<std::pair<std::string, std::string>> memorySavings(StageKind kind, const ParameterSet& parameters,
                                                               const PolicyFacts& policy, double bytes);

/// Returns a sentence about a stage that does not fit into the memory of a device, for the terminal; empty if
/// it fits.
std::string memoryWarning(StageKind kind, const ParameterSet& parameters, const PolicyFacts& policy,
                          const DeviceMemory& device);

} // namespace sparserl
