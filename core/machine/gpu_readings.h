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
    std::optional<double> utilisation; ///< Percentage of recent time during which any kernel ran.
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
    /// `library`: a file to use instead of the system's libnvidia-ml.so.1, for tests. Fails if there is no
    /// driver or it does not answer. This is a normal state.
    static Result<GpuReadings> open(const std::filesystem::path& library = {});
    ~GpuReadings();
    GpuReadings(GpuReadings&&) noexcept;
    GpuReadings& operator=(GpuReadings&&) noexcept;

    /// One reading for each GPU. The reading of a GPU that fails is empty.
    std::vector<GpuReading> read() const;

private:
    struct Library;
    explicit GpuReadings(std::unique_ptr<Library> library);
    std::unique_ptr<Library> m_library;
};

} // namespace sparserl
