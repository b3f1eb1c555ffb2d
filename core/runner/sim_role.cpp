// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "compile/gate.h"
#include "device/device.h"
#include "device/device_limits.h"
#include "evaluation/cases/case_plan.h"
#include "evaluation/protocol/jobs.h"
#include "evaluation/protocol/shared_buffer.h"
#include "ptx/module.h"
#include "runner/call_ranges.h"
#include "runner/plan_check.h"
#include "runner/roles.h"
#include "runner/sandbox.h"
#include "runner/taken_contents.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

namespace sparserl {

namespace {

class SimRole : public Role
{
public:
    Result<nlohmann::json> answer(Message& message) override
    {
        SPARSERL_TRY(const auto job, simulationJobFromJson(message.body));
        if (message.files.size() != job.take.size() + 1)
            return fail("a simulation came with the wrong number of files");
        for (const auto& key : job.drop)
            m_contents.drop(key);
        SPARSERL_TRY(auto memory, SharedBuffer::adopt(std::move(message.files[0])));
        for (std::size_t i = 0; i < job.take.size(); ++i) {
            const auto shared = SharedBuffer::adoptSealed(std::move(message.files[i + 1]));
            SPARSERL_CHECK(shared ? m_contents.take(job.take[i], *shared) : fail(shared.error()));
        }
        // Beyond it the process gets SIGXCPU, which the parent counts as a program without end.
        // One without a limit must not inherit that of the job before it.
        constexpr double aDay = 86400;
        const double limit = jsonValue<double>(message.body, "cpu_seconds", 0);
        m_cpuSeconds = limit > 0 && limit < aDay ? limit : aDay;
        allowCpuSeconds(static_cast<std::uint64_t>(m_cpuSeconds));
        try {
            SPARSERL_TRY(const auto answers, run(job, memory));
            return toJson(answers);
        } catch (const std::bad_alloc&) {
            // What earlier jobs left behind may have taken the memory: a fresh process decides.
            return failOutOfMemory("the program needs more memory than the simulated device may use");
        }
    }

private:
    /// Everything about a case but the simulation: limits, plan, arguments against parameters.
    struct Prepared
    {
        std::string contents;
        BoundPlan plan;
        std::uint64_t paddingSteps = 0; ///< For each input.
    };

    /// Who asks for a simulation does not know how much a format pads.
    void allowPadding(std::uint64_t steps)
    {
        constexpr double stepsPerSecond = 2e6;
        if (steps > 0)
            allowCpuSeconds(
                static_cast<std::uint64_t>(m_cpuSeconds + static_cast<double>(steps) / stepsPerSecond));
    }

    Result<std::vector<CaseAnswer>> run(const SimulationJob& job, SharedBuffer& memory)
    {
        if (!m_model || m_modelText != job.model) {
            SPARSERL_TRY(auto loaded, loadDeviceModel(job.model));
            m_model = std::move(loaded);
            m_modelText = job.model;
        }
        const DeviceModel* model = &*m_model;
        const auto program = parseProgram(job.program);
        if (!program)
            return refused({BindFailure::Kind::PlanError, program.error().line, program.error().reason});
        SPARSERL_TRY(const auto module, ptx::parse(job.ptx));
        // The PTX came through another process; what runs here has passed the gate here.
        if (const auto rejection = gate(module, {}))
            return fail("a simulation came with PTX that does not pass the gate: " + rejection->reason);

        SimulatedDevice device;
        std::optional<Prepared> prepared;
        std::vector<CaseAnswer> answers;
        std::uint64_t further = 0, preparing = 0;
        for (SimulationCase one : job.cases) {
            const bool spent = one.ifSpent != IfSpent::Runs && further >= job.furtherSteps;
            if (spent && one.ifSpent == IfSpent::LeftOut) {
                answers.emplace_back().leftOut = true;
                continue;
            }
            if (spent)
                one.checks = Checks::None;
            const Contents* contents = m_contents.find(one.contents);
            if (!contents)
                return fail("a simulation names contents that were not sent");
            if (!prepared || prepared->contents != one.contents) {
                prepared.reset(); // Two sets of formats at once would double the memory needed.
                auto plan = bindPlan(program->plan, *contents, job.variant, limitsOf(*model));
                auto failure = plan ? checkCalls(*plan, module) : std::optional(plan.error());
                if (failure) {
                    // What does not bind here may bind on the next contents.
                    answers.push_back(refused(std::move(*failure))->front());
                    continue;
                }
                const auto padding = paddingSteps(*plan, workloadOf(*contents, job.variant));
                prepared = Prepared{one.contents, std::move(*plan), padding};
            }
            const std::uint64_t padding = prepared->paddingSteps * std::max<std::size_t>(1, one.calls.size());
            allowPadding(padding);
            SPARSERL_TRY(auto answer,
                         simulate(job, one, prepared->plan, namesOf(*contents, program->plan.task), module,
                                  *model, device, memory, padding));
            if (one.ifSpent != IfSpent::Runs) {
                further += answer.result.steps - answer.result.prepareSteps;
                preparing += answer.result.prepareSteps;
            }
            if (preparing > job.furtherPrepareSteps && !answer.fault) {
                answer.fault =
                    Fault{FaultKind::Timeout,
                          fmt::format("its prepare kernels executed {} warp instructions in calls that "
                                      "check the rules; {} are allowed",
                                      preparing, job.furtherPrepareSteps)};
            }
            answer.unchecked = spent;
            const bool faulted = answer.fault.has_value();
            answers.push_back(std::move(answer));
            if (faulted)
                break;
        }
        return answers;
    }

    static Result<std::vector<CaseAnswer>> refused(BindFailure failure)
    {
        CaseAnswer answer;
        answer.bind = std::move(failure);
        return std::vector{std::move(answer)};
    }

    /// The names of the tensors of a call, in the order of its ranges.
    struct Names
    {
        std::vector<std::string_view> inputs, outputs;
    };

    /// The names belong to the contents.
    static Names namesOf(const Contents& contents, Task task)
    {
        if (!contents.signature)
            return {tensorNames(task, TensorRole::Input), tensorNames(task, TensorRole::Output)};
        Names names;
        for (const WorkTensor& tensor : contents.signature->tensors)
            (tensor.role == TensorRole::Input ? names.inputs : names.outputs).emplace_back(tensor.name);
        return names;
    }

    static Result<CaseAnswer> simulate(const SimulationJob& job, const SimulationCase& one,
                                       const BoundPlan& plan, const Names& names, const ptx::Module& module,
                                       const DeviceModel& model, SimulatedDevice& device,
                                       SharedBuffer& memory, std::uint64_t padding)
    {
        ExecutionRequest request;
        request.plan = &plan;
        request.module = &module;
        for (const CallRanges& call : one.calls) {
            SPARSERL_TRY(auto inputs, inputsAt(memory, names.inputs, call.inputs));
            request.inputs.push_back(std::move(inputs));
            SPARSERL_TRY(const auto scaled, scaledCallAt(memory, call));
            request.scaled.push_back(scaled);
        }
        request.seed = one.seed;
        request.checks = one.checks;
        request.counters = one.counters;
        request.drawnBlocks = one.drawnBlocks;
        request.schedule = one.schedule;
        request.layout = one.layout;
        request.stepBudget = one.stepBudget + padding;
        request.lineCounters = one.lineCounters;
        request.model = &model;
        request.observe = one.observe;
        request.mark = one.mark;
        request.resources = job.resources;
        SPARSERL_TRY(auto result, device.execute(request));
        SPARSERL_CHECK(putOutputs(memory, names.outputs, one.calls, result.outputs));
        CaseAnswer answer;
        answer.fault = result.fault;
        answer.setupBytes = plan.setupBytes;
        result.outputs.clear();
        if (!one.launches)
            result.launches.clear();
        answer.result = std::move(result);
        return answer;
    }

    TakenContents m_contents;
    std::optional<DeviceModel> m_model;
    std::string m_modelText; ///< What m_model was made of.
    double m_cpuSeconds = 0; ///< Of the job at hand.
};

} // namespace

std::unique_ptr<Role> makeSimRole()
{
    return std::make_unique<SimRole>();
}

} // namespace sparserl
