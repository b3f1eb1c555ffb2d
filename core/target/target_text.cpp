// SPDX-License-Identifier: Apache-2.0
#include "target/target_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sparserl {

std::string labelOf(const TargetId& target)
{
    return target.denseColumns > 1 ? fmt::format("{} ({} columns)", target.name, target.denseColumns)
                                   : target.name;
}

std::string fileSuffixOf(const TargetId& target)
{
    return target.denseColumns > 1 ? fmt::format("-x{}", target.denseColumns) : std::string();
}

nlohmann::json variantJson(const TargetId& target)
{
    nlohmann::json json = nlohmann::json::object();
    if (target.denseColumns > 1)
        json = {{"task", nameOf(target.task())}, {"dense_columns", target.denseColumns}};
    return json;
}

} // namespace sparserl
