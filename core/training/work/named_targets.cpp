// SPDX-License-Identifier: Apache-2.0
#include "training/work/named_targets.h"

#include "training/parameters/matrix_names.h"
#include "training/parameters/parameter_keys.h"
#include "verdict/names.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace sparserl {

namespace {

const Param<std::string>* listOf(StageKind kind)
{
    return kind == StageKind::Evaluate ? &param::evaluate::matrices
           : kind == StageKind::Search ? &param::search::matrices
                                       : nullptr;
}

} // namespace

Status keepNamedTargets(StageKind kind, const ParameterSet& parameters, std::vector<StageTarget>& targets)
{
    const Param<std::string>* const list = listOf(kind);
    const auto names = list != nullptr ? matrixNames(parameters[*list]) : std::vector<std::string>();
    if (names.empty())
        return {};
    std::set<std::string> found;
    std::erase_if(targets, [&](const StageTarget& target) {
        const auto named = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
            return name == target.target.id.name || name == target.target.id.contents;
        });
        if (named == names.end())
            return true;
        found.insert(*named);
        return false;
    });
    for (const std::string& name : names) {
        if (!found.contains(name))
            return fail(
                fmt::format("the project has no matrix \"{}\"", name),
                fmt::format("Import it, or name matrices of the project in {}, separated by semicolons",
                            list->key));
    }
    return {};
}

std::vector<const StageTarget*> targetsOfSplit(const std::vector<StageTarget>& targets,
                                               const std::string& split)
{
    std::vector<const StageTarget*> chosen;
    for (const StageTarget& target : targets)
        if (split == "all" || split == split::of(target.heldOut))
            chosen.push_back(&target);
    return chosen;
}

} // namespace sparserl
