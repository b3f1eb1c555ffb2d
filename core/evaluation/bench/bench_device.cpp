// SPDX-License-Identifier: Apache-2.0
#include "evaluation/bench/bench_device.h"

#include "corpus/corpus.h"
#include "device/cuda/cuda_device.h"
#include "device/device_limits.h"
#include "device/float32.h"
#include "evaluation/cases/oracle.h"
#include "evaluation/steps/record_builder.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

class CudaBench : public BenchDevice
{
public:
    CudaBench(std::unique_ptr<CudaDevice> device, DeviceCeilings ceilings)
        : m_device(std::move(device))
        , m_ceilings(ceilings)
    {
    }
    std::string name() const override { return m_device->name(); }
    std::string architecture() const override { return m_device->info().architecture(); }
    DeviceLimits limits() const override { return m_device->info().limits(); }
    bool usable() const override { return !m_device->poisoned(); }
    Status begin(const Csr& matrix, std::int64_t denseColumns, const std::vector<CallInputs>& inputs) override
    {
        m_matrix = &matrix;
        m_shared = std::shared_ptr<const Csr>(std::make_shared<char>(), &matrix);
        m_columns = denseColumns;
        m_inputs = inputs;
        return {};
    }
    Result<std::vector<BaselineTiming>> baselines(BaselineSet set, const BenchSampling& sampling,
                                                  const std::function<void(std::string_view)>& log) override
    {
        BaselineOptions options;
        options.set = set;
        options.samples = sampling.samples;
        options.cold = sampling.cold;
        options.seed = sampling.seed;
        options.cancel = sampling.cancel;
        options.log = log;
        return m_device->measureBaselines(*m_matrix, m_columns, options);
    }
    Result<BenchTimes> time(const BenchProgram& program, const BenchSampling& sampling) override
    {
        SPARSERL_TRY(auto measured, m_device->measure(request(program, sampling)));
        BenchTimes times;
        times.fault = std::move(measured.fault);
        times.dropped = measured.dropped;
        times.warm = measured.warm;
        times.cold = measured.cold;
        times.setupMicroseconds = measured.setupMicroseconds;
        times.clocksAgree = measured.clocksAgree;
        times.compared = measured.compared;
        if (!measured.occupancy.empty())
            times.occupancy = measured.occupancy.front();
        if (m_device->poisoned())
            return fail(fmt::format("a program of ours left the GPU's context unusable: {}",
                                    times.fault ? times.fault->message : "without a word"));
        return times;
    }
    Result<HeadToHead> compare(const BenchProgram& program, const BaselineTiming& baseline,
                               const BenchSampling& sampling) override
    {
        return m_device->headToHead(request(program, sampling), *m_matrix, m_columns, baseline);
    }
    double floorMicroseconds(int launches, std::int64_t bytes) const override
    {
        const double gbps = bytes <= m_device->info().l2Bytes ? m_ceilings.l2GBps : m_ceilings.dramGBps;
        return m_ceilings.launchMicroseconds + std::max(0, launches - 1) * m_ceilings.nextLaunchMicroseconds +
               static_cast<double>(bytes) / (1e3 * gbps);
    }

private:
    MeasureRequest request(const BenchProgram& program, const BenchSampling& sampling) const
    {
        MeasureRequest request;
        request.plan = program.plan;
        request.module = &program.compiled->module;
        request.cubin = program.compiled->compiled.cubin;
        request.ring = m_inputs;
        request.samples = sampling.samples;
        request.cold = sampling.cold;
        request.dropAbove = sampling.dropAbove;
        request.seed = sampling.seed;
        request.compare = CompareRequest{
            m_shared, m_columns, underflowOf(program.compiled->compiled.traits.flushes, m_matrix->type)};
        request.cancel = sampling.cancel;
        return request;
    }

    std::unique_ptr<CudaDevice> m_device;
    std::shared_ptr<const Csr> m_shared; ///< The matrix, not owned; another one for each begin().
    DeviceCeilings m_ceilings;
    const Csr* m_matrix = nullptr;
    std::int64_t m_columns = 1;
    std::vector<CallInputs> m_inputs;
};

class SimulatedBench : public BenchDevice
{
public:
    SimulatedBench(const DeviceModel& model, std::unique_ptr<OwnPrograms> programs)
        : m_model(model)
        , m_device(model.name)
        , m_programs(std::move(programs))
    {
    }
    std::string name() const override { return m_device.name(); }
    std::string architecture() const override { return "sm_90"; }
    DeviceLimits limits() const override { return limitsOf(m_model); }
    Status begin(const Csr& matrix, std::int64_t denseColumns, const std::vector<CallInputs>& inputs) override
    {
        m_matrix = &matrix;
        m_columns = denseColumns;
        m_inputs = inputs;
        return {};
    }
    Result<std::vector<BaselineTiming>> baselines(BaselineSet, const BenchSampling& sampling,
                                                  const std::function<void(std::string_view)>&) override
    {
        const Task task = m_columns > 1 ? Task::SpMM : Task::SpMV;
        const ReferenceProgram program = referenceProgram(task, m_matrix->type);
        SPARSERL_TRY(const auto compiled, m_programs->get(program.text));
        const auto plan =
            bindPlan(compiled->program.plan, {*m_matrix, {m_columns, m_matrix->type}}, limits());
        if (!plan)
            return fail("the reference program does not bind: " + plan.error().reason);
        SPARSERL_TRY(const auto times, time({compiled.get(), &*plan}, sampling));
        if (times.fault)
            return fail("the reference program fails: " + times.fault->message);
        BaselineTiming timing;
        timing.library = "reference program";
        timing.algorithm = program.name;
        timing.csr = true;
        timing.warm = times.warm;
        timing.cold = times.cold;
        return std::vector<BaselineTiming>{timing};
    }
    Result<BenchTimes> time(const BenchProgram& program, const BenchSampling& sampling) override
    {
        ExecutionRequest request;
        request.plan = program.plan;
        request.module = &program.compiled->module;
        request.inputs = m_inputs;
        request.seed = sampling.seed;
        request.checks = Checks::Counters;
        request.stepBudget = 4'000'000'000;
        request.model = &m_model;
        request.resources = program.compiled->compiled.resources;
        request.cancel = sampling.cancel;
        SPARSERL_TRY(auto ran, m_device.execute(request));
        BenchTimes times;
        times.fault = std::move(ran.fault);
        times.warm = {ran.warmMicroseconds, ran.warmMicroseconds, ran.warmMicroseconds, 1};
        times.cold = Timing{ran.coldMicroseconds, ran.coldMicroseconds, ran.coldMicroseconds, 1};
        times.setupMicroseconds = ran.setupMicroseconds;
        times.outputs = std::move(ran.outputs);
        for (const LaunchReport& launch : ran.launches) {
            if (!launch.prepare && !launch.skipped) {
                times.occupancy = launch.occupancy;
                break;
            }
        }
        return times;
    }
    Result<HeadToHead> compare(const BenchProgram& program, const BaselineTiming& baseline,
                               const BenchSampling& sampling) override
    {
        // The model gives the same time whenever it is asked.
        SPARSERL_TRY(auto times, time(program, sampling));
        HeadToHead both;
        both.fault = std::move(times.fault);
        both.program = times.warm;
        both.baseline = baseline.warm;
        const double ratio = baseline.warm.median / std::max(1e-9, times.warm.median);
        both.speedup = {ratio, ratio, ratio, 1};
        // They are those that were compared when the program was timed alone.
        both.compared.calls = static_cast<std::int64_t>(times.outputs.size());
        return both;
    }
    double conversionMicroseconds(double, std::int64_t bytes) const override
    {
        return modelledSetupMicroseconds(bytes);
    }
    double floorMicroseconds(int launches, std::int64_t bytes) const override
    {
        const double gbps = bytes <= m_model.l2Bytes ? m_model.l2GBps : m_model.dramGBps;
        return m_model.launchMicroseconds + std::max(0, launches - 1) * m_model.nextLaunchMicroseconds +
               static_cast<double>(bytes) / (1e3 * gbps);
    }

private:
    DeviceModel m_model;
    SimulatedDevice m_device;
    std::unique_ptr<OwnPrograms> m_programs;
    const Csr* m_matrix = nullptr;
    std::int64_t m_columns = 1;
    std::vector<CallInputs> m_inputs;
};

} // namespace

Result<std::unique_ptr<BenchDevice>> openCudaBench(int ordinal)
{
    SPARSERL_TRY(auto device, CudaDevice::create(ordinal));
    SPARSERL_TRY(const auto ceilings, device->ceilings());
    return std::unique_ptr<BenchDevice>(std::make_unique<CudaBench>(std::move(device), ceilings));
}

Result<std::unique_ptr<BenchDevice>> openSimulatedBench(const std::string& model)
{
    SPARSERL_TRY(const auto found, loadDeviceModel(model));
    SPARSERL_TRY(auto programs, OwnPrograms::create("sm_90"));
    return std::unique_ptr<BenchDevice>(std::make_unique<SimulatedBench>(found, std::move(programs)));
}

} // namespace sparserl
