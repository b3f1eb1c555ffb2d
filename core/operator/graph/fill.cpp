// SPDX-License-Identifier: Apache-2.0
#include "operator/graph/fill.h"

#include "base/json.h"

#include <cmath>

namespace sparserl {

namespace {

constexpr double largestWhole = 9007199254740992.0; // 2^53

struct FillName
{
    FillKind kind;
    const char* name;
};
constexpr FillName fillNames[] = {{FillKind::Constant, "constant"},
                                  {FillKind::Uniform, "uniform"},
                                  {FillKind::Normal, "normal"},
                                  {FillKind::Integers, "integers"}};

bool isSound(const Fill& fill)
{
    if (!std::isfinite(fill.first) || !std::isfinite(fill.second))
        return false;
    if (fill.kind == FillKind::Uniform)
        return fill.first <= fill.second && std::isfinite(fill.second - fill.first);
    if (fill.kind == FillKind::Normal)
        return fill.second >= 0;
    if (fill.kind == FillKind::Integers)
        return fill.first < fill.second && std::fabs(fill.first) <= largestWhole &&
               std::fabs(fill.second) <= largestWhole && std::floor(fill.first) == fill.first &&
               std::floor(fill.second) == fill.second;
    return true;
}

} // namespace

nlohmann::json toJson(const Fill& fill)
{
    for (const FillName& known : fillNames)
        if (known.kind == fill.kind)
            return fill.kind == FillKind::Constant ? nlohmann::json{{known.name, fill.first}}
                                                   : nlohmann::json{{known.name, {fill.first, fill.second}}};
    return {};
}

Result<Fill> fillFromJson(const nlohmann::json& json)
{
    if (json.is_object() && json.size() == 1)
        for (const FillName& known : fillNames) {
            const auto member = json.find(known.name);
            if (member == json.end())
                continue;
            Fill fill;
            fill.kind = known.kind;
            if (known.kind == FillKind::Constant) {
                if (const auto value = jsonAs<double>(*member))
                    fill.first = *value;
                else
                    break;
            } else {
                const auto pair = jsonAs<std::vector<double>>(*member);
                if (!pair || pair->size() != 2)
                    break;
                fill.first = pair->front();
                fill.second = pair->back();
            }
            if (!isSound(fill))
                break;
            return fill;
        }
    return fail(
        "a fill must be {\"constant\": X}, {\"uniform\": [LOW, HIGH]}, {\"normal\": [MEAN, DEVIATION]} "
        "or {\"integers\": [LOW, HIGH]} with finite numbers in order");
}

} // namespace sparserl
