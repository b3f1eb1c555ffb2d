// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/gpu_readings.h"
#include "machine/process_usage.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace sparserl {

/// Where a sampler looks: the defaults are this process and this machine.
struct SystemSources
{
    ProcessSource processes;
    std::filesystem::path disk; ///< The disk that holds it is asked for its free space; empty: none is.
    std::filesystem::path nvml; ///< Another file than the driver's library, for tests.
};

/// What a process and its machine do at one moment.
struct SystemSample
{
    double at = 0; ///< Seconds of monotonicSeconds().
    std::optional<ProcessUsage> processes;
    std::optional<std::int64_t> freeBytes;     ///< Memory of the machine.
    std::optional<std::int64_t> diskFreeBytes; ///< As this user may fill them.
    std::vector<GpuReading> gpus;
};

/// Takes samples; one costs well below a millisecond without GPUs: 0.04 ms measured.
class SystemSampler
{
public:
    /// Opens the driver's library where there is one, which takes a moment on a machine with GPUs.
    explicit SystemSampler(SystemSources sources);
    SystemSample sample() const;

private:
    SystemSources m_sources;
    std::optional<GpuReadings> m_gpus;
};

/// What samples say of the time between two moments: of what goes up and down the mean, of memory in use the
/// most, of what is left the least.
struct SystemUse
{
    double seconds = 0;          ///< From the first to the last of its samples.
    std::optional<double> cores; ///< Busy for the process and its descendants; missing over no time.
    std::optional<double> readPerSecond, writtenPerSecond; ///< Bytes.
    ProcessUsage processes; ///< Memory: the most of each; what is counted up: at the end.
    std::optional<std::int64_t> freeBytes, diskFreeBytes;
    std::vector<GpuReading> gpus; ///< memoryUsed is the most, all else the mean.
    std::size_t samples = 0;      ///< That it was made of; 0: nothing is known.
};

/// Sums up samples.
class SystemAccount
{
public:
    void add(const SystemSample& sample);
    /// Of the samples since it was called last; rates go from the last sample of before.
    SystemUse take();

private:
    std::optional<SystemSample> m_from, m_last; ///< What rates are the difference of.
    SystemUse m_use;
    std::vector<std::vector<GpuReading>> m_gpus; ///< By sample.
};

} // namespace sparserl
