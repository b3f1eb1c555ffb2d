// SPDX-License-Identifier: Apache-2.0
#include "evaluation/steps/simulator_device_judge.h"

#include "corpus/corpus.h"
#include "evaluation/steps/full_check.h"

#include <algorithm>
#include <iterator>

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
        auto cases = casesOf(task);
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
        const auto reference = referenceProgram(variant.task(), variant.type);
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
                        task.context->floorMicroseconds(m_model, task.target().variant));
    }

private:
    /// Everything that one evaluation runs.
    Result<CasePlan> casesOf(const TargetTask& task) const
    {
        const auto columns = task.columns();
        TargetContext& context = *task.context;
        Simulation& simulation = m_services.simulation;
        const std::uint64_t seed =
            deriveSeed(m_services.options.secret(), task.request.seed, "schedule " + context.digest());
        CasePlan cases;
        // Which checks run where depends on nothing but the matrix, so that verdicts do not depend on what
        // else was judged.
        const Csr& matrix = *context.own().matrix;
        const bool full = matrix.nnz() * columns <= m_services.options.fullCheckNnz;
        if (!task.checked) {
            SPARSERL_CHECK(simulation.addRelatives(cases, context, columns, seed, !full, task.factors()));
        }
        const auto inputs = context.inputs(task.request.seed, columns);
        SPARSERL_TRY(const auto variants, context.variants(task.request.seed, columns, true));
        const auto& observer = m_services.options.observer;
        std::uint64_t schedule = seed + 16; // After those of the relatives.
        const bool timed = task.request.measured;
        const auto add = [&](const SharedMatrix& shared, std::vector<Numbers> x,
                             const std::vector<const Reference*>& expected, CaseCheck check, Checks level,
                             bool asTimed = false) {
            for (const Reference* one : expected)
                check.references.emplace_back(inputs, one);
            auto settings = simulation.settings(schedule++, level, matrix, columns);
            settings.drawnBlocks = !full && level != Checks::All; // What is too large to be checked whole.
            if (asTimed || level == Checks::Counters) { // Times mean something, and are the same everywhere.
                settings.schedule = Schedule::InOrder;
                settings.layout = AddressLayout::Apart;
            }
            settings.lineCounters = check.timed && task.request.lineCounters;
            settings.mark = observer && observer->control == JudgeObserver::Control::Mark;
            cases.add(shared, std::move(x), settings, std::move(check));
        };
        // With every check; in order for counters and the time; with inputs of many kinds. Then nearly its
        // own values, those of other matrices, and exact ones. A program can tell that it runs as the timed
        // call does, so that call is run with every check as well: always in verdicts that count, in others
        // by lot, in place of the one in another order.
        const bool every = m_services.options.everyKind;
        const bool timedIsChecked =
            full && !task.checked && (every || Rng(seed).derive("checked call").next() & 1);
        const auto checkOf = [](CaseValues values, std::vector<InputKind> kinds, bool reported = false) {
            CaseCheck check;
            check.values = values;
            check.kinds = std::move(kinds);
            check.timed = reported;
            return check;
        };
        if (!task.checked && (every || !timed || !timedIsChecked))
            add(context.own(), {inputs->checked.x}, {&inputs->checkedReference},
                checkOf(CaseValues::Ordinary, {inputs->checked.kind}, !timed),
                full ? Checks::All : Checks::None);
        if (timed && timedIsChecked) // A run of its own: times do not depend on what is checked.
            add(context.timed(), {inputs->timed.x}, {&inputs->timedReference},
                checkOf(CaseValues::Ordinary, {inputs->timed.kind}), Checks::All, true);
        if (timed) {
            add(context.timed(), {inputs->timed.x}, {&inputs->timedReference},
                checkOf(CaseValues::Ordinary, {inputs->timed.kind}, true), Checks::Counters);
            if (every && !task.checked) { // Its own values take the same work.
                auto same = checkOf(CaseValues::Ordinary, {inputs->firstKind});
                same.sameWorkAs = static_cast<int>(cases.size()) - 1;
                --schedule; // Nothing but values differs.
                add(context.own(), {inputs->first}, {&inputs->firstReference}, std::move(same),
                    Checks::Counters);
            }
        }
        auto exact = checkOf(CaseValues::Exact, {});
        exact.exact = true;
        if (!task.checked) {
            // In verdicts that count, with every check as long as that is affordable.
            auto further = specialCalls(context.own(), specialMixture(inputs),
                                        checkOf(CaseValues::Ordinary, {}), IfSpent::Unchecked, seed);
            std::ranges::move(variantCalls(variants, IfSpent::Unchecked, seed), std::back_inserter(further));
            if (full && every) {
                SPARSERL_TRY(auto checked, checkedCalls(context, inputs));
                std::ranges::move(checked, std::back_inserter(further));
            } else {
                for (FurtherCalls& one : further) {
                    one.checks = Checks::None;
                    one.ifSpent = IfSpent::Runs;
                    one.drawnBlocks = !full; // What is too large to be checked whole.
                }
            }
            const auto added = static_cast<std::uint64_t>(further.size());
            simulation.addFurther(cases, std::move(further), columns, schedule, task.factors());
            schedule += added;
            const bool exactAsTimed = Rng(seed).derive("exact call").next() & 1;
            add(context.exact(), {inputs->exact}, {&inputs->exactReference}, exact, Checks::None,
                exactAsTimed);
            if (every) {
                add(context.exact(), {inputs->exact}, {&inputs->exactReference}, exact, Checks::None,
                    !exactAsTimed);
                SPARSERL_TRY(const auto wide, context.wide());
                add(wide, {inputs->wide}, {&inputs->wideReference}, checkOf(CaseValues::Wide, {}),
                    Checks::None);
            }
            addScaledTarget(
                cases, simulation, task,
                deriveSeed(m_services.options.secret(), task.request.seed, "factors " + context.digest()),
                full && every ? Checks::All : Checks::None, !full, every);
        }
        return cases;
    }

    JudgeServices m_services;
    DeviceModel m_model;
};

} // namespace

std::unique_ptr<DeviceJudge> makeSimulatorDeviceJudge(const JudgeServices& services, DeviceModel model)
{
    return std::make_unique<SimulatorDeviceJudge>(services, std::move(model));
}

} // namespace sparserl
