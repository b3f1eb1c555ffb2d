// SPDX-License-Identifier: Apache-2.0
#include "runner/runner_gpu.h"

namespace sparserl {

namespace {

class CudaGpu : public RunnerGpu
{
public:
    explicit CudaGpu(std::unique_ptr<CudaDevice> device)
        : m_device(std::move(device))
    {
    }
    const GpuInfo& info() const override { return m_device->info(); }
    bool poisoned() const override { return m_device->poisoned(); }
    Result<ExecutionResult> execute(const ExecutionRequest& request) override
    {
        return m_device->execute(request);
    }
    Result<Measurement> measure(const MeasureRequest& request) override { return m_device->measure(request); }
    Result<HeadToHead> headToHead(const MeasureRequest& request, const Csr& matrix, std::int64_t denseColumns,
                                  const BaselineTiming& against) override
    {
        return m_device->headToHead(request, matrix, denseColumns, against);
    }
    Result<std::vector<BaselineTiming>> measureBaselines(const Csr& matrix, std::int64_t denseColumns,
                                                         const BaselineOptions& options) override
    {
        return m_device->measureBaselines(matrix, denseColumns, options);
    }

private:
    std::unique_ptr<CudaDevice> m_device;
};

} // namespace

Result<std::unique_ptr<RunnerGpu>> openCudaGpu(int ordinal)
{
    SPARSERL_TRY(auto device, CudaDevice::create(ordinal));
    return std::unique_ptr<RunnerGpu>(std::make_unique<CudaGpu>(std::move(device)));
}

} // namespace sparserl
