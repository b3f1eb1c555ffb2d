// SPDX-License-Identifier: Apache-2.0
#include "operator/graph/fill.h"

#include "base/json.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>
#include <string>

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

struct StepName
{
    FillOperation operation;
    const char* name;
    bool hasNumber = true;
};
constexpr StepName stepNames[] = {
    {FillOperation::Add, "add"},
    {FillOperation::Multiply, "mul"},
    {FillOperation::Divide, "div"},
    {FillOperation::AtLeast, "at_least"},
    {FillOperation::AtMost, "at_most"},
    {FillOperation::Equal, "eq"},
    {FillOperation::NotEqual, "ne"},
    {FillOperation::Greater, "gt"},
    {FillOperation::GreaterEqual, "ge"},
    {FillOperation::Less, "lt"},
    {FillOperation::LessEqual, "le"},
    {FillOperation::LowerTriangle, "tril"},
    {FillOperation::UpperTriangle, "triu"},
    {FillOperation::Softmax, "softmax", false},
    {FillOperation::Cut, "trunc", false},
    {FillOperation::Exponential, "exp", false},
    {FillOperation::Logarithm, "log", false},
    {FillOperation::Magnitude, "abs", false},
    {FillOperation::InverseErf, "erfinv", false},
};

const StepName& nameOf(FillOperation operation)
{
    return *std::ranges::find(stepNames, operation, &StepName::operation);
}

Result<FillStep> stepFromJson(const nlohmann::json& json)
{
    const bool alone = json.is_string();
    if (alone || (json.is_object() && json.size() == 1)) {
        const std::string name = alone ? json.get<std::string>() : json.begin().key();
        const auto* const known = std::ranges::find(stepNames, name, &StepName::name);
        if (known != std::end(stepNames) && known->hasNumber != alone) {
            const auto by = alone ? std::optional(0.0) : jsonAs<double>(*json.begin());
            if (by && std::isfinite(*by) && (known->operation != FillOperation::Divide || *by != 0))
                return FillStep{known->operation, *by};
        }
    }
    return fail("a step of a fill is none of those that graphs know (docs/formats.md 8)");
}

void softmaxOf(std::span<double> elements)
{
    double most = -HUGE_VAL, sum = 0;
    for (const double element : elements)
        most = std::max(most, element);
    for (double& element : elements)
        sum += element = std::exp(element - most);
    for (double& element : elements)
        element /= sum;
}

double stepped(FillOperation operation, double element, double by)
{
    switch (operation) {
    case FillOperation::Add:
        return element + by;
    case FillOperation::Multiply:
        return element * by;
    case FillOperation::Divide:
        return element / by;
    case FillOperation::AtLeast:
        return std::max(element, by);
    case FillOperation::AtMost:
        return std::min(element, by);
    case FillOperation::Equal:
        return element == by ? 1 : 0;
    case FillOperation::NotEqual:
        return element != by ? 1 : 0;
    case FillOperation::Greater:
        return element > by ? 1 : 0;
    case FillOperation::GreaterEqual:
        return element >= by ? 1 : 0;
    case FillOperation::Less:
        return element < by ? 1 : 0;
    case FillOperation::LessEqual:
        return element <= by ? 1 : 0;
    case FillOperation::Cut:
        return std::trunc(element);
    case FillOperation::Exponential:
        return std::exp(element);
    case FillOperation::Logarithm:
        return std::log(element);
    case FillOperation::Magnitude:
        return std::fabs(element);
    case FillOperation::InverseErf:
        return inverseErf(element);
    case FillOperation::LowerTriangle:
    case FillOperation::UpperTriangle:
    case FillOperation::Softmax:
        break; // These steps change whole rows (fillRow()).
    }
    return element;
}

double draw(const Fill& fill, Rng& rng)
{
    switch (fill.kind) {
    case FillKind::Constant:
        return fill.first;
    case FillKind::Uniform:
        return rng.uniform(fill.first, fill.second);
    case FillKind::Normal:
        return fill.first + fill.second * rng.normal();
    case FillKind::Integers:
        return static_cast<double>(
            rng.between(static_cast<std::int64_t>(fill.first), static_cast<std::int64_t>(fill.second) - 1));
    }
    return 0;
}

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
    nlohmann::json json;
    for (const FillName& known : fillNames)
        if (known.kind == fill.kind)
            json = fill.kind == FillKind::Constant ? nlohmann::json{{known.name, fill.first}}
                                                   : nlohmann::json{{known.name, {fill.first, fill.second}}};
    for (const FillStep& step : fill.then) {
        const StepName& known = nameOf(step.operation);
        json["then"].push_back(known.hasNumber ? nlohmann::json{{known.name, step.by}}
                                               : nlohmann::json(known.name));
    }
    return json;
}

Result<Fill> fillFromJson(const nlohmann::json& json)
{
    const bool steps = json.is_object() && json.contains("then");
    if (json.is_object() && json.size() == (steps ? 2 : 1))
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
            if (!steps)
                return fill;
            const auto& then = json["then"];
            if (!then.is_array() || then.size() > Fill::mostSteps)
                return fail(
                    fmt::format("\"then\" of a fill must be a list of at most {} steps", Fill::mostSteps));
            for (const auto& one : then) {
                SPARSERL_TRY(const auto step, stepFromJson(one));
                fill.then.push_back(step);
            }
            return fill;
        }
    return fail(
        "a fill must be {\"constant\": X}, {\"uniform\": [LOW, HIGH]}, {\"normal\": [MEAN, DEVIATION]} "
        "or {\"integers\": [LOW, HIGH]} with finite numbers in order, and may have steps in \"then\"");
}

void fillRow(const Fill& fill, std::int64_t row, std::int64_t column, std::span<double> elements, Rng& rng)
{
    for (double& element : elements)
        element = draw(fill, rng);
    for (const FillStep& step : fill.then) {
        if (step.operation == FillOperation::Softmax) {
            softmaxOf(elements);
            continue;
        }
        const bool lower = step.operation == FillOperation::LowerTriangle;
        if (lower || step.operation == FillOperation::UpperTriangle) {
            for (std::size_t i = 0; i < elements.size(); ++i) {
                const double above = static_cast<double>(column - row) + static_cast<double>(i);
                if (lower ? above > step.by : above < step.by)
                    elements[i] = 0;
            }
            continue;
        }
        for (double& element : elements)
            element = stepped(step.operation, element, step.by);
    }
}

double inverseErf(double x)
{
    if (!(std::fabs(x) < 1))
        return std::fabs(x) == 1 ? std::copysign(HUGE_VAL, x) : std::nan("");
    // Starts from Winitzki's approximation, and improves it by Newton's method on erfc, which stays precise
    // for x near 1.
    constexpr double a = 0.147;
    const double size = std::fabs(x), logarithm = std::log1p(-size * size);
    const double middle = 2 / (std::numbers::pi * a) + logarithm / 2;
    double y = std::sqrt(std::sqrt(middle * middle - logarithm / a) - middle);
    for (int i = 0; i < 4; ++i)
        y += (std::erfc(y) - (1 - size)) * std::exp(y * y) * std::sqrt(std::numbers::pi) / 2;
    return std::copysign(y, x);
}

} // namespace sparserl
