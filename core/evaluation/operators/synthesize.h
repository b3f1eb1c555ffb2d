// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/runners/oracle_process.h"
#include "operator/graph/graph_facts.h"
#include "operator/import/task_folder.h"
#include "operator/synthesis/similarity.h"
#include "operator/synthesis/synthesis.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace sparserl {

/// Tasks that no made one may be too similar to.
struct HeldOutSet
{
    std::string name;
    std::vector<GraphParts> tasks;
};
/// The tasks (base.json) below a folder.
Result<HeldOutSet> readHeldOut(const std::string& name, const std::filesystem::path& folder);

struct SynthesisOptions
{
    std::size_t count = 100; ///< Of tasks to keep.
    std::uint64_t seed = 1;
    std::array<double, mostStacked> mixture = defaultMixture;
    double leastSeconds = 1e-3, mostSeconds = 0.1;           ///< At the full size, by the model.
    double bytesPerSecond = 3.35e12, flopsPerSecond = 67e12; ///< Of the modelled GPU: an H100's.
    double mostSimilar = 0.9;
    std::vector<HeldOutSet> heldOut;
    CancelToken cancel;
};

/// What became of the tasks that were drawn. Each is counted once, in the order of the members.
struct SynthesisFunnel
{
    std::size_t drawn = 0;
    std::size_t repeated = 0;                   ///< Of the structure of one that was kept.
    std::size_t tooQuick = 0, tooSlow = 0;      ///< By the model.
    std::size_t tooLarge = 0;                   ///< Tensors of more than a GPU has memory for.
    std::map<std::string, std::size_t> similar; ///< By the set that holds the similar task.
    std::map<std::string, std::size_t> refused; ///< By the oracle; by its sentence.
    std::size_t notDeterministic = 0, constant = 0, deaf = 0, rounding = 0;
    std::size_t kept = 0;

    bool operator==(const SynthesisFunnel&) const = default;
};

template <>
struct Fields<SynthesisFunnel>
{
    static void of(auto& r, auto& field)
    {
        field("drawn", r.drawn);
        field("repeated", r.repeated);
        field("too_quick", r.tooQuick);
        field("too_slow", r.tooSlow);
        field("too_large", r.tooLarge);
        field("similar", r.similar);
        field("refused", r.refused);
        field("not_deterministic", r.notDeterministic);
        field("constant", r.constant);
        field("deaf", r.deaf);
        field("rounding", r.rounding);
        field("kept", r.kept);
    }
};

/// Takes a task that passed; its tensors are all fills.
using TakeTask = std::function<Status(const ImportedTask&, const TaskRecord&, const SynthesisFunnel&)>;

/// Draws stacks of operators until `count` pass the filters or too many were drawn for that. The result
/// depends on the options alone.
Result<SynthesisFunnel> synthesize(const SynthesisOptions& options, OracleProcess& oracle,
                                   const TakeTask& take);

/// Seconds that eager execution takes on the modelled GPU: what its calls move or compute, whatever takes
/// longer.
double modelledSeconds(const GraphFacts& facts, const SynthesisOptions& options);

} // namespace sparserl
