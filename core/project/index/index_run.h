// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "project/curves/decimate.h"
#include "project/index/sqlite.h"
#include "project/run/journal.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// Returns the id of a run in the index: 48 bits of the SHA-256 of its folder's name. A rebuild of the index
/// does not change it.
std::int64_t runIdOf(const std::string& name);

/// The points of the metric that lists show for a run, as stored in the table. They are kept so that a new
/// point of a live run does not require reading the whole series.
struct RunCourse
{
    std::string name, split; ///< Empty after the run was read once; points are kept from the second time on.
    std::vector<SeriesPoint> points;
};
/// Courses of runs that were read more than once and have not ended, by id. They belong to one index file.
using RunCourses = std::map<std::int64_t, RunCourse>;

/// Writes entries of a run to the tables. Does not change the row of the run.
void indexEntries(sql::Database& db, std::int64_t run, const std::vector<JournalEntry>& entries);

/// Limits for reading a journal.
struct RunReading
{
    CancelToken cancel;
    /// Deadline in monotonicSeconds(). Entries that have not been read by then are left for later.
    double until = std::numeric_limits<double>::infinity();

    bool over() const;
};

/// Copies the entries of one run's journal to the tables. In a long journal, it reads the entries for lists
/// first, and programs, samples and verdicts in a second pass. A project with many runs can thus be displayed
/// before all its programs have been read.
class RunIndexer
{
public:
    RunIndexer(sql::Database& db, std::filesystem::path runDirectory, RunCourses& courses);

    /// Reads the new entries, in one transaction per batch. Leaves programs, samples and verdicts to
    /// readCandidates() unless the journal is short. Returns the number of entries. Appends sentences about
    /// unreadable lines to `problems`.
    Result<std::int64_t> update(std::vector<std::string>& problems, const RunReading& reading);
    /// Reads the programs, samples and verdicts that update() has left out. Returns the number of entries.
    Result<std::int64_t> readCandidates(std::vector<std::string>& problems, const RunReading& reading);
    /// Returns whether anything has changed. Changes such as a new run or a resume may come without entries.
    bool changed() const { return m_changed; }
    /// Return the unread and the total bytes of the journal. Each byte counts twice, once for each pass.
    std::int64_t unread() const { return 2 * m_bytes - m_position.offset - m_candidates; }
    std::int64_t bytes() const { return 2 * m_bytes; }

    static void removeRows(sql::Database& db, std::int64_t run);

private:
    bool load();
    Status create();
    void apply(const JournalBatch& batch);
    void applyCandidates(const JournalBatch& batch);
    void finish(JournalPosition position, bool last);
    Result<std::int64_t> readBatches(std::vector<std::string>& problems, const RunReading& reading);
    void reset(int gen);
    void writeSpark(const std::string& name, const std::string& split);
    std::vector<SeriesPoint> readPoints(const std::string& name, const std::string& split,
                                        std::int64_t after) const;

    sql::Database& m_db;
    RunCourses& m_courses;
    std::optional<RunCourse> m_course; ///< Moved out of m_courses, and moved back after the commit.
    bool m_overwritten = false;        ///< A point of the table was overwritten.
    std::filesystem::path m_path;
    std::int64_t m_id = 0;
    bool m_known = false, m_changed = false;
    // The row of the run during an update.
    JournalPosition m_position;
    std::string m_state = "queued", m_reason;
    double m_updated = 0;
    std::int64_t m_step = 0, m_totalSteps = 0, m_samples = 0, m_columns = 1;
    std::int64_t m_candidates = 0; ///< Position up to which programs, samples and verdicts were read.
    std::int64_t m_bytes = 0;      ///< Size of the journal when it was last examined.
    std::string m_stage;
    bool m_staleHeadline = false; ///< An earlier version has chosen the metric for lists.
};

} // namespace sparserl
