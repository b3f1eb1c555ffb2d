// SPDX-License-Identifier: Apache-2.0
#include "target/target_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sparserl {

namespace {

bool isWide(const TargetId& target)
{
    return target.task() == Task::SpMM;
}

bool isOtherType(const TargetId& target)
{
    return target.variant.type != ElementType::F32;
}

} // namespace

std::string labelOf(const TargetId& target)
{
    std::string more;
    if (isWide(target))
        more = fmt::format("{} columns", target.variant.columns);
    if (isOtherType(target))
        more += fmt::format("{}{}", more.empty() ? "" : ", ", nameOf(target.variant.type));
    return more.empty() ? target.name : fmt::format("{} ({})", target.name, more);
}

std::string taskWords(const TargetVariant& variant)
{
    std::string words(nameOf(variant.task()));
    if (variant.type != ElementType::F32)
        words.append(" ").append(nameOf(variant.type));
    return words;
}

std::string fileSuffixOf(const TargetId& target)
{
    std::string suffix;
    if (isWide(target))
        suffix = fmt::format("-x{}", target.variant.columns);
    if (isOtherType(target))
        suffix += fmt::format("-{}", nameOf(target.variant.type));
    return suffix;
}

nlohmann::json variantJson(const TargetId& target)
{
    nlohmann::json json = nlohmann::json::object();
    if (isWide(target)) {
        json["task"] = nameOf(target.task());
        json["dense_columns"] = target.variant.columns;
    }
    if (isOtherType(target))
        json["element_type"] = nameOf(target.variant.type);
    return json;
}

} // namespace sparserl
