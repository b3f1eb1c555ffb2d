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

/// A value that a list of runs can show, filter and sort by, besides the members of RunSummary.
struct RunFigure
{
    enum class Kind
    {
        Metric, ///< Its last value.
        Parameter,
        Tag ///< Whether the run has the tag.
    };
    Kind kind = Kind::Metric;
    std::string name;
    /// Split of a metric. Empty: training, or any split if the run has no training values.
    std::string split;

    /// "metric:correct_rate:held-out", "parameter:rl.lr", "tag:good": for files.
    std::string text() const;
    /// nullopt for invalid text.
    static std::optional<RunFigure> fromText(std::string_view text);
    bool operator==(const RunFigure&) const = default;
};

/// "correct_rate:held-out" refers to split held-out. Text after any other colon belongs to the name.
RunFigure metricFigure(std::string_view nameAndSplit);

using ParameterTexts = std::map<std::string, std::string>;

/// The requested figures of one run.
struct RunFigures
{
    std::shared_ptr<const ParameterTexts> parameters;             ///< Null: not read.
    std::map<std::string, std::map<std::string, double>> metrics; ///< By name and split.

    /// nullopt if the run has none.
    std::optional<double> metric(const std::string& name, const std::string& split) const;
    /// Null if the run has none.
    const std::string* parameter(const std::string& key) const;
    /// The same as a number; true is 1. nullopt if it is not a number.
    std::optional<double> parameterNumber(const std::string& key) const;
    /// The value of a metric or a parameter.
    std::optional<double> number(const RunFigure& figure) const;
    bool operator==(const RunFigures&) const = default;
};

/// The names in the runs of a project, and other valid names for filters.
struct RunNames
{
    std::set<std::string> parameters;
    std::set<std::string> declared; ///< Parameters of any stage. A filter may use one even if no run has it.
    std::map<std::string, std::set<std::string>> metrics; ///< With their splits.
    std::set<std::string> tags;
};

} // namespace sparserl
