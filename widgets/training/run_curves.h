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
    auto operator<=>(const CurveKey&) const = default; // NOLINT(modernize-use-nullptr): of the default itself
};

/// What the window has of a curve already.
struct KnownCurve
{
    std::int64_t points = 0;
    double lastStep = 0;
};

/// Runs that are drawn as one: the mean of their curves, in a band from the lowest to the highest.
struct RunGroup
{
    std::string label;
    int colour = 0; ///< Of Theme::seriesColour().
    std::vector<RunId> runs;
    bool operator==(const RunGroup&) const = default;
};

/// What has a curve of its own on a chart: a run, or a group of them.
struct CurveSubject
{
    std::string label;
    int colour = 0;
    RunId run = 0;  ///< Of a run.
    int group = -1; ///< Of a group: which one.
};

/// How many tokens a run had seen after each of its steps. Grows with it; touched by the thread that reads.
class TokenTable
{
public:
    /// Reads what is new.
    Status extend(ProjectReader& reader, RunId run, const std::vector<MetricName>& metrics);
    bool empty() const { return m_steps.empty(); }
    double lastStep() const { return m_steps.back(); }
    /// 0 before the first step.
    double at(double step) const;

private:
    std::vector<double> m_steps, m_tokens;
};

/// What to read: only what is new comes back.
struct CurvesQuestion
{
    std::vector<RunId> runs;
    std::set<std::string> metrics;
    std::map<CurveKey, KnownCurve> known;
    /// Of each run, where curves are drawn over tokens; empty otherwise.
    std::map<RunId, std::shared_ptr<TokenTable>> tokens;
};

struct CurvesAnswer
{
    struct Chunk
    {
        CurveKey key;
        MetricPoints points;
        std::vector<double> tokens; ///< One for each point, where they were asked for.
        bool fromStart = false;     ///< What was known before is void.
        /// Of a fork, from its start: the step and value of its parent's point where it branched off.
        std::optional<std::pair<double, double>> branch;
    };
    std::vector<Chunk> chunks;
    std::vector<ControlMark> marks; ///< Of the first run.
    std::vector<double> markTokens;
    std::vector<std::pair<std::string, std::string>> names; ///< Metric and split, of all the runs.
    bool more = false;                                      ///< There is more to read: ask again.
};

/// Asks the index; at most `limit` points at once, so that nobody else waits long for the query thread.
Result<CurvesAnswer> readCurves(ProjectReader& reader, const CurvesQuestion& question,
                                std::size_t limit = 200'000);

/// The same runs in the same order, whatever has become of them.
bool sameRuns(const std::vector<RunSummary>& left, const std::vector<RunSummary>& right);

/// The curves that the charts of some runs show. Each point is read once. Over steps, the curve of a fork
/// begins at its parent's point where it branched off.
class RunCurves
{
public:
    enum class Axis
    {
        Step,
        Time,   ///< Seconds since the run was made.
        Tokens, ///< That the run had learnt from; a run that does not count them has no curve.
        Clock   ///< Unix seconds: when it was.
    };

    /// Which runs, and over what; a run of another generation or another axis begins anew.
    void setRuns(const std::vector<RunSummary>& runs, Axis axis);
    /// Those among the runs that are drawn together; a group none of whose runs is there is left out.
    void setGroups(std::vector<RunGroup> groups);
    const std::vector<RunGroup>& groups() const { return m_groups; }
    /// The groups, then the runs that are in none.
    std::vector<CurveSubject> subjects() const;
    /// Forgets curves of other metrics.
    void setMetrics(const std::set<std::string>& metrics);
    void setSmoothing(double weight);

    CurvesQuestion question() const;
    /// True if anything changed.
    bool apply(CurvesAnswer answer);

    /// Whether an answer about these runs has come.
    bool read() const { return m_read; }
    const std::vector<RunSummary>& runs() const { return m_runs; }
    Axis axis() const { return m_axis; }
    /// Null: the run has no point of it.
    std::shared_ptr<Curve> find(const CurveKey& key) const;
    /// The same of a run or a group: of that the mean, with its band. The mean is kept until a run goes on.
    CurveBand find(const CurveSubject& subject, const std::string& metric, const std::string& split) const;
    const std::vector<std::pair<std::string, std::string>>& names() const { return m_names; }
    const std::vector<ControlMark>& marks() const { return m_marks; }
    /// Where a mark stands on the axis.
    double markAt(std::size_t mark) const;

private:
    struct Kept
    {
        std::shared_ptr<Curve> curve = std::make_shared<Curve>();
        double lastStep = 0;
        std::int64_t branch = 0; ///< Points before its own: of a fork, its parent's where it branched off.
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
