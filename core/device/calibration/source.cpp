// SPDX-License-Identifier: Apache-2.0
#include "device/calibration/source.h"

#include "base/files.h"
#include "base/json.h"
#include "base/time.h"
#include "corpus/corpus.h"
#include "device/calibration/compare.h"
#include "device/cuda/cuda_device.h"
#include "device/device.h"
#include "device/device_limits.h"

#include <memory>

namespace sparserl {

namespace {

/// Adopts the sizes of a GPU; rates and latencies stay those of the starting model.
DeviceModel modelOf(const GpuInfo& gpu, DeviceModel start)
{
    start.smCount = gpu.smCount;
    if (gpu.clockGHz > 0)
        start.clockGHz = gpu.clockGHz;
    if (gpu.l2Bytes > 0)
        start.l2Bytes = gpu.l2Bytes;
    if (gpu.sharedPerSm > 0)
        start.sharedPerSm = gpu.sharedPerSm;
    if (gpu.maxSharedOptinPerBlock > 0)
        start.maxSharedPerBlock = gpu.maxSharedOptinPerBlock;
    if (gpu.registersPerSm > 0)
        start.registersPerSm = gpu.registersPerSm;
    if (gpu.maxThreadsPerSm > 0) {
        start.maxThreadsPerSm = gpu.maxThreadsPerSm;
        start.maxWarpsPerSm = gpu.maxThreadsPerSm / 32;
    }
    if (gpu.maxBlocksPerSm > 0)
        start.maxBlocksPerSm = gpu.maxBlocksPerSm;
    return start;
}

Result<Measurement> measureOn(CudaDevice& device, MeasureRequest request, int samples)
{
    if (device.poisoned())
        return fail("a kernel left the GPU's context unusable",
                    "Run the same command again: it continues after that program");
    request.samples = samples;
    auto measured = device.measure(request);
    if (!measured && device.poisoned()) {
        // The row says so; it is the next one that cannot be measured.
        Measurement broken;
        broken.fault = Fault{};
        broken.fault->kind = FaultKind::LaunchError;
        broken.fault->message = measured.error().sentence();
        return broken;
    }
    return measured;
}

Result<Measurement> simulateOn(const DeviceModel& model, const MeasureRequest& request)
{
    ExecutionRequest execution;
    execution.plan = request.plan;
    execution.module = request.module;
    execution.inputs = {request.ring.front()};
    execution.checks = Checks::Counters;
    execution.model = &model;
    execution.cancel = request.cancel;
    SPARSERL_TRY(auto result, SimulatedDevice().execute(execution));
    Measurement measurement;
    measurement.fault = result.fault;
    measurement.warm = {result.warmMicroseconds, result.warmMicroseconds, result.warmMicroseconds, 1};
    measurement.cold = Timing{result.coldMicroseconds, result.coldMicroseconds, result.coldMicroseconds, 1};
    if (!result.outputs.empty())
        measurement.compared = compareOutput(request, result.outputs.front());
    return measurement;
}

} // namespace

Result<MeasuringSource> gpuSource(int ordinal, int samples, const DeviceModel& start)
{
    SPARSERL_TRY(auto gpu, CudaDevice::create(ordinal));
    const std::shared_ptr<CudaDevice> device = std::move(gpu);
    MeasuringSource source;
    source.measure = [device, samples](const MeasureRequest& request) {
        return measureOn(*device, request, samples);
    };
    source.model = modelOf(device->info(), start);
    source.limits = device->info().limits();
    source.device = device->name();
    source.architecture = device->info().architecture();
    return source;
}

MeasuringSource simulatorSource(const DeviceModel& model)
{
    MeasuringSource source;
    source.measure = [model](const MeasureRequest& request) { return simulateOn(model, request); };
    source.model = model;
    source.limits = limitsOf(model);
    source.device = "simulated " + model.name;
    return source;
}

Result<std::size_t> measureRows(const MeasuringSource& source, CollectOptions options,
                                const MeasuringPlan& plan, const std::vector<CalibrationMatrix>& matrices,
                                const ProgramCompiler& compiler, std::vector<CalibrationRow>& rows)
{
    options.model = source.model;
    options.limits = source.limits;
    options.device = source.device;
    options.architecture = source.architecture;
    for (const CalibrationRow& row : rows)
        options.done.push_back(row.key());
    const double started = unixSeconds();
    options.enough = [&] { return plan.minutes > 0 && unixSeconds() - started > 60 * plan.minutes; };
    std::size_t taken = 0;
    const auto take = [&](const CalibrationRow& row) -> Status {
        rows.push_back(row);
        ++taken;
        return appendFile(plan.file, dumpJson(toJson(row)) + "\n");
    };
    for (const std::int64_t columns : plan.columns) {
        options.variant.columns = columns;
        if (families(options.variant.task()).empty() || options.enough())
            continue;
        SPARSERL_CHECK(collectMeasurements(matrices, compiler, options, source.measure, take));
    }
    return taken;
}

} // namespace sparserl
