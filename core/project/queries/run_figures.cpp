// SPDX-License-Identifier: Apache-2.0
#include "project/queries/run_figures.h"

#include "project/run/metrics.h"
#include "verdict/names.h"

#include <charconv>

namespace sparserl {

namespace {

constexpr std::string_view figureKinds[] = {"metric:", "parameter:", "tag:"};

bool isSplit(std::string_view text)
{
    return text == split::train || text == split::heldOut || text == systemSplit;
}

} // namespace

RunFigure metricFigure(std::string_view nameAndSplit)
{
    RunFigure figure;
    const auto colon = nameAndSplit.rfind(':');
    const bool split = colon != std::string_view::npos && isSplit(nameAndSplit.substr(colon + 1));
    figure.name = nameAndSplit.substr(0, split ? colon : std::string_view::npos);
    if (split)
        figure.split = nameAndSplit.substr(colon + 1);
    return figure;
}

std::string RunFigure::text() const
{
    std::string text(figureKinds[static_cast<std::size_t>(kind)]);
    text += name;
    if (!split.empty())
        text += ":" + split;
    return text;
}

std::optional<RunFigure> RunFigure::fromText(std::string_view text)
{
    for (const Kind kind : {Kind::Metric, Kind::Parameter, Kind::Tag}) {
        const std::string_view prefix = figureKinds[static_cast<std::size_t>(kind)];
        if (!text.starts_with(prefix) || text.size() == prefix.size())
            continue;
        const std::string_view rest = text.substr(prefix.size());
        RunFigure figure = kind == Kind::Metric ? metricFigure(rest) : RunFigure{kind, std::string(rest), {}};
        return figure;
    }
    return {};
}

std::optional<double> RunFigures::metric(const std::string& name, const std::string& split) const
{
    const auto found = metrics.find(name);
    if (found == metrics.end() || found->second.empty())
        return {};
    const auto at = found->second.find(split.empty() ? std::string(split::train) : split);
    if (at != found->second.end())
        return at->second;
    return split.empty() ? std::optional(found->second.begin()->second) : std::nullopt;
}

const std::string* RunFigures::parameter(const std::string& key) const
{
    if (!parameters)
        return nullptr;
    const auto found = parameters->find(key);
    return found == parameters->end() ? nullptr : &found->second;
}

std::optional<double> RunFigures::parameterNumber(const std::string& key) const
{
    const std::string* text = parameter(key);
    if (!text)
        return {};
    if (*text == "true" || *text == "false")
        return *text == "true" ? 1 : 0;
    double value = 0;
    const auto [end, code] = std::from_chars(text->data(), text->data() + text->size(), value);
    return code == std::errc() && end == text->data() + text->size() ? std::optional(value) : std::nullopt;
}

std::optional<double> RunFigures::number(const RunFigure& figure) const
{
    switch (figure.kind) {
    case RunFigure::Kind::Metric:
        return metric(figure.name, figure.split);
    case RunFigure::Kind::Parameter:
        return parameterNumber(figure.name);
    case RunFigure::Kind::Tag:
        break;
    }
    return {};
}

} // namespace sparserl
