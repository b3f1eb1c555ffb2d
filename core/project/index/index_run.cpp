// SPDX-License-Identifier: Apache-2.0
#include "project/index/index_run.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_number.h"
#include "base/printable.h"
#include "base/time.h"
#include "project/curves/decimate.h"
#include "project/files/run_files.h"
#include "project/index/metric_rows.h"
#include "project/index/verdict_row.h"
#include "project/run/generation.h"
#include "project/run/metrics.h"
#include "project/run/run_config.h"
#include "target/target_text.h"
#include "verdict/names.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace sparserl {
namespace {

/// Of a journal, at once.
constexpr std::int64_t batchBytes = 4 << 20;
/// So little that is new is read in one go.
constexpr std::int64_t readTogether = 64 << 10;
/// zlib level: the index is rebuilt more often than it is sent anywhere.
constexpr int fastest = 1;

/// The statements that entries need, prepared once per batch.
struct Statements
{
    explicit Statements(sql::Database& db)
        : program(db.prepare("INSERT OR IGNORE INTO program VALUES (?,?,?)"))
        , number(db.prepare("INSERT OR IGNORE INTO program_number (program) VALUES (?)"))
        , sample(db.prepare("INSERT INTO sample VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"
                            "(SELECT number FROM program_number WHERE program=?5)) ON CONFLICT DO NOTHING"))
        , advantages(db.prepare("INSERT OR IGNORE INTO advantage VALUES (?,?,?)"))
        , sampleSeen(db.prepare("SELECT 1 FROM sample WHERE run=? AND program=? AND target_key=? LIMIT 1"))
        , verdictOf(db.prepare("SELECT verdict, flags, message, speedup, micros FROM verdict WHERE run=? AND "
                               "program=? AND target_key=?"))
        , verdict(db.prepare("INSERT OR REPLACE INTO verdict VALUES (?,?,?,?,?,?,?,?,?,?,?,?)"))
        , judgeSamples(
              db.prepare("UPDATE sample SET verdict=?4, flags=?5, message=?6, speedup=?7, micros=?8 WHERE "
                         "run=?1 AND program=?2 AND target_key=?3"))
        , evaluation(db.prepare("INSERT OR REPLACE INTO evaluation VALUES (?,?,?,?,?,?,?)"))
        , checkpoint(db.prepare("INSERT OR REPLACE INTO checkpoint VALUES (?,?,?,?,?)"))
        , control(db.prepare("INSERT OR REPLACE INTO control VALUES (?,?,?,?,?)"))
        , log(db.prepare("INSERT OR REPLACE INTO log VALUES (?,?,?,?,?,?)"))
    {
    }
    sql::Statement program, number, sample, advantages, sampleSeen, verdictOf, verdict, judgeSamples,
        evaluation, checkpoint, control, log;
    MetricRows metrics;
};

struct Row
{
    sql::Database& db;
    Statements& s;
    std::int64_t run;
    const JournalEntry& entry;
    /// Of B where samples do not say them: those of early runs of SpMM.
    std::int64_t columns;
    std::int64_t& samples;

    void operator()(const MetricEvent& e) const { s.metrics.add(entry, e); }
    void operator()(const ProgramEvent& e) const
    {
        s.program.bindAll(e.hash, run).bindBlob(zlibCompress(e.text, fastest)).run();
    }
    void operator()(const SampleEvent& e) const
    {
        TargetId target = e.target;
        if (target.task() == Task::SpMV)
            target.variant.columns = columns;
        const auto key = [&](sql::Statement& statement) -> sql::Statement& {
            return statement.bindAll(run, e.programHash, target.key());
        };
        const bool repeated = key(s.sampleSeen).step();
        s.sampleSeen.reset();
        s.number.bind(e.programHash).run();
        nlohmann::json parts = nlohmann::json::object();
        for (const auto& [name, value] : e.rewardParts)
            parts[name] = jsonFromNumber(value);
        s.sample.bindAll(run, entry.seq, entry.step, entry.t, e.programHash, target.contents, target.name,
                         e.origin, e.split, e.family, e.logProb, e.tokens, e.reward, dumpJson(parts),
                         e.truncated, repeated);
        // The verdict may have come first: another sample had the same program.
        if (key(s.verdictOf).step())
            s.sample.bindAll(s.verdictOf.text(0), s.verdictOf.text(1), s.verdictOf.text(2),
                             s.verdictOf.real(3), s.verdictOf.real(4));
        else
            s.sample.bindNull().bindAll("", "", 0.0, 0.0);
        s.sample.bindAll(taskWords(target.variant), target.key(),
                         e.proposal ? dumpJson(toJson(*e.proposal)) : std::string());
        s.verdictOf.reset();
        s.sample.run();
        samples += db.changes(); // none where damage has put a line there twice
        if (!e.advantages.empty())
            s.advantages.bindAll(run, entry.seq)
                .bindBlob(zlibCompress(dumpJson(toJson(e.advantages)), fastest))
                .run();
    }
    void operator()(const VerdictEvent& e) const
    {
        const VerdictRecord& r = e.record;
        const VerdictRow row = verdictRow(r);
        s.verdict.bindAll(run, r.programHash, r.target.key(), entry.seq, entry.step, entry.t, row.verdict,
                          row.flags, row.message, row.speedup, row.microseconds);
        s.verdict.bindBlob(row.record).run();
        s.judgeSamples.bindAll(run, r.programHash, r.target.key(), row.verdict, row.flags, row.message,
                               row.speedup, row.microseconds);
        s.judgeSamples.run();
    }
    void operator()(const EvaluationEvent& e) const
    {
        s.evaluation.bindAll(run, entry.seq, entry.step, entry.t, e.policy, e.target.contents,
                             dumpJson(toJson(entry)));
        s.evaluation.run();
    }
    void operator()(const ControlEvent&) const
    {
        s.control.bindAll(run, entry.seq, entry.step, entry.t, dumpJson(toJson(entry))).run();
    }
    void operator()(const CheckpointEvent& e) const
    {
        s.checkpoint.bindAll(run, e.name, entry.seq, entry.step, entry.t).run();
    }
    void operator()(const LogEvent& e) const
    {
        s.log.bindAll(run, entry.seq, entry.step, entry.t, e.level, e.text).run();
    }
    void operator()(const StateEvent&) const {}
    void operator()(const UnknownEvent&) const {}
};

/// Columns of B that all samples of a run have, for those that do not say them; 1 where they may differ.
std::int64_t columnsOf(const RunConfig& config)
{
    const auto task = config.parameters.find("task"), columns = config.parameters.find("dense_columns");
    if (task == config.parameters.end() || columns == config.parameters.end() ||
        toText(task->second) != nameOf(Task::SpMM))
        return 1;
    const auto* number = std::get_if<std::int64_t>(&columns->second);
    return number ? *number : 1;
}

struct Headline
{
    std::string name, split;
};

/// The metric that a list of runs shows. It is the one that the stage is about, so that an evaluation in
/// between, which reports others, does not change what a column means.
Headline chooseHeadline(sql::Database& db, std::int64_t run, const std::string& stage)
{
    Headline best;
    int bestRank = std::numeric_limits<int>::max();
    auto names = db.prepare("SELECT name, split FROM metric_latest WHERE run=? ORDER BY name, split");
    names.bind(run);
    while (names.step()) {
        const std::string name = names.text(0);
        const std::string split = names.text(1);
        if (split == systemSplit)
            continue; // says nothing of the policy
        // A journal of another program may have none of ours: then any with "reward" or "loss".
        const int other = name.find("reward") != std::string::npos ? 100
                          : name.find("loss") != std::string::npos ? 101
                                                                   : 102;
        int rank = headlineRank(stage, name).value_or(other);
        rank = 2 * rank + (split == split::train ? 0 : 1);
        if (rank < bestRank) {
            bestRank = rank;
            best = {name, split};
        }
    }
    return best;
}

/// At most 64 points of the metric's course, as floats.
std::string sparkOf(const std::vector<SeriesPoint>& points)
{
    std::vector<SeriesPoint> thin = points;
    for (std::size_t buckets = 64; thin.size() > 64 && buckets > 1; buckets = buckets * 3 / 4)
        thin = decimate(points, buckets);
    std::string blob(thin.size() * sizeof(float), '\0');
    for (std::size_t i = 0; i < thin.size(); ++i) {
        const float value = static_cast<float>(thin[i].value);
        std::memcpy(blob.data() + i * sizeof value, &value, sizeof value);
    }
    return blob;
}

} // namespace

std::int64_t runIdOf(const std::string& name)
{
    return static_cast<std::int64_t>(seedFrom(name) >> 16);
}

void indexEntries(sql::Database& db, std::int64_t run, const std::vector<JournalEntry>& entries)
{
    Statements statements(db);
    std::int64_t samples = 0;
    for (const JournalEntry& entry : entries)
        std::visit(Row{db, statements, run, entry, 1, samples}, entry.event);
    statements.metrics.write(db, run);
}

RunIndexer::RunIndexer(sql::Database& db, std::filesystem::path runDirectory, RunCourses& courses)
    : m_db(db)
    , m_courses(courses)
    , m_path(std::move(runDirectory))
    , m_id(runIdOf(m_path.filename().string()))
{
}

void RunIndexer::removeRows(sql::Database& db, std::int64_t run)
{
    for (const char* table : {"metric", "metric_latest", "program", "sample", "verdict", "evaluation",
                              "checkpoint", "control", "log", "advantage"})
        db.execute(fmt::format("DELETE FROM {} WHERE run={}", table, run));
    db.execute(fmt::format("DELETE FROM run WHERE id={}", run));
}

bool RunIndexer::load()
{
    auto row = m_db.prepare(
        "SELECT gen, position, state, reason, updated, step, total_steps, samples, columns, candidates, "
        "stage, headline<>'' AND headline_split='' FROM run WHERE id=?");
    row.bind(m_id);
    if (!row.step())
        return false;
    m_state = row.text(2);
    m_reason = row.text(3);
    m_updated = row.real(4);
    m_position = {static_cast<int>(row.integer(0)), row.integer(1), m_updated};
    m_step = row.integer(5);
    m_totalSteps = row.integer(6);
    m_samples = row.integer(7);
    m_columns = row.integer(8);
    m_candidates = row.integer(9);
    m_stage = row.text(10);
    m_staleHeadline = row.integer(11) != 0;
    return true;
}

Status RunIndexer::create()
{
    SPARSERL_TRY(const auto config, readRunConfig(m_path / runFile));
    std::string algorithm;
    for (const char* key : {"algorithm", "rl.algorithm"}) {
        const auto it = config.parameters.find(key);
        if (it != config.parameters.end() && algorithm.empty())
            algorithm = toText(it->second);
    }
    // A fork continues the run that it is of, whatever that has started from.
    const bool fork = !config.forkOf.empty();
    const std::string parentRun = fork ? config.forkOf : config.parentRun;
    const std::string parentCheckpoint =
        fork ? (m_path.parent_path() / config.forkOf / "checkpoints" / config.forkCheckpoint).string()
             : config.parentCheckpoint;
    auto insert =
        m_db.prepare("INSERT INTO run VALUES (?,?,?,?,?,?,?,?,?,0,0,'queued','',?,0,0,0,'','',NULL,?,?,0)");
    // They are shown, and somebody else may have written them: no person reads more of one.
    insert.bindAll(m_id, m_path.filename().string(), shortened(config.title), shortened(config.stage),
                   shortened(config.preset), shortened(algorithm), shortened(parentRun),
                   shortened(parentCheckpoint, 4096), config.created, config.created);
    m_columns = columnsOf(config);
    insert.bindBlob("").bind(m_columns).run();
    m_updated = config.created;
    m_stage = shortened(config.stage);
    return {};
}

void RunIndexer::apply(const JournalBatch& batch)
{
    Statements statements(m_db);
    for (const JournalEntry& entry : batch.entries) {
        std::visit(Row{m_db, statements, m_id, entry, m_columns, m_samples}, entry.event);
        m_step = std::max(m_step, entry.step);
        if (const auto* state = std::get_if<StateEvent>(&entry.event)) {
            m_state = nameOf(state->state);
            m_reason = shortened(state->reason);
            if (state->totalSteps > 0)
                m_totalSteps = state->totalSteps;
        }
    }
    m_overwritten = statements.metrics.write(m_db, m_id) || m_overwritten;
    m_samples += batch.samples;
    m_step = std::max(m_step, batch.lastStep);
    m_updated = batch.next.t.value_or(m_updated);
}

void RunIndexer::applyCandidates(const JournalBatch& batch)
{
    Statements statements(m_db);
    std::int64_t counted = 0; // the lines were counted already
    for (const JournalEntry& entry : batch.entries) {
        std::visit(Row{m_db, statements, m_id, entry, m_columns, counted}, entry.event);
        m_step = std::max(m_step, entry.step);
    }
    m_overwritten = statements.metrics.write(m_db, m_id) || m_overwritten;
    m_candidates = std::min(batch.next.offset, m_position.offset);
    if (m_candidates == m_position.offset) {
        // Damage can have put a line there twice, which is one sample.
        auto count = m_db.prepare("SELECT COUNT(*) FROM sample WHERE run=?");
        count.bind(m_id);
        m_samples = count.step() ? count.integer(0) : 0;
    }
    auto update = m_db.prepare("UPDATE run SET candidates=?, samples=?, step=? WHERE id=?");
    update.bindAll(m_candidates, m_samples, m_step, m_id).run();
}

void RunIndexer::finish(JournalPosition position, bool last)
{
    const Headline headline = chooseHeadline(m_db, m_id, m_stage);
    auto latest = m_db.prepare("SELECT value FROM metric_latest WHERE run=? AND name=? AND split=?");
    latest.bindAll(m_id, headline.name, headline.split);
    const double value = latest.step() ? latest.real(0) : std::nan("");
    latest.reset();
    auto update =
        m_db.prepare("UPDATE run SET gen=?, position=?, state=?, reason=?, updated=?, step=?, total_steps=?, "
                     "samples=?, headline=?, headline_split=?, last_value=?, candidates=? WHERE id=?");
    update.bindAll(position.gen, position.offset, m_state, m_reason, m_updated, m_step, m_totalSteps,
                   m_samples, headline.name, headline.split, value);
    update.bindAll(m_candidates, m_id).run();
    if (last) // once a batch would be quadratic
        writeSpark(headline.name, headline.split);
    m_position = position;
}

std::vector<SeriesPoint> RunIndexer::readPoints(const std::string& name, const std::string& split,
                                                std::int64_t after) const
{
    std::vector<SeriesPoint> points;
    auto rows = m_db.prepare(
        "SELECT step, value FROM metric WHERE run=? AND name=? AND split=? AND step>? ORDER BY step");
    rows.bindAll(m_id, name, split, after);
    while (rows.step())
        points.push_back({rows.integer(0), rows.real(1)});
    return points;
}

void RunIndexer::writeSpark(const std::string& name, const std::string& split)
{
    RunCourse course;
    const bool known = m_course && m_course->name == name && m_course->split == split &&
                       !m_course->points.empty() && !m_overwritten;
    if (known) {
        course = std::move(*m_course);
        const auto fresh = readPoints(name, split, course.points.back().step);
        course.points.insert(course.points.end(), fresh.begin(), fresh.end());
        auto count = m_db.prepare("SELECT points FROM metric_latest WHERE run=? AND name=? AND split=?");
        count.bindAll(m_id, name, split);
        // A point that came before the last one is not among the fresh ones.
        if (!count.step() || count.integer(0) != static_cast<std::int64_t>(course.points.size()))
            course.points = readPoints(name, split, INT64_MIN);
    } else {
        course = {name, split, readPoints(name, split, INT64_MIN)};
    }
    m_overwritten = false;
    auto spark = m_db.prepare("UPDATE run SET spark=? WHERE id=?");
    spark.bindBlob(sparkOf(course.points)).bind(m_id).run();
    // A thousand runs that have ended are read once each: they keep nothing here.
    const bool again = m_course.has_value();
    m_course = again ? std::move(course) : RunCourse();
    if (m_state == nameOf(RunState::Done) || m_state == nameOf(RunState::Failed))
        m_course.reset();
}

void RunIndexer::reset(int gen)
{
    // Everything again rather than only what was discarded: a resume is rare, and so the tables cannot depend
    // on when the index happened to look.
    removeRows(m_db, m_id);
    m_course.reset();
    m_state = "queued";
    m_reason.clear();
    m_updated = 0;
    m_step = m_totalSteps = m_samples = m_candidates = 0;
    m_position = {gen, 0};
}

bool RunReading::over() const
{
    return cancel.cancelled() || (std::isfinite(until) && monotonicSeconds() >= until);
}

Result<std::int64_t> RunIndexer::update(std::vector<std::string>& problems, const RunReading& reading)
{
    m_known = load();
    const Entry journal = glance(m_path / journalFile);
    m_bytes = journal.exists ? static_cast<std::int64_t>(journal.bytes) : 0;
    // The usual case by far: nothing new. Two looks at the file system, no parsing.
    const bool same =
        m_known && journal.exists && m_bytes == m_position.offset && readGeneration(m_path) == m_position.gen;
    if (same && !m_staleHeadline)
        return 0;
    if (auto kept = m_courses.extract(m_id)) // not put back if anything fails: the table rolls back, too
        m_course = std::move(kept.mapped());
    std::int64_t entries = 0;
    if (same) {
        sql::Transaction transaction(m_db);
        finish(m_position, true);
        transaction.commit();
        m_changed = true;
    } else {
        SPARSERL_TRY(entries, readBatches(problems, reading));
    }
    if (m_course && !m_overwritten)
        m_courses[m_id] = std::move(*m_course);
    return entries;
}

Result<std::int64_t> RunIndexer::readBatches(std::vector<std::string>& problems, const RunReading& reading)
{
    std::int64_t entries = 0;
    for (int rewinds = 0; !reading.over() && rewinds < 8;) {
        // A few new lines at the end are read as they are.
        const bool little = m_candidates == m_position.offset && m_bytes - m_position.offset <= readTogether;
        SPARSERL_TRY(const auto batch, readJournal(m_path, m_position, batchBytes,
                                                   little ? JournalPart::Everything : JournalPart::Lists));
        const bool newPosition = batch.next.offset != m_position.offset || batch.next.gen != m_position.gen;
        if (batch.atEnd && !batch.rewound) // a line that is being written is none yet
            m_bytes = batch.next.offset;
        if (m_known && !batch.rewound && batch.entries.empty() && !newPosition)
            break;
        sql::Transaction transaction(m_db);
        if (batch.rewound) {
            ++rewinds;
            reset(batch.next.gen);
            m_known = false;
        }
        if (!m_known) {
            SPARSERL_CHECK(create());
            m_known = true;
        }
        problems.insert(problems.end(), batch.problems.begin(), batch.problems.end());
        apply(batch);
        entries += static_cast<std::int64_t>(batch.entries.size());
        if (little && !batch.rewound)
            m_candidates = batch.next.offset;
        finish(batch.next, batch.atEnd);
        transaction.commit();
        m_changed = true;
        m_bytes = std::max(m_bytes, m_position.offset);
        if (batch.atEnd && !batch.rewound)
            break;
    }
    return entries;
}

Result<std::int64_t> RunIndexer::readCandidates(std::vector<std::string>& problems, const RunReading& reading)
{
    std::int64_t entries = 0;
    while (m_known && m_candidates < m_position.offset && !reading.over()) {
        const std::int64_t most = std::min(batchBytes, m_position.offset - m_candidates);
        SPARSERL_TRY(const auto batch,
                     readJournal(m_path, {m_position.gen, m_candidates}, most, JournalPart::Candidates));
        // The run was resumed, or its journal was removed, emptied or cut since its lists were read: there is
        // nothing to read up to m_position. The next update sees that, too, and begins anew.
        if (batch.rewound || batch.next.offset <= m_candidates)
            break;
        sql::Transaction transaction(m_db);
        problems.insert(problems.end(), batch.problems.begin(), batch.problems.end());
        applyCandidates(batch);
        transaction.commit();
        entries += static_cast<std::int64_t>(batch.entries.size());
        m_changed = true;
    }
    return entries;
}

} // namespace sparserl
