// SPDX-License-Identifier: Apache-2.0
#include "evaluation/stages/simulator_stage.h"

#include "corpus/corpus.h"

namespace sparserl {

namespace {

class SimulatorStage : public TargetStage
{
public:
    SimulatorStage(const StageServices& services, DeviceModel model)
        : m_services(services)
        , m_model(std::move(model))
    {
    }

    std::string deviceName() const override { return "simulated " + m_model.name; }
    bool simulated() const override { return true; }
    std::string epoch(const TargetTask&) const override { return {}; }
    void abandon() override {}

    void run(const TargetTask& task, std::function<void(TargetFindings)> found) override
    {
        const auto columns = task.columns();
        TargetContext& context = *task.context;
        Simulation& simulation = m_services.simulation;
        const std::uint64_t seed =
            deriveSeed(m_services.options.secretSeed, task.request.seed, "schedule " + context.digest());
        auto cases = std::make_shared<CasePlan>();
        // Which checks run where depends on nothing but the matrix, so that verdicts do not depend on what
        // else was judged.
        const Csr& matrix = *context.own().matrix;
        const bool full = matrix.nnz() * columns <= m_services.options.fullCheckNnz;
        if (!task.checked) {
            if (auto added = simulation.addRelatives(*cases, context, columns, seed, !full); !added)
                return m_services.breakDown(added.error());
        }
        // The matrix itself: with its own values (timed), exact ones, and values of very different sizes.
        const auto inputs = context.inputs(task.request.seed, columns);
        const auto add = [&](const SharedMatrix& shared, const std::vector<float>& x,
                             const Reference& expected, bool exact, bool own, Checks level) {
            CaseCheck check;
            check.exact = exact;
            check.timed = own;
            check.references = {std::shared_ptr<const Reference>(inputs, &expected)};
            auto one = simulation.settings(seed + 3 + (own ? 1 : 0), level, matrix, columns);
            one.schedule = Schedule::InOrder; // For the times of Counters.
            one.lineCounters = own && task.request.lineCounters;
            cases->add(shared, {x}, one, std::move(check));
        };
        // Every check also counts what the time is made of: only without them is there something to save.
        const bool timed = task.request.measured || full;
        add(context.own(), inputs->first, inputs->firstReference, false, true,
            full && !task.checked ? Checks::All
            : timed               ? Checks::Counters
                                  : Checks::None);
        if (!task.checked) {
            add(context.exact(), inputs->exact, inputs->exactReference, true, false, Checks::None);
            add(context.wide(), inputs->wide, inputs->wideReference, false, false, Checks::None);
        }
        ++m_services.metrics.simulated;
        simulation.run(
            task.state(), cases, columns,
            [found = std::move(found), timed](CaseFindings findings) {
                TargetFindings target;
                target.failure = std::move(findings.failure);
                target.nondeterministic = findings.nondeterministic;
                target.boundShare = findings.boundShare;
                if (findings.timed)
                    target.launches = findings.timed->result.launches;
                if (timed)
                    target.timed = std::move(findings.timed);
                found(std::move(target));
            },
            task.request.lineCounters);
    }

    void baseline(const TargetTask& task, std::function<void(Baseline)> found) override
    {
        const auto reference = referenceProgram(task.target().task());
        if (reference.text.empty()) {
            found({});
            return;
        }
        m_services.judgeReference(
            task, reference.text,
            [this, name = reference.name, found = std::move(found)](VerdictRecord record) {
                if (!record.correct() || !record.warm) {
                    m_services.breakDown(
                        Error{"the reference program is not correct on matrix " + record.target.name + " (" +
                                  std::string(nameOf(record.verdict)) + ": " + record.message + ")",
                              {},
                              0,
                              "this is a fault of the program: report it with the matrix"});
                    return;
                }
                found({name, "CSR", record.warm->median});
            });
    }

    void apply(VerdictRecord& record, const TargetTask& task, const TargetFindings& findings) const override
    {
        if (!task.request.measured)
            applyShared(record, findings.launches);
        else if (findings.timed)
            applyTiming(record, *findings.timed, task.context->floorMicroseconds(m_model, task.columns()));
    }

private:
    StageServices m_services;
    DeviceModel m_model;
};

} // namespace

std::unique_ptr<TargetStage> makeSimulatorStage(const StageServices& services, DeviceModel model)
{
    return std::make_unique<SimulatorStage>(services, std::move(model));
}

} // namespace sparserl
