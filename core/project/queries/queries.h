// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "project/files/annotations.h"
#include "project/queries/run_status.h"
#include "project/run/heartbeat.h"
#include "project/run/remote_mark.h"
#include "project/run/run_config.h"
#include "verdict/event.h"
#include "verdict/record.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sparserl {

/// Identifies a run in the index: a hash of its folder's name. A rebuild of the index does not change it.
using RunId = std::int64_t;

/// A row in the list of runs.
struct RunSummary
{
    RunId id = 0;
    std::string name; ///< Name of the folder below runs/.
    std::filesystem::path path;
    std::string title, stage, preset, algorithm;
    /// The run and the checkpoint from which it started; empty if there are none.
    std::string parentRun, parentCheckpoint;
    RunStatus status = RunStatus::Queued;
    std::string reason;     ///< Why it failed or paused. If the worker died, the last line of its output.
    bool hasWorker = false; ///< A worker holds the lock, or has just been started.
    std::optional<Heartbeat> heartbeat; ///< Only while there is a worker.
    double created = 0, updated = 0;    ///< Unix seconds.
    std::int64_t step = 0, totalSteps = 0;
    std::int64_t samples = 0, checkpoints = 0;
    int generation = 0;
    /// The metric in `spark`, such as "critic/rewards/mean" or "loss"; empty: none yet.
    std::string headline;
    std::string headlineSplit;
    double lastValue = 0; ///< Last value of the metric; NaN if there is none.
    /// History of the metric in at most 64 points, for a sparkline; may contain NaN.
    std::vector<float> spark;
    std::optional<RemoteMark> remote; ///< The mark of a run on another machine.
    AnnotationState notes;
};

/// Returns what a run is called where several are offered: its title with its name in brackets, or the name
/// of a run without a title.
std::string runLabelOf(const std::string& name, const std::string& title);

/// Returns a name for what a run started from: the name of the other run, or "default" for the default
/// policy, or the name of the policy's folder. Returns an empty string for a run that started from scratch.
std::string parentName(const RunSummary& run);

struct LatestMetric
{
    std::string name, split;
    std::int64_t step = 0;
    double value = 0;
};

/// A metric of a run.
struct MetricName
{
    std::string name, split;
    std::int64_t points = 0;
};

/// The last value of a metric in a run, on one split.
struct RunMetric
{
    RunId run = 0;
    std::string split;
    double value = 0;
};

/// The points of a metric in ascending order of steps, and in order of arrival within a step.
struct MetricPoints
{
    std::vector<double> steps; ///< Whole numbers, which a double holds exactly up to 2^53.
    std::vector<double> values;
    std::vector<double> times; ///< Unix seconds.
};

/// A control event to mark in charts.
struct ControlMark
{
    std::int64_t step = 0;
    double t = 0;
    ControlEvent event;
};

/// The key of a candidate. A rebuild of the index does not change it.
struct CandidateId
{
    RunId run = 0;
    std::int64_t seq = 0; ///< Sequence number of its `sample` entry in the journal.
    bool operator==(const CandidateId&) const = default;
};

/// A sampled program and its results.
struct CandidateRow
{
    CandidateId id;
    std::string runName;  ///< Empty for a program outside runs (project/run/written_programs.h).
    std::string runTitle; ///< RunConfig::title; may be empty.
    std::int64_t step = 0;
    double t = 0;
    std::string programHash;
    TargetId target;
    std::string origin, split, family;
    std::string source;             ///< WrittenProgram::source, for queries that look it up.
    std::optional<Verdict> verdict; ///< nullopt: not judged yet.
    VerdictFlags flags;
    std::string message;     ///< Message of the verdict.
    double speedup = 0;      ///< Speed-up over the baseline; 0 if there is none.
    double microseconds = 0; ///< Median of the warm times; 0 if there is none.
    double reward = 0;       ///< NaN if there is none.
    double logProb = 0;
    std::int64_t tokens = 0;
    bool starred = false, pinned = false; ///< Annotations of its program.
    bool inSftSet = false; ///< The program was chosen for supervised fine-tuning on this target.
    std::string note;
};

/// A filter for candidates. A candidate must match one value of each list that is not empty.
struct CandidateFilter
{
    std::vector<RunId> runs;
    std::vector<std::string> verdicts; ///< Names of verdicts; "unjudged" for candidates without a verdict.
    std::vector<std::string> matrices; ///< Digests of matrices.
    std::vector<std::string> tasks;    ///< "spmv", "spmm"
    std::vector<std::string> families, flags, origins, splits;
    std::vector<std::string> speedups; ///< Names of ranges, as in facets().
    std::string text; ///< Must occur in the program's text, message, matrix or family. Case is ignored.
    std::string programHash; ///< Hash of a program, or its beginning; empty: any program.
    bool starredOnly = false, pinnedOnly = false, sftOnly = false, includeArchived = false;
    bool firstSamples = false; ///< Only the first sample of each program in each run on each target.
    /// List each program only once over all runs and targets, with its first sample in the requested order.
    /// If `programHash` selects one program, list it once for each of its targets in each run.
    bool distinctPrograms = false;
    bool operator==(const CandidateFilter&) const = default;
};

enum class CandidateSort
{
    Time,
    Speedup,
    Microseconds,
    Step,
    Reward,
    Tokens,
    Matrix,
    Verdict,
    Family,
    Run
};

struct FacetCount
{
    std::string value; ///< The value in a filter.
    std::string label; ///< The value as it is displayed.
    std::int64_t count = 0;
    std::string name; ///< Of a run: its name, without its title.
};

/// The number of candidates for each value of each facet. The filter's own choice in a facet does not
/// restrict the counts of that facet, so that users see what another choice would give.
struct CandidateFacets
{
    std::int64_t total = 0; ///< Number of candidates that match the whole filter.
    std::vector<FacetCount> verdicts, matrices, tasks, runs, families, flags, origins, splits;
    /// By range, in ascending order. Programs without a time are not counted.
    std::vector<FacetCount> speedups;
};

/// A program in the lineage of a program that a search has found.
struct LineageRow
{
    CandidateRow candidate;
    ProposalOrigin proposal;
};

struct EvaluationRow
{
    RunId run = 0;
    std::string runName;
    std::int64_t step = 0;
    double t = 0;
    EvaluationEvent event;
    std::string baseline; ///< The baseline of the run's programs, or empty.
    std::string stage;    ///< RunConfig::stage of the run.
};

struct CheckpointRow
{
    RunId run = 0;
    std::string runName, name;
    std::string runTitle; ///< RunConfig::title; may be empty.
    std::filesystem::path path;
    std::int64_t step = 0;
    double t = 0;
    bool present = false; ///< The folder still exists and is complete.
    bool pinned = false;
    bool hasPolicy = true; ///< It contains a policy (isPolicyFolder()). Checkpoints of searches do not.
    std::string stage;     ///< The stage of its run.
};

struct MatrixRow
{
    std::string digest, name, split, matrixClass, attribution, source;
    std::int64_t rows = 0, cols = 0, nnz = 0;
    /// The features (matrix/features.h) as JSON; empty until they have been computed.
    std::string featuresJson;
    std::filesystem::path thumbnail;
    std::string problem; ///< Why the matrix cannot be read; empty if it can.
    AnnotationState notes;
};

struct LogRow
{
    std::int64_t step = 0;
    double t = 0;
    LogEvent event;
};

struct ExportRow
{
    std::string name;
    std::filesystem::path path;
    std::string programHash, matrixDigest, run;
    double created = 0;
};

/// Reads the current state of a run without using an index. Sets name, title, stage, status, reason,
/// hasWorker, heartbeat, and the step from the heartbeat. The run may be outside a project.
Result<RunSummary> runNow(const std::filesystem::path& run);

/// Reads the index of a project. Opening takes little time; use one object per thread. No statement stays
/// open after a call, so the checkpoints of the indexer are never blocked. The results are copies.
class ProjectReader
{
public:
    /// Opens the index. Fails if it does not exist yet (run the Indexer first) or has another version.
    /// `place` is the same as in Indexer::open().
    static Result<ProjectReader> open(const std::filesystem::path& project,
                                      const std::filesystem::path& place = {});
    ProjectReader(ProjectReader&&) noexcept;
    ProjectReader& operator=(ProjectReader&&) noexcept;
    ~ProjectReader();

    /// Returns a number that increases whenever another process changes the index. The call takes
    /// microseconds, so callers can poll it before they query.
    Result<std::int64_t> dataVersion();

    Result<std::vector<RunSummary>> runs(); ///< Returns all runs, the newest first.
    Result<RunSummary> run(RunId id);
    Result<RunSummary> runByName(const std::string& name);
    Result<RunConfig> runConfig(RunId id); ///< Reads run.toml.

    Result<std::vector<LatestMetric>> latestMetrics(RunId run);
    Result<std::vector<MetricName>> metricNames(RunId run);
    /// Returns the metrics that occur in any run, each with its splits.
    Result<std::map<std::string, std::set<std::string>>> metricsOfRuns();
    /// Returns the last values of a metric in all runs that have it.
    Result<std::vector<RunMetric>> latestOfRuns(const std::string& metric);
    /// Returns at most `limit` points whose steps are greater than `after`, so that callers can read a metric
    /// incrementally.
    Result<MetricPoints> points(RunId run, const std::string& name, const std::string& split,
                                std::int64_t after = INT64_MIN, std::size_t limit = SIZE_MAX / 2);
    Result<std::vector<ControlMark>> controlMarks(RunId run);
    /// Returns the last `count` entries, the oldest first.
    Result<std::vector<LogRow>> logTail(RunId run, std::size_t count);

    /// Returns all candidates that match a filter, in order. Candidates without a value for `sort` come last
    /// in either direction. Fails with interruption() if it is cancelled.
    Result<std::vector<CandidateId>> candidateOrder(const CandidateFilter& filter, CandidateSort sort,
                                                    bool descending, const CancelToken& cancel = {},
                                                    const Progress& progress = {});
    /// Returns the rows of candidates in the requested order, without those that are no longer in the index.
    Result<std::vector<CandidateRow>> candidateRows(const std::vector<CandidateId>& ids);
    Result<CandidateFacets> facets(const CandidateFilter& filter, const CancelToken& cancel = {});
    Result<CandidateRow> candidate(CandidateId id);
    /// Returns the lineage of a program that a search has found, along first parents, from the corpus to the
    /// program itself. If the index does not contain one of the parents, the lineage starts after it. Returns
    /// none for other candidates.
    Result<std::vector<LineageRow>> lineage(CandidateId id);
    /// Returns all programs that a candidate's search has tried on its target, in no particular order.
    /// Returns none for a candidate that does not come from a search.
    Result<std::vector<LineageRow>> searchPrograms(CandidateId id);
    /// Returns the candidate's group: the programs that its run has sampled for its target in the same step
    /// and with the same origin, in the order of the journal. Estimators such as GRPO compare these rewards.
    /// Returns only the candidate itself if it was not sampled from a policy.
    Result<std::vector<CandidateRow>> sampleGroup(CandidateId id);

    Result<std::string> programText(const std::string& hash);
    /// Returns the advantages of a candidate's tokens in the update of the policy. Returns none if the policy
    /// was not trained on the candidate.
    Result<std::vector<AdvantageRun>> advantages(CandidateId id);
    /// Returns the last verdict of the run on a candidate, with counters per line if they were kept.
    Result<std::optional<VerdictRecord>> verdict(CandidateId id);

    Result<std::vector<EvaluationRow>> evaluations(std::optional<RunId> run = {});
    /// Returns a text that changes whenever the result of evaluations() changes. This takes less time than to
    /// read all rows.
    Result<std::string> evaluationsVersion();
    Result<std::vector<CheckpointRow>> checkpoints(std::optional<RunId> run = {});
    Result<std::vector<MatrixRow>> matrices();
    Result<std::vector<ExportRow>> exports();

private:
    struct Impl;
    explicit ProjectReader(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// Returns an unbiased estimate of pass@k if c of n programs pass: 1 - C(n-c, k) / C(n, k) (Chen et al.
/// 2021). This is the probability that at least one of k programs passes if they are drawn from the n
/// programs without replacement. Returns NaN if k > n or n = 0.
double passAtK(std::int64_t n, std::int64_t c, std::int64_t k);

} // namespace sparserl
