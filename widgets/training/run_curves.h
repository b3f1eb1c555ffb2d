// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/curves/curve.h"
#include "project/curves/curve_band.h"
#include "project/queries/queries.h"

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sparserl {

/// One curve of one run.
struct CurveKey
{
    RunId run = 0;
    std::string metric, split;
    auto operator<=>(const CurveKey&) const = default; // NOLINT(modernize-use-nullptr): generated code
};

/// How much of a curve the window already has.
struct KnownCurve
{
    std::int64_t points = 0;
    double lastStep = 0;
};

/// Runs that are drawn as one curve: the mean of their curves, with a band from the lowest to the highest
/// value.
struct RunGroup
{
    std::string label;
    int colour = 0; ///< Number for Theme::seriesColour().
    std::vector<RunId> runs;
    bool operator==(const RunGroup&) const = default;
};

/// A run or a group of runs that has one curve on a chart.
struct CurveSubject
{
    std::string label;
    int colour = 0;
    RunId run = 0;  ///< Id of the run, unless this is a group.
    int group = -1; ///< Index of the group; -1: this is a run.
};

/// How many tokens a run had processed after each step. Grows with the run. Used only by the thread that
/// reads.
class TokenTable
{
public:
    /// Reads the steps since the last call.
    Status extend(ProjectReader& reader, RunId run, const std::vector<MetricName>& metrics);
    bool empty() const { return m_steps.empty(); }
    double lastStep() const { return m_steps.back(); }
    /// The number of tokens after a step; 0 before the first step.
    double at(double step) const;

private:
    std::vector<double> m_steps, m_tokens;
};

/// A query for points of curves. Only points that are not yet known are returned.
struct CurvesQuestion
{
    std::vector<RunId> runs;
    std::set<std::string> metrics;
    std::map<CurveKey, KnownCurve> known;
    /// A table for each run if curves are drawn over tokens; otherwise empty.
    std::map<RunId, std::shared_ptr<TokenTable>> tokens;
};

struct CurvesAnswer
{
    struct Chunk
    {
        CurveKey key;
        MetricPoints points;
        std::vector<double> tokens; ///< One for each point, if they were requested.
        bool fromStart = false;     ///< The points replace all that were known before.
        /// For a fork that is read from its start: step and value of the point at which it branched off from
        /// its parent.
        std::optional<std::pair<double, double>> branch;
    };
    std::vector<Chunk> chunks;
    std::vector<ControlMark> marks; ///< Marks of the first run.
    std::vector<double> markTokens;
    /// Pairs of metric and split that any of the runs has.
    std::vector<std::pair<std::string, std::string>> names;
    bool more = false; ///< There are more points. Query again.
};

/// Reads at most `limit` points from the index, so that other queries do not wait long for the query thread.
Result<CurvesAnswer> readCurves(ProjectReader& reader, const CurvesQuestion& question,
                                std::size_t limit = 200'000);

/// Whether both lists have the same runs in the same order. Their states may differ.
bool sameRuns(const std::vector<RunSummary>& left, const std::vector<RunSummary>& right);

/// The curves in the charts of some runs. Each point is read once. Over steps, the curve of a fork begins at
/// the point of its parent from which it branched off.
class RunCurves
{
public:
    enum class Axis
    {
        Step,
        Time,   ///< Seconds since the run was created.
        Tokens, ///< Tokens that the run had learned from. A run that does not count them has no
                ///< curve.
        Clock   ///< Time of day, in Unix seconds.
    };

    /// Sets the runs and the x axis. All points are read again if the axis has changed, or for a run whose
    /// generation has changed.
    void setRuns(const std::vector<RunSummary>& runs, Axis axis);
    /// Sets the groups of runs that are drawn as one curve. Omits a group if none of its runs is shown.
    void setGroups(std::vector<RunGroup> groups);
    const std::vector<RunGroup>& groups() const { return m_groups; }
    /// The groups, followed by the runs that belong to no group.
    std::vector<CurveSubject> subjects() const;
    /// Sets the metrics, and drops the curves of all others.
    void setMetrics(const std::set<std::string>& metrics);
    void setSmoothing(double weight);

    CurvesQuestion question() const;
    /// Adds the points of an answer. Returns whether anything changed.
    bool apply(CurvesAnswer answer);

    /// Whether an answer for these runs has arrived.
    bool read() const { return m_read; }
    const std::vector<RunSummary>& runs() const { return m_runs; }
    Axis axis() const { return m_axis; }
    /// The curve, or null if the run has no point of it.
    std::shared_ptr<Curve> find(const CurveKey& key) const;
    /// The curve of a run, or the mean and the band of a group. The mean is cached until a run makes
    /// progress.
    CurveBand find(const CurveSubject& subject, const std::string& metric, const std::string& split) const;
    const std::vector<std::pair<std::string, std::string>>& names() const { return m_names; }
    const std::vector<ControlMark>& marks() const { return m_marks; }
    /// The position of a mark on the x axis.
    double markAt(std::size_t mark) const;

private:
    struct Kept
    {
        std::shared_ptr<Curve> curve = std::make_shared<Curve>();
        double lastStep = 0;
        std::int64_t branch = 0; ///< Number of points before the run's own points: for a fork, the point of
                                 ///< its parent from which it branched off.
    };
    const RunSummary* run(RunId id) const;

    std::vector<RunSummary> m_runs;
    std::vector<RunGroup> m_groups;
    mutable std::map<std::tuple<int, std::string, std::string>, CurveBand> m_bands;
    Axis m_axis = Axis::Step;
    bool m_read = false;
    std::set<std::string> m_metrics;
    double m_smoothing = 0;
    std::map<CurveKey, Kept> m_curves;
    std::vector<std::pair<std::string, std::string>> m_names;
    std::vector<ControlMark> m_marks;
    std::vector<double> m_markTokens;
    std::map<RunId, std::shared_ptr<TokenTable>> m_tokens;
};

} // namespace sparserl
