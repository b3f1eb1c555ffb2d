// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace sparserl {

/// What a GPU does at the moment. What it does not tell is missing: a part of a divided GPU has no
/// utilisation, some have no power meter.
struct GpuReading
{
    std::optional<double> utilisation; ///< Percent of the last moments in which any kernel ran.
    std::optional<double> memoryUsed;  ///< Bytes, of all programs.
    std::optional<double> memoryTotal; ///< Bytes.
    std::optional<double> watts;
    std::optional<double> celsius; ///< Of the chip.
    std::optional<double> smClock; ///< MHz.
};

/// The GPUs of this machine, as NVIDIA's management library (NVML) sees them, by its numbers. It comes with
/// the driver and is opened at run time.
class GpuReadings
{
public:
    /// `library`: another file than the system's libnvidia-ml.so.1, for tests. An Error, which is a normal
    /// state, where there is no driver or it does not answer.
    static Result<GpuReadings> open(const std::filesystem::path& library = {});
    ~GpuReadings();
    GpuReadings(GpuReadings&&) noexcept;
    GpuReadings& operator=(GpuReadings&&) noexcept;

    /// One for each GPU. One that fails says nothing.
    std::vector<GpuReading> read() const;

private:
    struct Library;
    explicit GpuReadings(std::unique_ptr<Library> library);
    std::unique_ptr<Library> m_library;
};

} // namespace sparserl
