// SPDX-License-Identifier: Apache-2.0
#include "project/queries/policy_sight.h"

#include "base/control_file.h"
#include "base/json.h"

#include <algorithm>

namespace sparserl {

Result<PolicySight> newestPolicySight(ProjectReader& reader)
{
    SPARSERL_TRY(auto checkpoints, reader.checkpoints());
    std::sort(checkpoints.begin(), checkpoints.end(),
              [](const CheckpointRow& a, const CheckpointRow& b) { return a.t > b.t; });
    constexpr std::size_t looked = 8; // older ones tell nothing new
    for (std::size_t i = 0; i < std::min(checkpoints.size(), looked); ++i) {
        const CheckpointRow& row = checkpoints[i];
        if (!row.present)
            continue;
        const auto config = readControlJson(row.path / "config.json");
        if (!config || !config->is_object() || !config->contains("sparserl"))
            continue;
        const auto& own = (*config)["sparserl"];
        if (!own.is_object() || !own.contains("embedding") || !own["embedding"].is_object())
            continue;
        PolicySight sight;
        sight.policy = row.runName + "/" + row.name;
        const auto entries = jsonValue<std::int64_t>(own["embedding"], "max_entries", sight.entries);
        sight.entries = static_cast<int>(std::clamp<std::int64_t>(entries, 1, 65536));
        sight.windows = jsonValue<std::string>(own["embedding"], "mode", {}) == "sinusoidal+structure";
        return sight;
    }
    return PolicySight();
}

} // namespace sparserl
