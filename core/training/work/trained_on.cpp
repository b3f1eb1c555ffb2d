// SPDX-License-Identifier: Apache-2.0
#include "training/work/trained_on.h"

#include "base/beneath.h"
#include "base/control_file.h"
#include "base/format_number.h"
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
    SPARSERL_TRY(const auto json, readControlJson(file));
    if (json.is_object())
        SPARSERL_CHECK(checkFormat(json, 1, "the list of what the policy was trained on", file.string()));
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

std::string holdToTrainedOn(StageKind kind, const std::set<std::string>& trainedOn,
                            std::vector<StageTarget>& matrices)
{
    constexpr std::size_t mostNamed = 5;
    std::size_t count = 0;
    std::string names;
    const auto seen = [&](const StageTarget& matrix) {
        return matrix.heldOut && trainedOn.contains(matrix.target.id.contents);
    };
    const bool evaluates = kind == StageKind::Evaluate;
    for (StageTarget& matrix : matrices) {
        if (!seen(matrix))
            continue;
        if (++count <= mostNamed)
            names += fmt::format("{}\"{}\"", count == 1 ? "" : ", ", matrix.target.id.name);
        if (evaluates)
            matrix.heldOut = false;
    }
    std::erase_if(matrices, seen);
    if (count == 0)
        return {};
    if (count > mostNamed)
        names += fmt::format(" and {} more", count - mostNamed);
    const bool one = count == 1;
    if (evaluates) // whatever the project says of them
        return fmt::format("The policy, or one that it came from, was trained on the {} {}: {} as \"train\".",
                           one ? "matrix" : "matrices", names, one ? "it counts" : "they count");
    return fmt::format("The {} {} {} held out, but the policy or one that it came from was trained on {}: "
                       "held-out figures leave {} out.",
                       one ? "matrix" : "matrices", names, one ? "is" : "are", one ? "it" : "them",
                       one ? "it" : "them");
}

} // namespace sparserl
