// SPDX-License-Identifier: Apache-2.0
#include "project/index/index_verifications.h"

#include "project/files/verifications.h"
#include "project/index/index_library.h"
#include "project/index/verdict_row.h"
#include "project/run/written_programs.h"

#include <map>

namespace sparserl {

bool indexVerifications(sql::Database& db, const std::filesystem::path& project, bool newVerdicts,
                        std::vector<std::string>& problems)
{
    const std::string stamp = stampOf({project / "verifications.jsonl"});
    const bool sameFile = unchanged(db, "verifications", stamp);
    if (sameFile && !newVerdicts)
        return false;
    auto list = readVerifications(project);
    if (!list) {
        problems.push_back(list.error().sentence());
        return false;
    }
    std::map<std::pair<std::string, std::string>, Verification*> newest; // By program and target.
    for (Verification& one : *list) {
        Verification*& place = newest[{one.record.programHash, one.record.target.key()}];
        if (!place || place->t <= one.t)
            place = &one;
    }
    sql::Transaction transaction(db);
    std::vector<std::int64_t> runs; // By run, so that the keys' indexes serve.
    if (!newest.empty()) {
        runs.push_back(writtenPrograms);
        auto rows = db.prepare("SELECT id FROM run");
        while (rows.step())
            runs.push_back(rows.integer(0));
    }
    auto verdict = db.prepare(
        "UPDATE verdict SET t=?4, verdict=?5, flags=?6, message=?7, speedup=?8, micros=?9, record=?10 WHERE "
        "run=?1 AND program=?2 AND target_key=?3 AND t<?4");
    // A program that nobody had judged, such as a copy that was kept as it was being typed, has no row yet.
    auto first =
        db.prepare("INSERT OR IGNORE INTO verdict SELECT run, program, target_key, seq, step, ?4, ?5, "
                   "?6, ?7, ?8, ?9, ?10 FROM sample WHERE run=?1 AND program=?2 AND target_key=?3 "
                   "ORDER BY seq LIMIT 1");
    auto samples = db.prepare("UPDATE sample SET verdict=?4, flags=?5, message=?6, speedup=?7, micros=?8 "
                              "WHERE run=?1 AND program=?2 AND target_key=?3");
    bool any = false;
    for (const auto& [key, one] : newest) {
        one->record.flags.add(VerdictFlag::VerifiedAgain);
        const VerdictRow row = verdictRow(one->record);
        for (const std::int64_t run : runs) {
            bool changed = false;
            for (sql::Statement* statement : {&verdict, &first}) {
                statement->bindAll(run, key.first, key.second, one->t, row.verdict, row.flags, row.message,
                                   row.speedup, row.microseconds);
                statement->bindBlob(row.record).run();
                changed = changed || db.changes() > 0;
            }
            if (!changed)
                continue;
            any = true;
            samples.bindAll(run, key.first, key.second, row.verdict, row.flags, row.message, row.speedup,
                            row.microseconds);
            samples.run();
        }
    }
    remember(db, "verifications", stamp);
    transaction.commit();
    return any || !sameFile;
}

} // namespace sparserl
