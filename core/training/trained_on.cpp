// SPDX-License-Identifier: Apache-2.0
#include "training/trained_on.h"

#include "base/beneath.h"
#include "base/json.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sparserl {
namespace {

constexpr const char* fileName = "trained_on.json";

} // namespace

Result<std::set<std::string>> readTrainedOn(const std::filesystem::path& policy)
{
    const auto file = policy / fileName;
    SPARSERL_TRY(const auto entry, lookAt(file));
    if (!entry.exists)
        return std::set<std::string>();
    SPARSERL_TRY(const auto json, readJson(file));
    std::set<std::string> digests;
    const auto list = json.is_object() && json.contains("digests") ? json["digests"] : nlohmann::json();
    for (const auto& digest : list.is_array() ? list : nlohmann::json::array()) {
        if (digest.is_string())
            digests.insert(digest.get<std::string>());
    }
    return digests;
}

Status writeTrainedOn(const std::filesystem::path& policy, const std::set<std::string>& digests)
{
    return writeJson(policy / fileName, {{"format", 1}, {"digests", digests}});
}

std::vector<std::string> holdToTrainedOn(StageKind kind, const std::set<std::string>& trainedOn,
                                         std::vector<StageTarget>& matrices)
{
    std::vector<std::string> sentences;
    const auto seen = [&](const StageTarget& matrix) {
        return matrix.heldOut && trainedOn.contains(matrix.target.id.contents);
    };
    const bool evaluates = kind == StageKind::Evaluate;
    for (StageTarget& matrix : matrices) {
        if (!seen(matrix))
            continue;
        sentences.push_back(fmt::format(
            "The matrix \"{}\" is held out, but the policy or one that it came from was trained on "
            "it: {}.",
            matrix.target.id.name,
            evaluates ? "it counts as one of \"train\"" : "held-out figures leave it out"));
        if (evaluates)
            matrix.heldOut = false;
    }
    std::erase_if(matrices, seen);
    return sentences;
}

} // namespace sparserl
