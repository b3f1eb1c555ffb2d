// SPDX-License-Identifier: Apache-2.0
#include "base/beneath.h"
#include "base/format.h"
#include "base/lock.h"
#include "base/roots.h"
#include "base/time.h"
#include "base/trust.h"
#include "project/files/run_files.h"
#include "project/index/index_run.h"
#include "project/index/schema.h"
#include "project/queries/reader_impl.h"
#include "project/run/journal_tail.h"
#include "project/run/launch.h"
#include "project/run/run_directory.h"
#include "project/run/worker_start.h"

#include <array>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace sparserl {
namespace {

/// A step of a large policy, or any on a busy machine, takes longer than a worker's usual half second.
constexpr double staleSeconds = 30;
/// A state is written when something begins or ends: near the end of what was not read yet, or nowhere.
constexpr std::int64_t furthestBack = 4 << 20;
constexpr const char* runColumns =
    "r.id, r.name, r.title, r.stage, r.preset, r.algorithm, r.parent_run, r.parent_checkpoint, r.created, "
    "r.gen, "
    "r.state, r.reason, r.updated, r.step, r.total_steps, r.samples, r.headline, r.headline_split, "
    "r.last_value, "
    "r.spark, (SELECT COUNT(*) FROM checkpoint c WHERE c.run=r.id), a.note, a.tags, a.star, a.pin, "
    "a.archive, a.colour, a.shown, "
    "r.position "
    "FROM run r LEFT JOIN annotation a ON a.target='run' AND a.key=r.name";

std::vector<float> floatsFrom(const std::string& blob)
{
    std::vector<float> values(blob.size() / sizeof(float));
    if (!values.empty())
        std::memcpy(values.data(), blob.data(), values.size() * sizeof(float));
    return values;
}

/// The last line of a run's log, empty where its worker has written none.
std::string lastLine(const std::filesystem::path& run)
{
    const auto lines = workerLogTail(run, 1);
    // A start writes a line of its own into the log.
    if (lines.empty() || lines.front().starts_with("----"))
        return {};
    // Columns of a table are no columns in a sentence.
    std::string words;
    for (const char c : lines.front())
        if (c != ' ' || (!words.empty() && words.back() != ' '))
            words += c;
    return words;
}

/// What a worker that died before it began its work has said last.
std::string lastWords(const std::filesystem::path& run)
{
    const std::string line = lastLine(run);
    return line.empty() ? "the worker ended before it began its work, and said nothing" : line;
}

/// The same of one that died at its work. A worker of a terminal says there what it has to say: the log is
/// that of a worker before it.
std::string lastWordsAtWork(const std::filesystem::path& run)
{
    std::string text = "the worker was killed, or the machine went down";
    const Entry log = glance(run / workerLogFile);
    if (const std::string line = lastLine(run);
        !line.empty() && log.modified >= glance(run / "generation.json").modified)
        text += "; its last line: " + line;
    return text;
}

constexpr const char* cutShortSentence = "Interrupted before the current step was saved; a resume continues "
                                         "from the last checkpoint, or begins the stage again if there is "
                                         "none";

/// Lock and heartbeat decide between "runs" and "is said to run"; what the index has not read yet, between
/// "is said to run" and "has ended".
void addLiveState(RunSummary& run, const std::string& state, std::int64_t position)
{
    auto journalState = runStateFromName(state).value_or(RunState::Queued);
    const bool locked = FileLock::isLocked(run.path / workerLock);
    if (!locked &&
        startedWorker(run.path) > 0) { // the heartbeat and the journal are those of the worker before
        run.hasWorker = true;
        run.status = RunStatus::Running;
        return;
    }
    run.hasWorker = locked;
    run.remote = readRemoteMark(run.path);
    const auto said = [&](const std::string& reason) {
        return run.remote ? saidThere(*run.remote, reason) : reason;
    };
    run.reason = said(run.reason);
    const bool reached = run.remote && isReached(run.path, *run.remote);
    run.hasWorker = run.hasWorker || (reached && run.remote->worker);
    if (run.hasWorker) {
        run.heartbeat = readHeartbeat(run.path);
        const double age = run.heartbeat ? unixSeconds() - run.heartbeat->t : unixSeconds() - run.updated;
        run.status = age > staleSeconds                 ? RunStatus::Silent
                     : journalState == RunState::Paused ? RunStatus::Paused
                                                        : RunStatus::Running;
        if (run.heartbeat) {
            run.step = std::max(run.step, run.heartbeat->step);
            if (run.heartbeat->totalSteps > 0)
                run.totalSteps = run.heartbeat->totalSteps;
        }
        return;
    }
    if (journalState == RunState::Running || journalState == RunState::Queued) {
        if (const auto last = lastState(run.path, {run.generation, position}, furthestBack)) {
            journalState = last->state;
            run.reason = said(last->reason);
            // Nor has it read of the checkpoints that came meanwhile.
            run.checkpoints =
                std::max(run.checkpoints, static_cast<std::int64_t>(listCheckpoints(run.path).size()));
            if (const auto newest = newestCheckpoint(run.path); !newest)
                run.reason = newest.error().sentence();
        }
    }
    // What has ended there and came over is as it is; of the rest nobody here can tell.
    const bool sent =
        run.remote && (journalState != RunState::Queued || run.remote->worker || run.remote->wantsStart);
    if (sent && !reached && !run.remote->ended && journalState != RunState::Done &&
        journalState != RunState::Failed) {
        run.status = RunStatus::Unreached;
        run.reason = unreachedSentence(*run.remote);
        return;
    }
    const bool notEnded = journalState == RunState::Running || journalState == RunState::Queued;
    const bool cutShort = notEnded && !run.remote && FileLock::wasCutShort(run.path / workerLock);
    switch (journalState) {
    case RunState::Queued:
        run.status = cutShort ? RunStatus::Stopped : RunStatus::Queued;
        break;
    case RunState::Running:
        run.status = cutShort ? RunStatus::Stopped : RunStatus::Failed;
        break;
    case RunState::Paused:
        run.status = RunStatus::Stopped;
        break;
    case RunState::Done:
        run.status = RunStatus::Done;
        break;
    case RunState::Failed:
        run.status = RunStatus::Failed;
        break;
    }
    // Of a run without a mark, who makes it is its worker, too: `sparserl train` in a terminal.
    const bool died = run.status == RunStatus::Queued &&
                      (run.remote ? run.remote->ended : FileLock::isAbandoned(run.path / workerLock));
    if (run.status != RunStatus::Done && (died || diedAtStart(run.path))) {
        run.status = RunStatus::Failed;
        run.reason = said(lastWords(run.path));
        return;
    }
    if (run.status == RunStatus::Queued && run.remote && !run.remote->problem.empty())
        run.reason = Error{run.remote->problem, {}, 0, run.remote->remedy}.sentence();
    if (cutShort)
        run.reason = cutShortSentence;
    else if (journalState == RunState::Running && run.reason.empty())
        run.reason = said(lastWordsAtWork(run.path));
}

/// Of a run that was given a path to start from: "/p/runs/0001-sft/checkpoints/step-000400" is of 0001-sft.
std::string runOfCheckpoint(const std::string& checkpoint)
{
    constexpr std::string_view folder = "/runs/";
    const auto at = checkpoint.rfind(folder);
    if (at == std::string::npos)
        return {};
    const auto begin = at + folder.size();
    return checkpoint.substr(begin, checkpoint.find('/', begin) - begin);
}

RunSummary runFrom(const sql::Statement& row, const std::filesystem::path& project)
{
    RunSummary run;
    run.id = row.integer(0);
    run.name = row.text(1);
    run.path = project / "runs" / run.name;
    run.title = row.text(2);
    run.stage = row.text(3);
    run.preset = row.text(4);
    run.algorithm = row.text(5);
    run.parentRun = row.text(6);
    run.parentCheckpoint = row.text(7);
    if (run.parentRun.empty())
        run.parentRun = runOfCheckpoint(run.parentCheckpoint);
    run.created = row.real(8);
    run.generation = static_cast<int>(row.integer(9));
    run.reason = row.text(11);
    run.updated = row.real(12);
    run.step = row.integer(13);
    run.totalSteps = row.integer(14);
    run.samples = row.integer(15);
    run.headline = row.text(16);
    run.headlineSplit = row.text(17);
    run.lastValue = row.real(18);
    run.spark = floatsFrom(row.blob(19));
    run.checkpoints = row.integer(20);
    run.notes = annotationFrom(row, 21);
    addLiveState(run, row.text(10), row.integer(28));
    return run;
}

} // namespace

std::string parentName(const RunSummary& run)
{
    if (!run.parentRun.empty())
        return run.parentRun;
    const std::filesystem::path folder = run.parentCheckpoint;
    return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
}

Result<RunSummary> runNow(const std::filesystem::path& run)
{
    SPARSERL_TRY(const auto directory, RunDirectory::open(run));
    RunSummary summary;
    summary.path = directory.path();
    summary.name = directory.name();
    summary.title = directory.config().title;
    summary.stage = directory.config().stage;
    summary.updated = summary.created = directory.config().created;
    const auto last = directory.lastState();
    if (last)
        summary.reason = last->reason;
    addLiveState(summary, std::string(nameOf(last ? last->state : RunState::Queued)), 0);
    return summary;
}

AnnotationState annotationFrom(const sql::Statement& row, int column)
{
    AnnotationState state;
    if (row.isNull(column))
        return state;
    state.note = row.text(column);
    if (const auto tags = parseJson(row.text(column + 1)); tags && tags->is_array())
        state.tags = tags->get<std::vector<std::string>>();
    state.starred = row.integer(column + 2) != 0;
    state.pinned = row.integer(column + 3) != 0;
    state.archived = row.integer(column + 4) != 0;
    state.colour = static_cast<int>(row.integer(column + 5));
    state.shown = row.integer(column + 6) != 0;
    return state;
}

std::map<std::string, AnnotationState> ProjectReader::Impl::annotations(const char* target) const
{
    std::map<std::string, AnnotationState> states;
    auto rows = db.prepare(
        "SELECT key, note, tags, star, pin, archive, colour, shown FROM annotation WHERE target=?");
    rows.bind(target);
    while (rows.step())
        states[rows.text(0)] = annotationFrom(rows, 1);
    return states;
}

std::string runLabelOf(const std::string& name, const std::string& title)
{
    return title.empty() || title == name ? name : fmt::format("{} ({})", title, name);
}

std::string ProjectReader::Impl::runName(RunId id) const
{
    auto row = db.prepare("SELECT name FROM run WHERE id=?");
    row.bind(id);
    return row.step() ? row.text(0) : std::string();
}

std::string ProjectReader::Impl::runLabel(RunId id) const
{
    auto row = db.prepare("SELECT name, title FROM run WHERE id=?");
    row.bind(id);
    return row.step() ? runLabelOf(row.text(0), row.text(1)) : std::string();
}

ProjectReader::ProjectReader(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}
ProjectReader::ProjectReader(ProjectReader&&) noexcept = default;
ProjectReader& ProjectReader::operator=(ProjectReader&&) noexcept = default;
ProjectReader::~ProjectReader() = default;

void ProjectReader::Impl::follow() const
{
    const FileIdentity found = identityOf(file());
    if (found == FileIdentity() || (found == identity && !db.isStale()))
        return;
    const FolderLock together(place, FolderLock::Kind::Shared);
    const FileIdentity now = identityOf(file());
    if (now == FileIdentity())
        return;
    sql::Database next(file(), sql::Database::Mode::Read);
    if (next.integer("PRAGMA user_version") != schemaVersion())
        return; // it is being made
    checkSchema(next);
    db = std::move(next);
    identity = now;
    ++swaps;
}

Result<ProjectReader> ProjectReader::open(const std::filesystem::path& project,
                                          const std::filesystem::path& elsewhere)
{
    std::error_code code;
    const auto path = std::filesystem::absolute(project, code).lexically_normal();
    const auto place = elsewhere.empty() ? path : elsewhere;
    const auto file = place / "project.sqlite";
    // What a stranger's index says need not be what the runs say.
    if (elsewhere.empty())
        SPARSERL_CHECK(requireTrust(path));
    if (!glance(file).exists)
        return failAt(file.string(), 0, "the project has no index yet",
                      "Make it with `sparserl project reindex`");
    auto impl = sql::guarded(file, [&] {
        try {
            const FolderLock together(place, FolderLock::Kind::Shared);
            const FileIdentity identity = identityOf(file);
            return std::unique_ptr<Impl>(
                new Impl{path, sql::Database(file, sql::Database::Mode::Read), identity, 0, place});
        } catch (const sql::Fault& fault) {
            if (fault.damaged())
                requestRebuild(place);
            throw;
        }
    });
    if (!impl)
        return fail(impl.error());
    const auto version = (*impl)->read([&] {
        const auto found = (*impl)->db.integer("PRAGMA user_version");
        if (found == schemaVersion())
            checkSchema((*impl)->db);
        return found;
    });
    if (!version)
        return fail(version.error());
    if (*version > schemaVersion())
        return failAt(
            file.string(), 0,
            fmt::format("the index has version {}, this program knows {}", *version, schemaVersion()),
            "Use a newer version of SparseRL Workbench, or delete the index to have it rebuilt");
    if (*version < schemaVersion() && FileLock::isLocked(place / "index.lock"))
        return failAt(
            file.string(), 0,
            fmt::format("the index has the old version {}, and another program is renewing it", *version),
            "Try again in a moment");
    if (*version < schemaVersion())
        return failAt(file.string(), 0, fmt::format("the index has the old version {}", *version),
                      "Renew it with `sparserl project reindex`");
    return ProjectReader(std::move(*impl));
}

Result<std::int64_t> ProjectReader::dataVersion()
{
    // A new file counts from 1 again.
    constexpr std::int64_t perFile = std::int64_t(1) << 40;
    return m_impl->read([&] { return m_impl->swaps * perFile + m_impl->db.dataVersion(); });
}

Result<std::vector<RunSummary>> ProjectReader::runs()
{
    return m_impl->read([&] {
        const SameRoot root(m_impl->project); // some files of each run are looked for
        std::vector<RunSummary> runs;
        auto rows =
            m_impl->db.prepare(fmt::format("SELECT {} ORDER BY r.created DESC, r.name DESC", runColumns));
        while (rows.step())
            runs.push_back(runFrom(rows, m_impl->project));
        return runs;
    });
}

Result<RunSummary> ProjectReader::run(RunId id)
{
    auto found = m_impl->read([&] {
        auto row = m_impl->db.prepare(fmt::format("SELECT {} WHERE r.id=?", runColumns));
        row.bind(id);
        return row.step() ? std::optional(runFrom(row, m_impl->project)) : std::nullopt;
    });
    if (!found)
        return fail(found.error());
    if (!*found)
        return fail("this run is not in the index", "Update the index with `sparserl runs`");
    return std::move(**found);
}

Result<RunSummary> ProjectReader::runByName(const std::string& name)
{
    auto found = run(runIdOf(name));
    if (found || !found.error().file.empty())
        return found;
    std::vector<std::string> names;
    if (const auto all = runs())
        for (const RunSummary& one : *all)
            names.push_back(one.name);
    const std::string near = nearestWord(name, names);
    return fail(fmt::format("there is no run named \"{}\"", name),
                near.empty() ? "`sparserl runs` lists them" : "Did you mean " + near + "?");
}

Result<RunConfig> ProjectReader::runConfig(RunId id)
{
    const auto name = m_impl->read([&] { return m_impl->runName(id); });
    if (!name)
        return fail(name.error());
    return readRunConfig(m_impl->runPath(*name) / runFile);
}

Result<std::vector<LatestMetric>> ProjectReader::latestMetrics(RunId run)
{
    return m_impl->read([&] {
        std::vector<LatestMetric> list;
        auto rows = m_impl->db.prepare(
            "SELECT name, split, step, value FROM metric_latest WHERE run=? ORDER BY name, "
            "split");
        rows.bind(run);
        while (rows.step())
            list.push_back({rows.text(0), rows.text(1), rows.integer(2), rows.real(3)});
        return list;
    });
}

Result<std::vector<MetricName>> ProjectReader::metricNames(RunId run)
{
    return m_impl->read([&] {
        std::vector<MetricName> list;
        auto rows =
            m_impl->db.prepare("SELECT name, split, points FROM metric_latest WHERE run=? ORDER BY name, "
                               "split");
        rows.bind(run);
        while (rows.step())
            list.push_back({rows.text(0), rows.text(1), rows.integer(2)});
        return list;
    });
}

Result<std::map<std::string, std::set<std::string>>> ProjectReader::metricsOfRuns()
{
    return m_impl->read([&] {
        std::map<std::string, std::set<std::string>> names;
        auto rows = m_impl->db.prepare("SELECT DISTINCT name, split FROM metric_latest");
        while (rows.step())
            names[rows.text(0)].insert(rows.text(1));
        return names;
    });
}

Result<std::vector<RunMetric>> ProjectReader::latestOfRuns(const std::string& metric)
{
    return m_impl->read([&] {
        std::vector<RunMetric> values;
        // Found run by run: the table is ordered by them.
        auto rows = m_impl->db.prepare("SELECT r.id, m.split, m.value FROM run r CROSS JOIN metric_latest m "
                                       "ON m.run=r.id AND m.name=?");
        rows.bind(metric);
        while (rows.step())
            values.push_back({rows.integer(0), rows.text(1), rows.real(2)});
        return values;
    });
}

Result<MetricPoints> ProjectReader::points(RunId run, const std::string& name, const std::string& split,
                                           std::int64_t after, std::size_t limit)
{
    return m_impl->read([&] {
        MetricPoints points;
        auto rows =
            m_impl->db.prepare("SELECT step, value, t FROM metric WHERE run=? AND name=? AND split=? AND "
                               "step>? ORDER BY step LIMIT ?");
        rows.bindAll(run, name, split, after, static_cast<std::int64_t>(limit));
        while (rows.step()) {
            points.steps.push_back(static_cast<double>(rows.integer(0)));
            points.values.push_back(rows.real(1));
            points.times.push_back(rows.real(2));
        }
        return points;
    });
}

Result<std::vector<ControlMark>> ProjectReader::controlMarks(RunId run)
{
    return m_impl->read([&] {
        std::vector<ControlMark> marks;
        auto rows = m_impl->db.prepare("SELECT entry FROM control WHERE run=? ORDER BY seq");
        rows.bind(run);
        while (rows.step()) {
            const auto json = parseJson(rows.text(0));
            const auto entry = json ? journalEntryFromJson(*json) : Result<JournalEntry>(fail(json.error()));
            if (!entry)
                continue;
            if (const auto* event = std::get_if<ControlEvent>(&entry->event))
                marks.push_back({entry->step, entry->t, *event});
        }
        return marks;
    });
}

Result<std::vector<LogRow>> ProjectReader::logTail(RunId run, std::size_t count)
{
    return m_impl->read([&] {
        std::vector<LogRow> lines;
        auto rows =
            m_impl->db.prepare("SELECT step, t, level, text FROM log WHERE run=? ORDER BY seq DESC LIMIT ?");
        rows.bindAll(run, static_cast<std::int64_t>(count));
        while (rows.step())
            lines.push_back({rows.integer(0), rows.real(1), {rows.text(2), rows.text(3)}});
        return std::vector<LogRow>(lines.rbegin(), lines.rend());
    });
}

} // namespace sparserl
