// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/operator_cases.h"

#include "base/hash.h"
#include "evaluation/cases/operator_calls.h"
#include "evaluation/cases/target_context.h"
#include "evaluation/protocol/shared_contents.h"

#include <fmt/format.h>
#include <initializer_list>
#include <map>
#include <utility>
#include <vector>

namespace sparserl {

namespace {

constexpr std::size_t keptSeeds = 4;
/// Operations per non-zero of a matrix that takes as long to simulate with every check.
constexpr std::int64_t operationsPerEntry = 8;

/// One size of a task.
struct Size
{
    std::string name;
    const OperatorSize* task = nullptr;
    SharedContents contents;
};

/// The calls at every size, for one seed.
using SeedCalls = std::vector<OperatorCalls>;

class OperatorCases : public TargetCases
{
public:
    OperatorCases(const CaseMaker& maker, SharedOracle& oracle, const Target& target, std::vector<Size> sizes)
        : m_maker(maker)
        , m_oracle(oracle)
        , m_task(target.operation)
        , m_digest(target.id.key())
        , m_name(target.id.name)
        , m_sizes(std::move(sizes))
    {
    }
    const std::string& digest() const override { return m_digest; }
    std::int64_t bytes() const override
    {
        // Twice the tensors, and their expected values in fp64, for each seed.
        std::int64_t bytes = 0;
        for (const Size& size : m_sizes)
            for (const WorkTensor& tensor : size.contents.signature->tensors)
                bytes += 10 * tensor.bytes();
        return bytes * static_cast<std::int64_t>(keptSeeds);
    }
    const SharedContents& own() const override { return m_sizes.front().contents; }
    Workload workload(const TargetVariant& variant) const override { return own().workload(variant); }
    bool isCheap(const TargetVariant&) const override { return false; }

    Result<CasePlan> onSimulator(const CaseRequest& request) override;
    Result<CasePlan> beforeGpu(const CaseRequest&, bool) override { return onlySimulated(); }
    Result<CasePlan> fullCheck(const CaseRequest&) override { return onlySimulated(); }
    Result<GpuCases> onGpu(const CaseRequest&, bool) override { return onlySimulated(); }

private:
    static tl::unexpected<Error> onlySimulated()
    {
        return fail("programs for operators are judged on the simulated device only");
    }
    Result<std::shared_ptr<const SeedCalls>> callsFor(std::uint64_t seed);
    void addChecks(CasePlan& cases, std::size_t size, const OperatorCalls& calls, const CaseRequest& request,
                   std::uint64_t seed) const;

    const CaseMaker& m_maker;
    SharedOracle& m_oracle;
    std::shared_ptr<const OperatorTask> m_task;
    std::string m_digest, m_name;
    std::vector<Size> m_sizes; ///< The size that is judged comes first.
    std::mutex m_mutex;
    std::map<std::uint64_t, std::shared_ptr<const SeedCalls>> m_calls;
};

Result<std::shared_ptr<const SeedCalls>> OperatorCases::callsFor(std::uint64_t seed)
{
    const std::lock_guard alone(m_mutex);
    if (const auto found = m_calls.find(seed); found != m_calls.end())
        return found->second;
    auto made = std::make_shared<SeedCalls>();
    const std::lock_guard oracle(m_oracle.mutex);
    for (std::size_t i = 0; i < m_sizes.size(); ++i) {
        const std::uint64_t drawn =
            deriveSeed(m_maker.secret(), seed, fmt::format("operator {} {}", i, m_digest));
        auto calls = operatorCalls(*m_sizes[i].task, *m_sizes[i].contents.signature, m_oracle.process, drawn);
        if (!calls) // Several operators may be judged at the same time.
            return fail(Error{fmt::format("{}: {}", m_name, calls.error().what),
                              {},
                              0,
                              calls.error().remedy,
                              calls.error().kind});
        made->push_back(std::move(*calls));
    }
    if (m_calls.size() >= keptSeeds)
        m_calls.clear();
    m_calls[seed] = made;
    return std::shared_ptr<const SeedCalls>(std::move(made));
}

/// Two calls in one case, so that nothing of the first may remain in the second; the first once more, in the
/// order of timed calls; then the changed inputs.
void OperatorCases::addChecks(CasePlan& cases, std::size_t size, const OperatorCalls& calls,
                              const CaseRequest& request, std::uint64_t seed) const
{
    const Size& at = m_sizes[size];
    const Workload work = at.contents.workload(request.variant);
    const bool full =
        work.flops() <= static_cast<double>(operationsPerEntry * m_maker.options().fullCheckNnz);
    const auto add = [&](SimulationCase settings, std::initializer_list<const OperatorCall*> chosen,
                         CaseCheck check) {
        std::vector<CallNumbers> inputs;
        for (const OperatorCall* const call : chosen) {
            inputs.push_back(call->inputs);
            check.references.push_back(call->expected);
        }
        settings.drawnBlocks = !full; // What is too large to be checked whole.
        const std::string& words = (*chosen.begin())->words;
        if (size > 0 || !words.empty())
            check.name = words.empty() ? at.name : fmt::format("{}, {}", at.name, words);
        cases.add(at.contents, std::move(inputs), std::move(settings), std::move(check));
    };
    const Checks level = full ? Checks::All : Checks::None;
    std::uint64_t schedule = seed + 64 * size;
    const auto first = static_cast<int>(cases.size());
    add(m_maker.settings(schedule++, level, work), {&calls.drawn[0], &calls.drawn[1]}, {});
    CaseCheck again;
    again.repeats = first;
    again.timed = size == 0 && !request.measured;
    add(m_maker.inOrder(schedule++, level, work), {&calls.drawn[0]}, std::move(again));
    for (const OperatorCall& call : calls.changed)
        add(m_maker.settings(schedule++, level, work), {&call}, {});
}

Result<CasePlan> OperatorCases::onSimulator(const CaseRequest& request)
{
    SPARSERL_TRY(const auto calls, callsFor(request.seed));
    const std::uint64_t seed = deriveSeed(m_maker.secret(), request.seed, "schedule " + m_digest);
    CasePlan cases;
    for (std::size_t i = 0; i < m_sizes.size() && !request.checked; ++i)
        addChecks(cases, i, (*calls)[i], request, seed);
    if (request.measured) {
        const OperatorCall& call = calls->front().drawn.front();
        CaseCheck check;
        check.timed = true;
        check.references = {call.expected};
        auto settings = m_maker.inOrder(seed + 63, Checks::Counters, workload(request.variant));
        settings.lineCounters = request.lineCounters;
        cases.add(own(), std::vector<CallNumbers>{call.inputs}, std::move(settings), std::move(check));
    }
    return cases;
}

Result<std::vector<Size>> sharedSizes(const Target& target)
{
    const OperatorTask& task = *target.operation;
    std::vector<Size> sizes;
    std::vector<Contents> contents;
    std::string key;
    const auto add = [&](const OperatorSize& size, const std::string& otherwise) {
        const auto& signature = target.signatures[sizes.size()];
        key += formatSignature(*signature);
        Size& made = sizes.emplace_back();
        made.name = size.graph.size.empty() ? otherwise : size.graph.size;
        made.task = &size;
        made.contents.signature = signature;
        contents.push_back({nullptr, {}, made.contents.signature});
    };
    add(task.own, "base");
    for (std::size_t i = 0; i < task.others.size(); ++i)
        add(task.others[i], fmt::format("size {}", i + 2));
    SPARSERL_TRY(auto shared, shareContents(contents));
    const auto buffer = std::make_shared<SharedBuffer>(std::move(shared));
    const std::string file = "operator " + sha256Hex(key);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        SharedContents& made = sizes[i].contents;
        made.key = keyInFile(file, i, sizes.size());
        made.buffer = buffer;
        made.file = file;
    }
    return sizes;
}

OracleOptions oracleOptions(const JudgeOptions& judge)
{
    constexpr double secondsOfSize = 120; ///< Of the runs of one call: sizes that are simulated are small.
    OracleOptions options;
    options.runner = judge.runnerPath;
    options.jobSeconds = secondsOfSize;
    options.requiredSandbox = judge.requiredSandbox;
    return options;
}

} // namespace

OperatorKind::OperatorKind(const CaseMaker& maker)
    : m_maker(maker)
    , m_oracle(oracleOptions(maker.options()))
{
}

Result<std::unique_ptr<TargetCases>> OperatorKind::make(const Target& target)
{
    if (!target.operation || target.id.contents.empty() ||
        target.signatures.size() != target.operation->others.size() + 1)
        return fail("a request names no operator");
    SPARSERL_TRY(auto sizes, sharedSizes(target));
    return std::make_unique<OperatorCases>(m_maker, m_oracle, target, std::move(sizes));
}

} // namespace sparserl
