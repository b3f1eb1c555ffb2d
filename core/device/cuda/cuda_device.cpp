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
    std::shared_ptr<const cuda::OracleMatrix> oracle; ///< Of the last comparison.
    std::unique_ptr<cuda::Libraries> libraries;       ///< Its handles belong to the context and go before it.
};

CudaDevice::CudaDevice(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}

CudaDevice::~CudaDevice() = default;

Result<std::unique_ptr<CudaDevice>> CudaDevice::create(int ordinal,
                                                       const std::filesystem::path& driverLibrary)
{
    SPARSERL_TRY(auto gpu, cuda::Gpu::open(ordinal, driverLibrary));
    auto impl = std::make_unique<Impl>();
    impl->gpu = std::move(gpu);
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
    return cuda::measureProgram(*m_impl->gpu, request, m_impl->oracle);
}

Result<DeviceCeilings> CudaDevice::ceilings()
{
    if (!m_impl->ceilings) {
        SPARSERL_TRY(auto measured, cuda::measureCeilings(*m_impl->gpu));
        m_impl->ceilings = measured;
    }
    return *m_impl->ceilings;
}

Result<double> CudaDevice::emptyLaunchMicroseconds()
{
    SPARSERL_TRY(auto found, ceilings());
    return found.launchMicroseconds;
}

Result<std::vector<BaselineTiming>> CudaDevice::measureBaselines(const Csr& matrix, std::int64_t denseColumns,
                                                                 const BaselineOptions& options)
{
    SPARSERL_CHECK(m_impl->gpu->begin());
    if (!m_impl->libraries)
        m_impl->libraries = std::make_unique<cuda::Libraries>(*m_impl->gpu);
    return cuda::measureLibraries(*m_impl->gpu, *m_impl->libraries, matrix, denseColumns, options);
}

Result<HeadToHead> CudaDevice::headToHead(const MeasureRequest& request, const Csr& matrix,
                                          std::int64_t denseColumns, const BaselineTiming& against)
{
    cuda::Gpu& gpu = *m_impl->gpu;
    SPARSERL_CHECK(gpu.begin());
    if (!m_impl->libraries)
        m_impl->libraries = std::make_unique<cuda::Libraries>(gpu);
    SPARSERL_TRY(auto library,
                 cuda::LibraryMatrix::make(gpu, *m_impl->libraries, matrix, denseColumns, request.seed));
    std::unique_ptr<cuda::LibraryRoutine> routine;
    // The density decides only whether the dense routine is there; it is looked up by name.
    for (const cuda::RoutineSpec& spec : cuda::routines(BaselineSet::AllFormats, denseColumns > 1, 1)) {
        if (spec.name != against.algorithm)
            continue;
        SPARSERL_TRY(auto opened, library->open(spec));
        routine = std::move(opened);
    }
    if (!routine)
        return fail(fmt::format("there is no library routine '{}' for this matrix", against.algorithm));
    SPARSERL_TRY(auto timer, cuda::ProgramTimer::make(gpu, request));
    HeadToHead result;
    SPARSERL_TRY(auto refused, timer->start(m_impl->oracle));
    if (refused) {
        result.fault = std::move(refused);
        return result;
    }
    SPARSERL_TRY(auto both, cuda::interleave(gpu, timer->work(), routine->work(), timer->sampling()));
    result.fault = std::move(both.fault);
    result.program = both.first;
    result.baseline = both.second;
    result.speedup = both.ratio;
    if (!result.fault) {
        SPARSERL_TRY(auto left, timer->finish());
        result.fault = std::move(left.fault);
        result.compared = left.compared;
    }
    return result;
}

} // namespace sparserl
