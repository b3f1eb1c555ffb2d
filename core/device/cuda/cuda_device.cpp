// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda_device.h"

#include "device/cuda/execution.h"
#include "device/cuda/gpu.h"
#include "device/cuda/library_timing.h"
#include "device/cuda/program_timing.h"

#include <fmt/format.h>

namespace sparserl {

struct CudaDevice::Impl
{
    std::unique_ptr<cuda::Gpu> gpu;
    std::optional<DeviceCeilings> ceilings;
    std::unique_ptr<cuda::Libraries> libraries; ///< Its handles belong to the context and go before it.
};

CudaDevice::CudaDevice(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}

CudaDevice::~CudaDevice() = default;

Result<std::unique_ptr<CudaDevice>> CudaDevice::create(int ordinal,
                                                       const std::filesystem::path& driverLibrary)
{
    auto gpu = cuda::Gpu::open(ordinal, driverLibrary);
    if (!gpu)
        return fail(gpu.error());
    auto impl = std::make_unique<Impl>();
    impl->gpu = std::move(*gpu);
    return std::unique_ptr<CudaDevice>(new CudaDevice(std::move(impl)));
}

std::string CudaDevice::name() const
{
    return fmt::format("{} (driver {})", info().name, info().driver);
}

const GpuInfo& CudaDevice::info() const
{
    return m_impl->gpu->info();
}

bool CudaDevice::poisoned() const
{
    return m_impl->gpu->poisoned();
}

Result<ExecutionResult> CudaDevice::execute(const ExecutionRequest& request)
{
    return cuda::runExecution(*m_impl->gpu, request);
}

Result<Measurement> CudaDevice::measure(const MeasureRequest& request)
{
    return cuda::measureProgram(*m_impl->gpu, request);
}

Result<DeviceCeilings> CudaDevice::ceilings()
{
    if (!m_impl->ceilings) {
        auto measured = cuda::measureCeilings(*m_impl->gpu);
        if (!measured)
            return fail(measured.error());
        m_impl->ceilings = *measured;
    }
    return *m_impl->ceilings;
}

Result<double> CudaDevice::emptyLaunchMicroseconds()
{
    auto found = ceilings();
    if (!found)
        return fail(found.error());
    return found->launchMicroseconds;
}

Result<std::vector<BaselineTiming>> CudaDevice::measureBaselines(const Csr& matrix, std::int64_t denseColumns,
                                                                 const BaselineOptions& options)
{
    if (auto ok = m_impl->gpu->begin(); !ok)
        return fail(ok.error());
    if (!m_impl->libraries)
        m_impl->libraries = std::make_unique<cuda::Libraries>(*m_impl->gpu);
    return cuda::measureLibraries(*m_impl->gpu, *m_impl->libraries, matrix, denseColumns, options);
}

} // namespace sparserl
