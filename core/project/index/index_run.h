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

/// Identity of a run in the index: 48 bits of the SHA-256 of its folder's name, so that a rebuilt index has
/// the same.
std::int64_t runIdOf(const std::string& name);

/// The points of the metric that lists show of a run, as they are in the table: a live run's new point must
/// not cost reading the series from its beginning.
struct RunCourse
{
    std::string name, split; ///< Empty: the run was read once; its points are kept from the next time on.
    std::vector<SeriesPoint> points;
};
/// Of runs that were read more than once and have not ended. Belongs to one file of the index.
using RunCourses = std::map<std::int64_t, RunCourse>;

/// Puts entries into the tables as those of this run, whose row is not touched.
void indexEntries(sql::Database& db, std::int64_t run, const std::vector<JournalEntry>& entries);

/// How much of a journal is read at once.
struct RunReading
{
    CancelToken cancel;
    double until =
        std::numeric_limits<double>::infinity(); ///< As of monotonicSeconds(): what is left is left.

    bool over() const;
};

/// Carries the entries of one run's journal into the tables: first those of the lists, then, where there is
/// much, programs, samples and verdicts by themselves, so that a project of many runs is there before all its
/// programs are.
class RunIndexer
{
public:
    RunIndexer(sql::Database& db, std::filesystem::path runDirectory, RunCourses& courses);

    /// Reads what is new, a transaction per batch; programs, samples and verdicts only where all of it is
    /// little. Returns the number of entries; `problems` gets sentences.
    Result<std::int64_t> update(std::vector<std::string>& problems, const RunReading& reading);
    /// Reads the programs, samples and verdicts that update() left out.
    Result<std::int64_t> readCandidates(std::vector<std::string>& problems, const RunReading& reading);
    /// True if anything changed, entries or not (a new run, a resume).
    bool changed() const { return m_changed; }
    /// How many bytes of the journal are to be read still, and how many there are: each counts twice, once
    /// for either part.
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
    std::optional<RunCourse> m_course; ///< Taken out of m_courses, and put back once all is committed.
    bool m_overwritten = false;        ///< A point of the table got another value.
    std::filesystem::path m_path;
    std::int64_t m_id = 0;
    bool m_known = false, m_changed = false;
    // The run's row while it is being updated.
    JournalPosition m_position;
    std::string m_state = "queued", m_reason;
    double m_updated = 0;
    std::int64_t m_step = 0, m_totalSteps = 0, m_samples = 0, m_columns = 1;
    std::int64_t m_candidates = 0; ///< As far as programs, samples and verdicts were read.
    std::int64_t m_bytes = 0;      ///< Of the journal, when it was looked at.
    std::string m_stage;
    bool m_staleHeadline = false; ///< It was chosen by an earlier version.
};

} // namespace sparserl
