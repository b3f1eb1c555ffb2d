// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// What a list of runs shows, filters and sorts by besides what a RunSummary has.
struct RunFigure
{
    enum class Kind
    {
        Metric, ///< Its last value.
        Parameter,
        Tag ///< Whether the run has it.
    };
    Kind kind = Kind::Metric;
    std::string name;
    std::string split; ///< Of a metric; empty: of training, or of whatever split there is.

    /// "metric:correct_rate:held-out", "parameter:rl.lr", "tag:good": for files.
    std::string text() const;
    /// Nothing for a text that is none.
    static std::optional<RunFigure> fromText(std::string_view text);
    bool operator==(const RunFigure&) const = default;
};

/// "correct_rate:held-out" is of the split held-out; what is behind another colon is of the name.
RunFigure metricFigure(std::string_view nameAndSplit);

using ParameterTexts = std::map<std::string, std::string>;

/// Figures of one run, as far as somebody wanted them.
struct RunFigures
{
    std::shared_ptr<const ParameterTexts> parameters;             ///< Null: not read.
    std::map<std::string, std::map<std::string, double>> metrics; ///< By name and split.

    /// Nothing where the run has none.
    std::optional<double> metric(const std::string& name, const std::string& split) const;
    /// Null where the run has none.
    const std::string* parameter(const std::string& key) const;
    /// The same as a number: true is 1. Nothing where it is none.
    std::optional<double> parameterNumber(const std::string& key) const;
    /// Of a metric or a parameter.
    std::optional<double> number(const RunFigure& figure) const;
    bool operator==(const RunFigures&) const = default;
};

/// What the runs of a project have, and what a filter may ask for besides.
struct RunNames
{
    std::set<std::string> parameters;
    std::set<std::string>
        declared; ///< Parameters that some stage has: to ask for one that no run has is no mistake.
    std::map<std::string, std::set<std::string>> metrics; ///< With their splits.
    std::set<std::string> tags;
};

} // namespace sparserl
