// SPDX-License-Identifier: Apache-2.0
#include "project/index/index_written.h"

#include "base/hash.h"
#include "project/index/index_library.h"
#include "project/index/index_run.h"
#include "project/run/written_programs.h"

#include <limits>

namespace sparserl {

bool indexWritten(sql::Database& db, const std::filesystem::path& project, std::vector<std::string>& problems)
{
    const std::string stamp = stampOf({project / writtenFile});
    if (unchanged(db, "written", stamp))
        return false;
    auto list = readWrittenPrograms(project);
    if (!list) {
        problems.push_back(list.error().sentence());
        return false;
    }
    std::vector<JournalEntry> entries;
    for (WrittenProgram& program : *list) {
        const auto add = [&](Event event) {
            JournalEntry entry;
            entry.seq = program.line;
            entry.t = program.t;
            entry.event = std::move(event);
            entries.push_back(std::move(entry));
        };
        SampleEvent sample;
        sample.programHash = sha256Hex(program.text);
        sample.target = program.target;
        sample.origin = program.origin;
        sample.split = program.split;
        sample.family = program.family;
        sample.tokens = program.tokens;
        sample.logProb = program.logProb;
        sample.reward = std::numeric_limits<double>::quiet_NaN();
        add(ProgramEvent{sample.programHash, std::move(program.text)});
        add(std::move(sample));
        if (program.record)
            add(VerdictEvent{std::move(*program.record)});
    }
    sql::Transaction transaction(db);
    RunIndexer::removeRows(db, writtenPrograms);
    indexEntries(db, writtenPrograms, entries);
    remember(db, "written", stamp);
    transaction.commit();
    return true;
}

} // namespace sparserl
