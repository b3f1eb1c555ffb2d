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

/// Identity of a run in the index: 48 bits of the SHA-256 of its folder's name; the same after a rebuild.
std::int64_t runIdOf(const std::string& name);

/// The points of the metric shown in lists, as stored in the table. A new point of a live run then does not
/// require reading the whole series.
struct RunCourse
{
    std::string name, split; ///< Empty after the first reading; points are kept from the second one on.
    std::vector<SeriesPoint> points;
};
/// For runs that were read more than once and have not ended. Belongs to one index file.
using RunCourses = std::map<std::int64_t, RunCourse>;

/// Writes entries of this run to the tables, without changing the run's row.
void indexEntries(sql::Database& db, std::int64_t run, const std::vector<JournalEntry>& entries);

/// Limits for reading a journal.
struct RunReading
{
    CancelToken cancel;
    double until = std::numeric_limits<double>::infinity(); ///< Deadline in monotonicSeconds(). Entries not
                                                            ///< read by then remain unread.

    bool over() const;
};

/// Transfers the entries of one run's journal to the tables: first those for lists; in a long journal,
/// programs, samples and verdicts follow separately. A project of many runs is thus displayed before all its
/// programs are read.
class RunIndexer
{
public:
    RunIndexer(sql::Database& db, std::filesystem::path runDirectory, RunCourses& courses);

    /// Reads new entries, one transaction per batch; includes programs, samples and verdicts only in a short
    /// journal. Returns the number of entries; `problems` receives sentences.
    Result<std::int64_t> update(std::vector<std::string>& problems, const RunReading& reading);
    /// Reads the programs, samples and verdicts omitted in update().
    Result<std::int64_t> readCandidates(std::vector<std::string>& problems, const RunReading& reading);
    /// True if anything changed, with or without entries (a new run, a resume).
    bool changed() const { return m_changed; }
    /// Unread and total bytes of the journal. Each byte counts twice, once per part.
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
    std::optional<RunCourse> m_course; ///< Taken from m_courses, and returned after the commit.
    bool m_overwritten = false;        ///< A point of the table was overwritten.
    std::filesystem::path m_path;
    std::int64_t m_id = 0;
    bool m_known = false, m_changed = false;
    // The run's row during its update.
    JournalPosition m_position;
    std::string m_state = "queued", m_reason;
    double m_updated = 0;
    std::int64_t m_step = 0, m_totalSteps = 0, m_samples = 0, m_columns = 1;
    std::int64_t m_candidates = 0; ///< Position up to which programs, samples and verdicts were read.
    std::int64_t m_bytes = 0;      ///< Journal size at the last look.
    std::string m_stage;
    bool m_staleHeadline = false; ///< Chosen in an earlier version.
};

} // namespace sparserl
