// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/gpu_readings.h"
#include "machine/process_usage.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace sparserl {

/// The sources of a sampler. The defaults are this process and this machine.
struct SystemSources
{
    ProcessSource processes;
    std::filesystem::path disk; ///< A path on the disk whose free space is sampled, or empty.
    std::filesystem::path nvml; ///< For tests: a file that replaces the driver's library.
};

/// The state of a process and its machine at one moment.
struct SystemSample
{
    double at = 0; ///< The value of monotonicSeconds().
    std::optional<ProcessUsage> processes;
    std::optional<std::int64_t> freeBytes;     ///< Free memory of the machine.
    std::optional<std::int64_t> diskFreeBytes; ///< Disk space available to this user.
    std::vector<GpuReading> gpus;
};

/// Takes samples. Without GPUs, a sample takes far less than a millisecond (0.04 ms measured).
class SystemSampler
{
public:
    /// Opens the driver's library if it exists. This takes a moment on a machine with GPUs.
    explicit SystemSampler(SystemSources sources);
    SystemSample sample() const;

private:
    SystemSources m_sources;
    std::optional<GpuReadings> m_gpus;
};

/// A summary of the samples between two moments: the mean of fluctuating quantities, the maximum of used
/// memory, the minimum of free memory and disk space.
struct SystemUse
{
    double seconds = 0; ///< The time from the first to the last sample.
    /// Cores used by the process and its descendants. Missing if `seconds` is 0.
    std::optional<double> cores;
    std::optional<double> readPerSecond, writtenPerSecond; ///< Bytes.
    ProcessUsage processes; ///< The maximum of each amount of memory, and the final value of each counter.
    std::optional<std::int64_t> freeBytes, diskFreeBytes;
    std::vector<GpuReading> gpus; ///< memoryUsed is the maximum, all other values are means.
    std::size_t samples = 0;      ///< Number of samples; 0: nothing is known.
};

/// Summarises samples.
class SystemAccount
{
public:
    void add(const SystemSample& sample);
    /// Returns a summary of the samples since the last call. Rates start at the last sample before that call.
    SystemUse take();

private:
    std::optional<SystemSample> m_from, m_last; ///< Rates are computed from their difference.
    SystemUse m_use;
    std::vector<std::vector<GpuReading>> m_gpus; ///< The readings of each sample.
};

} // namespace sparserl
