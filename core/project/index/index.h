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

/// The result of an index update.
struct IndexUpdate
{
    std::int64_t runs = 0;        ///< Runs in the project.
    std::int64_t changedRuns = 0; ///< Runs with new entries.
    std::int64_t entries = 0;     ///< Journal entries read.
    std::int64_t unreadRuns = 0;  ///< Runs not read completely.
    std::int64_t unreadBytes = 0; ///< Unread bytes of their journals; a byte counts once for lists and once
                                  ///< for programs.
    bool matrices = false, annotations = false, exports = false; ///< Other changes.
    bool verifications = false;                                  ///< Verdicts given outside runs.
    bool written = false;                                        ///< Programs written outside runs.
    bool rebuilt = false;                                        ///< Everything was read again.
    std::vector<std::string> changed;                            ///< Names of the changed runs.
    std::vector<std::string> problems; ///< Sentences about unreadable lines and damaged run folders.
    bool anything() const
    {
        return changedRuns > 0 || matrices || annotations || exports || verifications || written;
    }
};

/// The only writer of project.sqlite; holds `index.lock`. Transfers journals to tables (docs/formats.md 5).
class Indexer
{
public:
    /// Takes the lock, opens and migrates the database. If another process has the lock, fails and names it;
    /// the caller can then only read. Moves a damaged database aside (project.sqlite.broken-N) and rebuilds
    /// it; refuses a newer one. `place`: the folder of the index for a project that must not be written;
    /// empty: the project.
    static Result<Indexer> open(const std::filesystem::path& project,
                                const std::filesystem::path& place = {});
    Indexer(Indexer&&) noexcept;
    Indexer& operator=(Indexer&&) noexcept;
    ~Indexer();

    /// Reads new entries of every run, in transactions of several thousand entries. Cheap if there are none.
    /// If the index was deleted, replaced or damaged in the meantime, moves it aside and rebuilds it
    /// completely, as stated in the result.
    Result<IndexUpdate> update(const CancelToken& cancel = {}, const Progress& progress = {});
    /// The same without the programs, samples and verdicts of long journals, which are the largest part:
    /// sufficient for the list of runs, their charts and logs. If at most `alsoRead` bytes remain, which
    /// takes little time, reads everything.
    Result<IndexUpdate> updateLists(const CancelToken& cancel = {}, const Progress& progress = {},
                                    std::int64_t alsoRead = 8 << 20);
    /// The same for frequent polling: examines runs that have been silent for half a minute only in every
    /// eighth call. Reads lists first and stops after about `seconds`; the next call continues
    /// (IndexUpdate::unreadBytes).
    Result<IndexUpdate> glance(const CancelToken& cancel = {},
                               double seconds = std::numeric_limits<double>::infinity());
    /// Builds a new index file from scratch and replaces the old one. A cancelled rebuild changes nothing.
    Result<IndexUpdate> rebuild(const CancelToken& cancel = {}, const Progress& progress = {});
    /// The same for an index in any state, even one refused by open(), which is not opened. `integrity`
    /// receives the result of integrityCheck() on the new index.
    static Result<IndexUpdate> reindex(const std::filesystem::path& project, const CancelToken& cancel = {},
                                       const Progress& progress = {}, std::string* integrity = nullptr);
    /// Asks another program that keeps the index to rebuild it. True: it has started; false: there is no
    /// keeper any more. Fails after `seconds`.
    static Result<bool> askKeeper(const std::filesystem::path& project, double seconds,
                                  const CancelToken& cancel = {});
    /// True if the database was rebuilt on opening.
    bool wasRebuilt() const;
    /// `PRAGMA integrity_check`: "ok", or the faults.
    Result<std::string> integrityCheck();

private:
    struct Impl;
    explicit Indexer(std::unique_ptr<Impl> impl);
    static Result<Indexer> lockProject(const std::filesystem::path& project,
                                       const std::filesystem::path& place);
    std::unique_ptr<Impl> m_impl;
};

/// All rows of all tables as text, ordered by key; equal for equal indexes. For tests and support.
Result<std::string> dumpIndex(const std::filesystem::path& project);

/// SQLite's version, and a warning if it has the WAL-reset bug (3.7.0 to 3.51.2), otherwise an empty string.
std::string sqliteVersion();
std::string sqliteWarning();
/// The same as a capability "sqlite".
Capability indexCapability();

} // namespace sparserl
