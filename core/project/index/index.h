// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "machine/capabilities.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace sparserl {

/// The result of an update of the index.
struct IndexUpdate
{
    std::int64_t runs = 0;        ///< Number of runs in the project.
    std::int64_t changedRuns = 0; ///< Number of runs with new entries.
    std::int64_t entries = 0;     ///< Number of journal entries that were read.
    std::int64_t unreadRuns = 0;  ///< Number of runs whose journals were not read completely.
    /// Unread bytes of these journals. Each byte counts twice, once for lists and once for programs.
    std::int64_t unreadBytes = 0;
    bool matrices = false, annotations = false, exports = false; ///< Whether these have changed.
    bool verifications = false;        ///< Whether there are new verdicts from outside runs.
    bool written = false;              ///< Whether there are new programs from outside runs.
    bool rebuilt = false;              ///< Whether the index was rebuilt from scratch.
    std::vector<std::string> changed;  ///< Names of the changed runs.
    std::vector<std::string> problems; ///< Sentences about unreadable lines and damaged run folders.
    bool anything() const
    {
        return changedRuns > 0 || matrices || annotations || exports || verifications || written;
    }
};

/// Writes the index project.sqlite: copies the contents of journals and other files to its tables
/// (docs/formats.md 5). It holds `index.lock`, so that there is only one writer.
class Indexer
{
public:
    /// Takes the lock, then opens and migrates the database. Fails if another process has the lock, and names
    /// that process; the caller can then only read. Renames a damaged database to project.sqlite.broken-N and
    /// rebuilds the index. Fails if a newer version has written the database. `place` is the folder for the
    /// index of a project that must not be written to; if it is empty, the index is in the project.
    static Result<Indexer> open(const std::filesystem::path& project,
                                const std::filesystem::path& place = {});
    Indexer(Indexer&&) noexcept;
    Indexer& operator=(Indexer&&) noexcept;
    ~Indexer();

    /// Reads the new entries of every run, in transactions of several thousand entries. Takes little time if
    /// there are none. If the index was deleted, replaced or damaged in the meantime, moves it aside,
    /// rebuilds it completely, and says so in the result.
    Result<IndexUpdate> update(const CancelToken& cancel = {}, const Progress& progress = {});
    /// Updates only what the list of runs, their charts and their logs need. Leaves out the programs, samples
    /// and verdicts of long journals, which are the largest part. If at most `alsoRead` bytes are then
    /// unread, reads them, too.
    Result<IndexUpdate> updateLists(const CancelToken& cancel = {}, const Progress& progress = {},
                                    std::int64_t alsoRead = 8 << 20);
    /// Updates the index for callers that poll. Examines runs that have been silent for half a minute only in
    /// every eighth call. Reads the entries for lists first, and stops after about `seconds`. The next call
    /// continues with the rest (IndexUpdate::unreadBytes).
    Result<IndexUpdate> glance(const CancelToken& cancel = {},
                               double seconds = std::numeric_limits<double>::infinity());
    /// Builds a new index from scratch and replaces the old one with it. If it is cancelled, the old index
    /// stays.
    Result<IndexUpdate> rebuild(const CancelToken& cancel = {}, const Progress& progress = {});
    /// Rebuilds the index of a project without opening the old one, which may be in any state. If `integrity`
    /// is not null, it receives the result of integrityCheck() on the new index.
    static Result<IndexUpdate> reindex(const std::filesystem::path& project, const CancelToken& cancel = {},
                                       const Progress& progress = {}, std::string* integrity = nullptr);
    /// Asks the process that holds the index's lock to rebuild the index. Returns true if the rebuild has
    /// started, and false if no process holds the lock any more. Fails if neither happens within `seconds`.
    static Result<bool> askKeeper(const std::filesystem::path& project, double seconds,
                                  const CancelToken& cancel = {});
    /// Returns whether open() has rebuilt the database.
    bool wasRebuilt() const;
    /// Returns the result of `PRAGMA integrity_check`: "ok", or the faults.
    Result<std::string> integrityCheck();

private:
    struct Impl;
    explicit Indexer(std::unique_ptr<Impl> impl);
    static Result<Indexer> lockProject(const std::filesystem::path& project,
                                       const std::filesystem::path& place);
    std::unique_ptr<Impl> m_impl;
};

/// Returns all rows of all tables as text, sorted by key. The text is the same for equal indexes. For tests
/// and support.
Result<std::string> dumpIndex(const std::filesystem::path& project);

/// Return SQLite's version, and a warning if this version has the WAL-reset bug (3.7.0 to 3.51.2), otherwise
/// an empty string.
std::string sqliteVersion();
std::string sqliteWarning();
/// Returns version and warning as the capability "sqlite".
Capability indexCapability();

} // namespace sparserl
