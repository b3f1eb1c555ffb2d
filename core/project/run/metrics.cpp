// SPDX-License-Identifier: Apache-2.0
#include "project/run/metrics.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>

namespace sparserl {

namespace {

std::vector<std::string_view> partsOf(std::string_view parts)
{
    std::vector<std::string_view> result;
    while (!parts.empty()) {
        const auto end = std::min(parts.find(' '), parts.size());
        result.push_back(parts.substr(0, end));
        parts.remove_prefix(std::min(end + 1, parts.size()));
    }
    return result;
}

/// `part` stands behind a name: its '#' is any number.
bool matches(std::string_view pattern, std::string_view part)
{
    const auto number = pattern.find('#');
    if (number == std::string_view::npos)
        return pattern == part;
    if (part.size() <= number || part.substr(0, number) != pattern.substr(0, number))
        return false;
    const auto digits = part.substr(number);
    return std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::vector<std::string> namesOf(std::string_view name, const std::vector<std::string_view>& parts)
{
    if (parts.empty())
        return {std::string(name)};
    std::vector<std::string> result;
    result.reserve(parts.size());
    for (const auto part : parts)
        result.push_back(MetricId{name}.part(part));
    return result;
}

/// A row of another program's name.
struct Alias
{
    std::string_view name, parts, of, ofParts;
};

constexpr Alias aliases[] = {
#define SPARSERL_METRIC(...)
#define SPARSERL_METRIC_ALIAS(IDENTIFIER, NAME, PARTS, OF, OF_PARTS) {NAME, PARTS, OF, OF_PARTS},
#include "project/run/metrics.def"
#undef SPARSERL_METRIC_ALIAS
#undef SPARSERL_METRIC
};

/// Describes aliases as their originals are described, which may have later rows.
void describeAliases(std::vector<MetricDescription>& all)
{
    for (const Alias& alias : aliases) {
        const auto alike = std::ranges::find(all, alias.name, &MetricDescription::name);
        const auto original = std::ranges::find(all, alias.of, &MetricDescription::name);
        alike->unit = original->unit;
        alike->better = original->better;
        alike->panel = original->panel;
        alike->help = fmt::format("As {}.", fmt::join(namesOf(alias.of, partsOf(alias.ofParts)), ", "));
    }
}

std::string_view nameOf(MetricDescription::Better better)
{
    switch (better) {
    case MetricDescription::Better::Higher:
        return "higher";
    case MetricDescription::Better::Lower:
        return "lower";
    case MetricDescription::Better::Neither:
        break;
    }
    return "";
}

} // namespace

std::string MetricId::part(std::string_view name) const
{
    const bool joined = !name.empty() && (name.front() == '_' || name.front() == '@');
    return std::string(text) + (joined ? "" : "/") + std::string(name);
}

std::vector<std::string> MetricDescription::names() const
{
    return namesOf(name, parts);
}

std::span<const MetricDescription> metricDescriptions()
{
    using enum MetricDescription::Better;
    static const std::vector<MetricDescription> all = [] {
        std::vector<MetricDescription> described;
#define SPARSERL_METRIC(IDENTIFIER, NAME, PARTS, UNIT, BETTER, PANEL, HELP)                                  \
    described.push_back({NAME, partsOf(PARTS), UNIT, BETTER, PANEL, HELP});
#define SPARSERL_METRIC_ALIAS(IDENTIFIER, NAME, PARTS, OF, OF_PARTS)                                         \
    described.push_back({NAME, partsOf(PARTS)});
#include "project/run/metrics.def"
#undef SPARSERL_METRIC_ALIAS
#undef SPARSERL_METRIC
        describeAliases(described);
        return described;
    }();
    return all;
}

void addAliases(std::map<std::string, double>& metrics)
{
    static const std::vector<std::pair<std::string, std::string>> all = [] {
        std::vector<std::pair<std::string, std::string>> pairs;
        for (const Alias& alias : aliases) {
            const auto names = namesOf(alias.name, partsOf(alias.parts)),
                       originals = namesOf(alias.of, partsOf(alias.ofParts));
            for (std::size_t i = 0; i < names.size(); ++i)
                pairs.emplace_back(names[i], originals[i]);
        }
        return pairs;
    }();
    for (const auto& [name, original] : all)
        if (const auto found = metrics.find(original); found != metrics.end())
            metrics[name] = found->second;
}

const MetricDescription* findMetric(std::string_view name)
{
    // Asked for every name of a journal, which others may have filled with many.
    static const auto wholes = [] {
        std::vector<std::pair<std::string, const MetricDescription*>> all;
        for (const auto& description : metricDescriptions())
            for (const auto part : description.parts)
                all.emplace_back(MetricId{description.name}.part(part), &description);
        return all;
    }();
    for (const auto& description : metricDescriptions())
        if (description.parts.empty() && description.name == name)
            return &description;
    const auto found =
        std::find_if(wholes.begin(), wholes.end(), [&](const auto& one) { return matches(one.first, name); });
    return found == wholes.end() ? nullptr : found->second;
}

std::optional<int> headlineRank(std::string_view stage, std::string_view name)
{
    std::vector<std::string> order{metric::reward, metric::penalisedReward.part("mean"), metric::correctRate};
    // What learns from texts is about its loss, also where evaluations sample programs in between.
    const bool fromTexts = stage != "rl" && stage != "evaluate" && !stage.empty();
    if (stage == "search")
        order.insert(order.begin(), metric::searchGain);
    order.insert(fromTexts ? order.begin() : order.end(), metric::loss);
    const auto found = std::find(order.begin(), order.end(), name);
    return found == order.end() ? std::nullopt : std::optional(static_cast<int>(found - order.begin()));
}

std::string describeMetricsMarkdown()
{
    std::string text;
    std::string_view panel;
    for (const auto& description : metricDescriptions()) {
        if (description.panel != panel) {
            panel = description.panel;
            text +=
                fmt::format("\n## {}\n\n| metric | unit | better | meaning |\n|---|---|---|---|\n", panel);
        }
        std::string names;
        for (const auto& name : description.names())
            names += fmt::format("{}`{}`", names.empty() ? "" : " ", name);
        text += fmt::format("| {} | {} | {} | {} |\n", names, description.unit, nameOf(description.better),
                            description.help);
    }
    return text;
}

} // namespace sparserl
