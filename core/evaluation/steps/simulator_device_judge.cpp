// SPDX-License-Identifier: Apache-2.0
#include "evaluation/steps/simulator_device_judge.h"

namespace sparserl {

namespace {

class SimulatorDeviceJudge : public DeviceJudge
{
public:
    SimulatorDeviceJudge(const JudgeServices& services, DeviceModel model)
        : m_services(services)
        , m_model(std::move(model))
    {
    }

    std::string deviceName() const override { return "simulated " + m_model.name; }
    bool simulated() const override { return true; }
    std::string epoch(const TargetTask&) const override { return {}; }
    void abandon() override {}

    Flow<TargetFindings> run(TargetTask task) override
    {
        auto making = [&task] { return task.cases->onSimulator(task.asked()); };
        auto held = co_await task.cases->turn.take();
        auto cases = co_await m_services.background.run(std::move(making));
        held.end();
        if (!cases)
            co_await m_services.host.broken(cases.error());
        ++m_services.metrics.simulated;
        auto findings = co_await m_services.simulation.run(task.state(), std::move(*cases),
                                                           task.target().variant, task.request.lineCounters);
        TargetFindings target;
        target.failure = std::move(findings.failure);
        target.nondeterministic = findings.nondeterministic;
        target.boundShare = findings.boundShare;
        if (findings.timed)
            target.launches = findings.timed->result.launches;
        if (task.request.measured)
            target.timed = std::move(findings.timed);
        co_return std::move(target);
    }

    Flow<Baseline> baseline(TargetTask task) override
    {
        const TargetVariant variant = task.target().variant;
        const auto reference = m_services.cases.of(variant.kind).reference(variant);
        if (reference.text.empty())
            co_return Baseline();
        const VerdictRecord record = co_await m_services.host.judgeReference(task, reference.text);
        Baseline baseline;
        if (record.correct() && record.warm) {
            baseline = {reference.name, "CSR", record.warm->median};
        } else {
            // Of this target alone: others are judged as if it were not there.
            baseline.problem =
                "there is nothing to compare with: the reference program is not correct on matrix " +
                record.target.name + " (" + std::string(nameOf(record.verdict)) + ": " + record.message + ")";
            m_services.host.log(baseline.problem);
        }
        co_return std::move(baseline);
    }

    void apply(VerdictRecord& record, const TargetTask& task, const TargetFindings& findings) const override
    {
        if (!task.request.measured)
            applyShared(record, findings.launches);
        else if (findings.timed)
            applyTiming(record, *findings.timed,
                        floorMicroseconds(m_model, task.cases->workload(task.target().variant)));
    }

private:
    JudgeServices m_services;
    DeviceModel m_model;
};

} // namespace

std::unique_ptr<DeviceJudge> makeSimulatorDeviceJudge(const JudgeServices& services, DeviceModel model)
{
    return std::make_unique<SimulatorDeviceJudge>(services, std::move(model));
}

} // namespace sparserl
