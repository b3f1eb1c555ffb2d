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

/// What an update of the index did.
struct IndexUpdate
{
    std::int64_t runs = 0;        ///< Runs in the project.
    std::int64_t changedRuns = 0; ///< Of which something new was read.
    std::int64_t entries = 0;     ///< Journal entries read.
    std::int64_t unreadRuns = 0;  ///< Runs of which not all was read.
    std::int64_t unreadBytes = 0; ///< Of their journals; a byte counts once for lists and once for programs.
    bool matrices = false, annotations = false, exports = false; ///< What else changed.
    bool verifications = false;                                  ///< Verdicts given outside runs.
    bool written = false;                                        ///< Programs written outside runs.
    bool rebuilt = false;                                        ///< All of it was read again.
    std::vector<std::string> changed;                            ///< Names of the changed runs.
    std::vector<std::string> problems; ///< Sentences: unreadable lines, broken run folders.
    bool anything() const
    {
        return changedRuns > 0 || matrices || annotations || exports || verifications || written;
    }
};

/// The one process that writes project.sqlite: holds `index.lock`. Journals in, tables out
/// (docs/formats.md 5).
class Indexer
{
public:
    /// Takes the lock (fails with the holder if another process has it: then only read), opens and migrates.
    /// A damaged database is moved aside (project.sqlite.broken-N) and built anew; a newer one is refused.
    /// `place`: where the index is kept, for a project in which nothing is to be written; empty: in the
    /// project.
    static Result<Indexer> open(const std::filesystem::path& project,
                                const std::filesystem::path& place = {});
    Indexer(Indexer&&) noexcept;
    Indexer& operator=(Indexer&&) noexcept;
    ~Indexer();

    /// Reads what is new in every run, in transactions of some thousand entries. Cheap if nothing is. An
    /// index that was deleted or replaced under this object, or turns out to be damaged, is moved aside,
    /// built anew and read whole; the result says so.
    Result<IndexUpdate> update(const CancelToken& cancel = {}, const Progress& progress = {});
    /// The same without the programs, samples and verdicts of long journals, which are most of them: enough
    /// for the list of runs, their charts and logs. Where no more than `alsoRead` bytes are left, for which
    /// nobody waits long, all is read.
    Result<IndexUpdate> updateLists(const CancelToken& cancel = {}, const Progress& progress = {},
                                    std::int64_t alsoRead = 8 << 20);
    /// The same for who asks several times a second: runs that have been silent for half a minute are looked
    /// at by every eighth call only. Lists come first; what is not read after about so many seconds is left
    /// to the next call (IndexUpdate::unreadBytes).
    Result<IndexUpdate> glance(const CancelToken& cancel = {},
                               double seconds = std::numeric_limits<double>::infinity());
    /// Reads everything again into a new file and puts that in the place of the old one; a cancelled one
    /// changes nothing.
    Result<IndexUpdate> rebuild(const CancelToken& cancel = {}, const Progress& progress = {});
    /// The same for an index in any state, also one that open() refuses: it is not even opened. `integrity`
    /// gets what integrityCheck() says of the new one.
    static Result<IndexUpdate> reindex(const std::filesystem::path& project, const CancelToken& cancel = {},
                                       const Progress& progress = {}, std::string* integrity = nullptr);
    /// Has another program that keeps the index build it anew. True: it has begun to; false: nobody keeps it
    /// any more. Fails if it does not within `seconds`.
    static Result<bool> askKeeper(const std::filesystem::path& project, double seconds,
                                  const CancelToken& cancel = {});
    /// True if the database had to be built anew on opening.
    bool wasRebuilt() const;
    /// `PRAGMA integrity_check`: "ok", or what is wrong.
    Result<std::string> integrityCheck();

private:
    struct Impl;
    explicit Indexer(std::unique_ptr<Impl> impl);
    static Result<Indexer> lockProject(const std::filesystem::path& project,
                                       const std::filesystem::path& place);
    std::unique_ptr<Impl> m_impl;
};

/// All rows of all tables as text, ordered by key: equal for equal indexes. For tests and support.
Result<std::string> dumpIndex(const std::filesystem::path& project);

/// SQLite's version, and a warning where it has the WAL-reset bug (3.7.0 to 3.51.2) or an empty string.
std::string sqliteVersion();
std::string sqliteWarning();
/// The same as a capability "sqlite".
Capability indexCapability();

} // namespace sparserl
