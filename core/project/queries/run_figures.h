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

/// A value, other than the members of RunSummary, that a list of runs can show and by which it can filter and
/// sort.
struct RunFigure
{
    enum class Kind
    {
        Metric, ///< The last value of a metric.
        Parameter,
        Tag ///< Whether the run has a tag.
    };
    Kind kind = Kind::Metric;
    std::string name;
    /// Split of a metric. Empty: the training split, or any split if there are no values from training.
    std::string split;

    /// Returns the figure as a text for files, such as "metric:correct_rate:held-out", "parameter:rl.lr" or
    /// "tag:good".
    std::string text() const;
    /// Parses the result of text(). Returns nullopt if the text is invalid.
    static std::optional<RunFigure> fromText(std::string_view text);
    bool operator==(const RunFigure&) const = default;
};

/// Parses the name of a metric that may be followed by a split, such as "correct_rate:held-out". A colon that
/// no split follows belongs to the name.
RunFigure metricFigure(std::string_view nameAndSplit);

using ParameterTexts = std::map<std::string, std::string>;

/// The figures of one run.
struct RunFigures
{
    std::shared_ptr<const ParameterTexts> parameters;             ///< Null if they were not read.
    std::map<std::string, std::map<std::string, double>> metrics; ///< Last values, by name and split.

    /// Returns the last value of a metric, or nullopt if the run has none.
    std::optional<double> metric(const std::string& name, const std::string& split) const;
    /// Returns the value of a parameter, or null if the run has no such parameter.
    const std::string* parameter(const std::string& key) const;
    /// Returns the value of a parameter as a number; "true" is 1. Returns nullopt if it is not a number.
    std::optional<double> parameterNumber(const std::string& key) const;
    /// Returns the value of a metric or a parameter.
    std::optional<double> number(const RunFigure& figure) const;
    bool operator==(const RunFigures&) const = default;
};

/// The names that filters of a project's runs can use.
struct RunNames
{
    std::set<std::string> parameters;
    /// Parameters that a stage declares. Filters may use them even if no run has them.
    std::set<std::string> declared;
    std::map<std::string, std::set<std::string>> metrics; ///< Metrics, each with its splits.
    std::set<std::string> tags;
};

} // namespace sparserl
