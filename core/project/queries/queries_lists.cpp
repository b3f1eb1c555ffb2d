// SPDX-License-Identifier: Apache-2.0
#include "base/beneath.h"
#include "base/files.h"
#include "project/queries/reader_impl.h"
#include "project/run/checkpoint_files.h"
#include "project/run/run_directory.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace sparserl {
namespace {

constexpr const char* ofRun = "(?1 IS NULL OR run=?1)";

void bindRun(sql::Statement& statement, const std::optional<RunId>& run)
{
    if (run)
        statement.bind(*run);
    else
        statement.bindNull();
}

} // namespace

namespace {

/// The name of the baseline of the verdict that an evaluation found best; empty where none is known.
std::string baselineOf(sql::Statement& verdicts, RunId run, const EvaluationEvent& event)
{
    verdicts.reset();
    verdicts.bindAll(run, event.bestProgram, event.target.key());
    if (!verdicts.step())
        return {};
    const auto text = zlibDecompress(verdicts.blob(0));
    const auto json = text ? parseJson(*text) : Result<nlohmann::json>(fail(text.error()));
    const auto record = json ? verdictRecordFromJson(*json) : Result<VerdictRecord>(fail(json.error()));
    return record ? record->baselineName : std::string();
}

/// Checkpoints that runs have written and the index has not read of yet: only those of runs that, for all it
/// knows, still go on.
void addUnread(sql::Database& db, const std::filesystem::path& project, const std::optional<RunId>& run,
               std::vector<CheckpointRow>& list)
{
    std::set<std::pair<RunId, std::string>> known;
    for (const CheckpointRow& row : list)
        known.insert({row.run, row.name});
    std::map<RunId, std::size_t> order;
    auto runs = db.prepare(
        "SELECT id, name, state, stage, title FROM run WHERE (?1 IS NULL OR id=?1) ORDER BY created, id");
    bindRun(runs, run);
    const std::size_t before = list.size();
    while (runs.step()) {
        const RunId id = runs.integer(0);
        order.emplace(id, order.size());
        const auto state = runStateFromName(runs.text(2)).value_or(RunState::Queued);
        if (state == RunState::Done || state == RunState::Failed)
            continue;
        for (CheckpointInfo& found : listCheckpoints(project / "runs" / runs.text(1)))
            if (!known.contains({id, found.name})) {
                const bool policy = isPolicyFolder(found.path);
                list.push_back({id, runs.text(1), std::move(found.name), runs.text(4), std::move(found.path),
                                found.step, found.created, true, found.pinned, policy, runs.text(3)});
            }
    }
    if (list.size() > before)
        std::stable_sort(list.begin(), list.end(), [&](const CheckpointRow& a, const CheckpointRow& b) {
            return std::tuple(order[a.run], a.step, a.name) < std::tuple(order[b.run], b.step, b.name);
        });
}

} // namespace

Result<std::string> ProjectReader::evaluationsVersion()
{
    return m_impl->read([&] {
        auto row = m_impl->db.prepare("SELECT COUNT(*), TOTAL(seq), TOTAL(t), TOTAL(run) FROM evaluation");
        row.step();
        return fmt::format("{} {} {} {}", row.integer(0), row.real(1), row.real(2), row.real(3));
    });
}

Result<std::vector<EvaluationRow>> ProjectReader::evaluations(std::optional<RunId> run)
{
    return m_impl->read([&] {
        std::vector<EvaluationRow> list;
        auto rows =
            m_impl->db.prepare(std::string("SELECT e.run, r.name, e.entry, r.stage FROM evaluation e JOIN "
                                           "run r ON r.id=e.run WHERE ") +
                               ofRun + " ORDER BY r.created, e.run, e.seq");
        bindRun(rows, run);
        auto verdicts =
            m_impl->db.prepare("SELECT record FROM verdict WHERE run=? AND program=? AND target_key=?");
        std::map<RunId, std::string> baselines;
        while (rows.step()) {
            const auto json = parseJson(rows.text(2));
            const auto entry = json ? journalEntryFromJson(*json) : Result<JournalEntry>(fail(json.error()));
            if (!entry)
                continue;
            if (const auto* event = std::get_if<EvaluationEvent>(&entry->event)) {
                list.push_back(
                    {rows.integer(0), rows.text(1), entry->step, entry->t, *event, {}, rows.text(3)});
                auto& baseline = baselines[rows.integer(0)];
                if (baseline.empty() && event->baselineMicroseconds > 0 && !event->bestProgram.empty())
                    baseline = baselineOf(verdicts, rows.integer(0), *event);
            }
        }
        for (auto& row : list)
            row.baseline = baselines[row.run];
        return list;
    });
}

Result<std::vector<CheckpointRow>> ProjectReader::checkpoints(std::optional<RunId> run)
{
    return m_impl->read([&] {
        std::vector<CheckpointRow> list;
        auto rows = m_impl->db.prepare(
            std::string("SELECT c.run, r.name, c.name, c.step, c.t, r.stage, r.title FROM checkpoint c JOIN "
                        "run r ON r.id=c.run WHERE ") +
            ofRun + " ORDER BY r.created, c.run, c.step, c.name");
        bindRun(rows, run);
        while (rows.step()) {
            CheckpointRow row;
            row.run = rows.integer(0);
            row.runName = rows.text(1);
            row.name = rows.text(2);
            row.step = rows.integer(3);
            row.t = rows.real(4);
            row.stage = rows.text(5);
            row.runTitle = rows.text(6);
            row.path = m_impl->runPath(row.runName) / "checkpoints" / row.name;
            row.present = glance(row.path / "DONE").exists;
            row.pinned = glance(row.path / "PIN").exists;
            row.hasPolicy = isPolicyFolder(row.path);
            list.push_back(std::move(row));
        }
        addUnread(m_impl->db, m_impl->project, run, list);
        return list;
    });
}

Result<std::vector<MatrixRow>> ProjectReader::matrices()
{
    return m_impl->read([&] {
        const auto notes = m_impl->annotations("matrix");
        std::vector<MatrixRow> list;
        auto rows =
            m_impl->db.prepare("SELECT digest, name, split, class, attribution, source, rows, cols, nnz, "
                               "features, problem FROM matrix ORDER BY name");
        while (rows.step()) {
            MatrixRow row{rows.text(0), rows.text(1),    rows.text(2),    rows.text(3),    rows.text(4),
                          rows.text(5), rows.integer(6), rows.integer(7), rows.integer(8), rows.text(9)};
            row.problem = rows.text(10);
            if (!row.digest.empty())
                row.thumbnail = m_impl->project / "cache" / (row.digest + ".png");
            if (const auto it = notes.find(row.digest); it != notes.end())
                row.notes = it->second;
            list.push_back(std::move(row));
        }
        return list;
    });
}

Result<std::vector<ExportRow>> ProjectReader::exports()
{
    return m_impl->read([&] {
        std::vector<ExportRow> list;
        auto rows = m_impl->db.prepare(
            "SELECT name, program, target, run, created FROM export ORDER BY created, name");
        while (rows.step())
            list.push_back({rows.text(0), m_impl->project / "exports" / rows.text(0), rows.text(1),
                            rows.text(2), rows.text(3), rows.real(4)});
        return list;
    });
}

} // namespace sparserl
