// SPDX-License-Identifier: Apache-2.0
#include "evaluation/operators/synthesize.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/interruption.h"
#include "base/json.h"
#include "base/printable.h"
#include "operator/graph/graph_digest.h"
#include "operator/graph/graph_facts.h"
#include "operator/graph/graph_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace sparserl {

namespace {

constexpr double mostBytes = 40e9; ///< Of all tensors of a task at its full size; half of what an H100 has.
constexpr std::size_t drawsPerTask = 200;

/// Bytes of all values of a graph, as if none were freed.
double bytesOfAll(const OperatorGraph& graph)
{
    double bytes = 0;
    for (const TensorType& type : graph.values)
        bytes += static_cast<double>(type.elements()) * static_cast<double>(bytesOf(type.element));
    return bytes;
}

/// One task on its way through the filters.
class TaskFilter
{
public:
    TaskFilter(const SynthesisOptions& options, SynthesisFunnel& funnel)
        : m_options(options)
        , m_funnel(funnel)
    {
    }

    /// Filters that need no process.
    bool passesByItself(const OperatorGraph& base, const OperatorGraph& full,
                        const std::set<std::string>& structures)
    {
        if (structures.contains(graphStructure(base)))
            return drop(m_funnel.repeated);
        const double seconds = modelledSeconds(graphFacts(full), m_options);
        if (seconds < m_options.leastSeconds)
            return drop(m_funnel.tooQuick);
        if (seconds > m_options.mostSeconds)
            return drop(m_funnel.tooSlow);
        if (bytesOfAll(full) > mostBytes)
            return drop(m_funnel.tooLarge);
        const GraphParts parts = partsOf(base);
        for (const HeldOutSet& set : m_options.heldOut)
            for (const GraphParts& task : set.tasks)
                if (similarityOf(parts, task) > m_options.mostSimilar)
                    return drop(m_funnel.similar[set.name]);
        return true;
    }

    /// Runs a size twice. nullopt: it was dropped.
    Result<std::optional<OracleReport>> examine(OracleProcess& oracle, const OperatorGraph& graph)
    {
        const std::string text = dumpJson(toJson(graph));
        auto first = oracle.examine(text, {});
        if (!first) {
            if (isInterruption(first.error()))
                return fail(first.error());
            drop(m_funnel.refused[first.error().what]);
            return std::nullopt;
        }
        const auto second = oracle.examine(text, {});
        if (!second && isInterruption(second.error()))
            return fail(second.error());
        if (!second || !sameOutputs(*first, *second)) {
            drop(m_funnel.notDeterministic);
            return std::nullopt;
        }
        if (std::ranges::any_of(first->outputs, &OutputSummary::oneValue))
            drop(m_funnel.constant);
        else if (!first->deaf.empty())
            drop(m_funnel.deaf);
        else if (isRounding(*first) ||
                 std::ranges::any_of(first->outputs, [](const auto& one) { return one.notFinite > 0; }))
            drop(m_funnel.rounding);
        else
            return std::optional(std::move(*first));
        return std::nullopt;
    }

private:
    static bool drop(std::size_t& count)
    {
        ++count;
        return false;
    }
    static bool sameOutputs(const OracleReport& a, const OracleReport& b)
    {
        return std::ranges::equal(a.outputs, b.outputs, {}, &OutputSummary::digest, &OutputSummary::digest);
    }

    const SynthesisOptions& m_options;
    SynthesisFunnel& m_funnel;
};

} // namespace

double modelledSeconds(const GraphFacts& facts, const SynthesisOptions& options)
{
    return std::max(facts.movedBytes / options.bytesPerSecond, facts.flops / options.flopsPerSecond);
}

Result<HeldOutSet> readHeldOut(const std::string& name, const std::filesystem::path& folder)
{
    HeldOutSet set{name, {}};
    SPARSERL_TRY(const auto files, listTree(folder));
    for (const auto& file : files) {
        if (file.filename() != "base.json")
            continue;
        SPARSERL_TRY(const auto graph, readGraph(file));
        set.tasks.push_back(partsOf(graph));
    }
    if (set.tasks.empty())
        return failAt(folder.string(), 0, "there is no imported task (base.json) in this folder",
                      "Name the folder that `sparserl operator import --out` wrote");
    return set;
}

Result<SynthesisFunnel> synthesize(const SynthesisOptions& options, OracleProcess& oracle,
                                   const TakeTask& take)
{
    SynthesisFunnel funnel;
    const Rng root(options.seed);
    std::set<std::string> structures;
    while (funnel.kept < options.count && funnel.drawn < drawsPerTask * options.count) {
        if (options.cancel.cancelled())
            return fail(interruption());
        Rng rng = root.derive(funnel.drawn);
        ++funnel.drawn;
        const auto stack = drawStack(rng.pick(options.mixture) + 1, rng);
        std::string name = fmt::format("{:04}", funnel.kept + 1);
        for (const auto& layer : stack.layers)
            name += "_" + std::string(layer.kind->name);
        ImportedTask task;
        for (const char* const size : stackSizes)
            task.sizes.push_back({buildStack(stack, name, size), {}, {}});
        task.full = std::move(task.sizes.back());
        task.sizes.pop_back();
        TaskFilter filter(options, funnel);
        if (!filter.passesByItself(task.sizes.front().graph, task.full->graph, structures))
            continue;
        TaskRecord record;
        record.name = name;
        record.mode = task.full->graph.mode;
        record.layers = static_cast<int>(stack.layers.size());
        for (const ImportedSize& size : task.sizes) {
            SPARSERL_TRY(auto report, filter.examine(oracle, size.graph));
            if (!report)
                break;
            record.sizes.push_back(sizeRecord(size.graph));
            record.sizes.back().report = std::move(*report);
        }
        if (record.sizes.size() < task.sizes.size())
            continue;
        record.sizes.push_back(sizeRecord(task.full->graph));
        structures.insert(record.sizes.front().structure);
        ++funnel.kept;
        SPARSERL_CHECK(take(task, record, funnel));
    }
    return funnel;
}

} // namespace sparserl
