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

/// Identifies a run in the index: a hash of its folder's name; the same after a rebuild.
using RunId = std::int64_t;

/// A row in the list of runs.
struct RunSummary
{
    RunId id = 0;
    std::string name; ///< Folder under runs/.
    std::filesystem::path path;
    std::string title, stage, preset, algorithm;
    std::string parentRun, parentCheckpoint; ///< Lineage; empty: none.
    RunStatus status = RunStatus::Queued;
    std::string reason;                 ///< Why it failed or paused; for a dead worker, its last line.
    bool hasWorker = false;             ///< A worker holds the lock, or was just started.
    std::optional<Heartbeat> heartbeat; ///< Only while a worker lives.
    double created = 0, updated = 0;    ///< Unix seconds.
    std::int64_t step = 0, totalSteps = 0;
    std::int64_t samples = 0, checkpoints = 0;
    int generation = 0;
    std::string headline; ///< The metric in `spark`: "critic/rewards/mean", "loss", ...; empty: none yet.
    std::string headlineSplit;
    double lastValue = 0;             ///< Its last value, NaN if none.
    std::vector<float> spark;         ///< Its history in at most 64 points, for a sparkline; may contain NaN.
    std::optional<RemoteMark> remote; ///< The machine of the run, if not this one.
    AnnotationState notes;
};

/// What a run started from, in a word: the run, else "default" for the default policy or the name of the
/// policy's folder; empty: from scratch.
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

/// The last value of a metric on a split, for one of many runs.
struct RunMetric
{
    RunId run = 0;
    std::string split;
    double value = 0;
};

/// Points of a metric in order of arrival, steps ascending.
struct MetricPoints
{
    std::vector<double> steps; ///< Whole numbers; a double holds them exactly up to 2^53.
    std::vector<double> values;
    std::vector<double> times; ///< Unix seconds.
};

/// A steering event to mark on charts.
struct ControlMark
{
    std::int64_t step = 0;
    double t = 0;
    ControlEvent event;
};

/// Key of a candidate; stable across rebuilds.
struct CandidateId
{
    RunId run = 0;
    std::int64_t seq = 0; ///< Number of its `sample` entry.
    bool operator==(const CandidateId&) const = default;
};

/// A sample and its results.
struct CandidateRow
{
    CandidateId id;
    std::string runName; ///< Empty for a program outside runs (project/run/written_programs.h).
    std::int64_t step = 0;
    double t = 0;
    std::string programHash;
    TargetId target;
    std::string origin, split, family;
    std::string source;             ///< WrittenProgram::source, if it was looked up.
    std::optional<Verdict> verdict; ///< nullopt: not judged yet.
    VerdictFlags flags;
    std::string message;     ///< Message of the verdict.
    double speedup = 0;      ///< Over the baseline; 0 if there is none.
    double microseconds = 0; ///< Warm median; 0 if there is none.
    double reward = 0;       ///< NaN if there is none.
    double logProb = 0;
    std::int64_t tokens = 0;
    bool starred = false, pinned = false; ///< Marks of its program.
    bool inSftSet = false;                ///< Chosen for supervised fine-tuning on its target.
    std::string note;
};

/// A filter for candidates. Empty lists do not restrict. A candidate must match one value of every non-empty
/// list.
struct CandidateFilter
{
    std::vector<RunId> runs;
    std::vector<std::string> verdicts; ///< Names; "unjudged" for candidates without a verdict.
    std::vector<std::string> matrices; ///< Digests.
    std::vector<std::string> tasks;    ///< "spmv", "spmm"
    std::vector<std::string> families, flags, origins, splits;
    std::vector<std::string> speedups; ///< Names of ranges, as in facets().
    std::string text;                  ///< In the program's text, message, matrix or family, ignoring case.
    std::string programHash;           ///< A hash or a prefix of hashes; empty: any.
    bool starredOnly = false, pinnedOnly = false, sftOnly = false, includeArchived = false;
    bool firstSamples = false; ///< Only the first sample of each (run, program, target).
    /// Each program once over all runs and targets: its first sample in the requested order. If `programHash`
    /// selects one program, lists each of its targets in each run.
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
    std::string value; ///< The value for the filter.
    std::string label; ///< For display.
    std::int64_t count = 0;
};

/// Counts per value. Each facet is counted without its own restriction, so users see the effect of another
/// choice.
struct CandidateFacets
{
    std::int64_t total = 0; ///< Under the whole filter.
    std::vector<FacetCount> verdicts, matrices, tasks, runs, families, flags, origins, splits;
    std::vector<FacetCount> speedups; ///< By range, ascending; programs without a time are not counted.
};

/// A program in the lineage of a search's program.
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
    std::string baseline; ///< Baseline of the run's programs, or empty.
    std::string stage;    ///< Stage of the run, as in RunConfig.
};

struct CheckpointRow
{
    RunId run = 0;
    std::string runName, name;
    std::filesystem::path path;
    std::int64_t step = 0;
    double t = 0;
    bool present = false; ///< The folder (still) exists and is complete.
    bool pinned = false;
    bool hasPolicy = true; ///< It contains a policy (isPolicyFolder()); checkpoints of searches do not.
    std::string stage;     ///< Stage of its run.
};

struct MatrixRow
{
    std::string digest, name, split, matrixClass, attribution, source;
    std::int64_t rows = 0, cols = 0, nnz = 0;
    std::string featuresJson; ///< matrix/features.h as JSON; empty until computed.
    std::filesystem::path thumbnail;
    std::string problem; ///< Why it cannot be read, or empty.
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

/// The current state of a run without an index: name, title, stage, status, reason, worker, heartbeat, and
/// the step in the heartbeat. Also for a run outside a project.
Result<RunSummary> runNow(const std::filesystem::path& run);

/// Read-only view of a project's index. Opens quickly; use one object per thread. No call keeps a statement
/// open, so the indexer's checkpoints are never blocked. All lists are values.
class ProjectReader
{
public:
    /// Fails if there is no index yet (run the indexer first) or it has another version. `place`: as in
    /// Indexer::open().
    static Result<ProjectReader> open(const std::filesystem::path& project,
                                      const std::filesystem::path& place = {});
    ProjectReader(ProjectReader&&) noexcept;
    ProjectReader& operator=(ProjectReader&&) noexcept;
    ~ProjectReader();

    /// Increases with every change of the index by another process. Poll it (microseconds) before querying.
    Result<std::int64_t> dataVersion();

    Result<std::vector<RunSummary>> runs(); ///< Newest first.
    Result<RunSummary> run(RunId id);
    Result<RunSummary> runByName(const std::string& name);
    Result<RunConfig> runConfig(RunId id); ///< From run.toml.

    Result<std::vector<LatestMetric>> latestMetrics(RunId run);
    Result<std::vector<MetricName>> metricNames(RunId run);
    /// The metrics of all runs, each with its splits.
    Result<std::map<std::string, std::set<std::string>>> metricsOfRuns();
    /// The last values of a metric in all runs that have it.
    Result<std::vector<RunMetric>> latestOfRuns(const std::string& metric);
    /// At most `limit` points after step `after`, for incremental reading.
    Result<MetricPoints> points(RunId run, const std::string& name, const std::string& split,
                                std::int64_t after = INT64_MIN, std::size_t limit = SIZE_MAX / 2);
    Result<std::vector<ControlMark>> controlMarks(RunId run);
    Result<std::vector<LogRow>> logTail(RunId run, std::size_t count); ///< Oldest first.

    /// All matching candidates in order: best first with `descending`, candidates without a value always
    /// last. Fails with interruption() on cancellation.
    Result<std::vector<CandidateId>> candidateOrder(const CandidateFilter& filter, CandidateSort sort,
                                                    bool descending, const CancelToken& cancel = {},
                                                    const Progress& progress = {});
    /// The rows (still) in the index, in the requested order.
    Result<std::vector<CandidateRow>> candidateRows(const std::vector<CandidateId>& ids);
    Result<CandidateFacets> facets(const CandidateFilter& filter, const CancelToken& cancel = {});
    Result<CandidateRow> candidate(CandidateId id);
    /// For a search's program: its lineage along first parents, from the corpus to the program itself. Empty
    /// for other candidates. Stops at a parent that the index does not contain.
    Result<std::vector<LineageRow>> lineage(CandidateId id);
    /// All programs of a candidate's search on its target, in no particular order; empty for other
    /// candidates.
    Result<std::vector<LineageRow>> searchPrograms(CandidateId id);

    Result<std::string> programText(const std::string& hash);
    /// The last verdict of this run for the candidate, with counters per line if they were kept.
    Result<std::optional<VerdictRecord>> verdict(CandidateId id);

    Result<std::vector<EvaluationRow>> evaluations(std::optional<RunId> run = {});
    /// Changes whenever the result of evaluations() changes; cheaper than reading all rows.
    Result<std::string> evaluationsVersion();
    Result<std::vector<CheckpointRow>> checkpoints(std::optional<RunId> run = {});
    Result<std::vector<MatrixRow>> matrices();
    Result<std::vector<ExportRow>> exports();

private:
    struct Impl;
    explicit ProjectReader(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

/// The probability that at least one of k programs drawn without replacement from n, of which c pass, passes:
/// 1 - C(n-c, k) / C(n, k) (Chen et al. 2021, unbiased). NaN if k > n or n = 0.
double passAtK(std::int64_t n, std::int64_t c, std::int64_t k);

} // namespace sparserl
