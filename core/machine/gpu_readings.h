// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace sparserl {

/// The current state of a GPU. Values that the GPU does not report are missing: a MIG instance has no
/// utilisation, and some GPUs have no power meter.
struct GpuReading
{
    std::optional<double> utilisation; ///< The percentage of recent time in which a kernel ran.
    std::optional<double> memoryUsed;  ///< Bytes used by all processes.
    std::optional<double> memoryTotal; ///< Bytes.
    std::optional<double> watts;
    std::optional<double> celsius; ///< Temperature of the chip.
    std::optional<double> smClock; ///< MHz.
};

/// The GPUs of this machine, as reported by NVIDIA's management library (NVML), with its numbering. NVML
/// comes with the driver and is opened at run time.
class GpuReadings
{
public:
    /// Opens NVML. Tests pass a file as `library` to replace the system's libnvidia-ml.so.1. Fails if there
    /// is no driver or the driver does not answer, which is a normal state.
    static Result<GpuReadings> open(const std::filesystem::path& library = {});
    ~GpuReadings();
    GpuReadings(GpuReadings&&) noexcept;
    GpuReadings& operator=(GpuReadings&&) noexcept;

    /// Returns a reading for each GPU. The reading of a GPU that fails is empty.
    std::vector<GpuReading> read() const;

private:
    struct Library;
    explicit GpuReadings(std::unique_ptr<Library> library);
    std::unique_ptr<Library> m_library;
};

} // namespace sparserl
