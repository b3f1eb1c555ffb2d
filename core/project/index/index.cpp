// SPDX-License-Identifier: Apache-2.0
#include "project/index/index.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/time.h"
#include "project/files/index_file.h"
#include "project/files/leftovers.h"
#include "project/files/project.h"
#include "project/files/run_files.h"
#include "project/index/index_library.h"
#include "project/index/index_run.h"
#include "project/index/index_soundness.h"
#include "project/index/index_verifications.h"
#include "project/index/index_written.h"
#include "project/index/run_watch.h"
#include "project/index/schema.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <sqlite3.h>
#include <thread>
#include <utility>

namespace sparserl {
namespace {

namespace fs = std::filesystem;

/// How long one update may read matrices: runs must not wait long for their turn.
constexpr double readSeconds = 0.3;
/// How much of a reading of everything the lists of runs are, roughly.
constexpr double listShare = 0.1;

/// How much an update looks at.
enum class Depth
{
    LivelyRuns, ///< New runs, and those that were not silent for long.
    EveryRun,
    Everything ///< Also whether each run's folder still holds a run.
};

struct Effort
{
    Depth depth = Depth::Everything;
    double seconds = std::numeric_limits<double>::infinity(); ///< After which what is left is left.
    /// Also the programs, samples and verdicts of long journals, where they are no more bytes than this.
    std::int64_t candidates = std::numeric_limits<std::int64_t>::max();
};

} // namespace

struct Indexer::Impl
{
    FileLock lock;
    fs::path project;
    fs::path place; ///< The folder of the index: the project as a rule.
    std::unique_ptr<sql::Database> db;
    FileIdentity identity; ///< Of the file that `db` is.
    IndexCompanions
        companions; ///< Of its log and its shared memory, which are there as long as `db` is open.
    bool rebuilt = false;
    bool owed = false;    ///< A new index was asked for, and could not be made yet.
    double owedAfter = 0; ///< When to try again, as of monotonicSeconds().
    int failures = 0;     ///< Of attempts to make it, in a row.
    MatrixScout scout;
    RunCourses courses;                    ///< Of what `db` holds.
    RunWatch watch;                        ///< Of what `db` holds.
    std::vector<fs::path> listed;          ///< The runs, as of the last complete look,
    std::vector<std::string> listProblems; ///< what was wrong with folders there,
    std::int64_t listTime = 0;             ///< and the time of their folder.
    std::set<fs::path> unread;             ///< Runs of which a part is to be read still,
    std::map<fs::path, std::int64_t>
        taken; ///< and how many bytes of each were read (IndexUpdate::unreadBytes).
    int glances = 0;

    ~Impl() { close(); }

    /// Another file begins anew.
    void forget()
    {
        scout = {};
        courses.clear();
        watch.forget();
        listed.clear();
        unread.clear();
        taken.clear();
        listTime = 0;
    }

    /// One that is there no longer: nothing of it is left to be read, and if it comes back, all of it is.
    void forget(const fs::path& run)
    {
        unread.erase(run);
        taken.erase(run);
        watch.forget(run);
        courses.erase(runIdOf(run.filename().string()));
    }

    /// What an index in a temporary folder may take: far more than journals of ours need, so that a project
    /// of others does not fill the disk. 0: it lies in the project, which is the user's.
    std::uint64_t mostBytes() const
    {
        constexpr std::uint64_t least = 256 << 20, factor = 16;
        if (place == project)
            return 0;
        std::uint64_t journals = 0;
        for (const fs::path& run : listDirectory(project / "runs").value_or(std::vector<fs::path>()))
            journals += sparserl::glance(run / journalFile).bytes;
        return least + factor * journals;
    }

    void limitSize()
    {
        const std::uint64_t most = mostBytes();
        const auto page = static_cast<std::uint64_t>(db->integer("PRAGMA page_size"));
        if (most > 0 && page > 0)
            db->execute(fmt::format("PRAGMA max_page_count={}", most / page));
    }

    Error errorOf(const sql::Fault& fault) const
    {
        if ((fault.code & 0xff) == SQLITE_FULL && place != project && db && // else the disk is
            db->integer("PRAGMA page_count") + 64 >= db->integer("PRAGMA max_page_count"))
            return {"the index would be many times as large as the journals that it is made from",
                    project.string(), 0, "Look for journals there that no program of ours has written"};
        return sql::errorFrom(fault, file());
    }

    fs::path file() const { return place / "project.sqlite"; }

    void close()
    {
        if (!db)
            return;
        try {
            db->execute(markClosed);
        } catch (const sql::Fault&) {
            // The next opening checks the file then; nothing to do now.
        }
        db.reset();
    }

    /// Held while files of the index's name are exchanged: who opens one then would get companions of
    /// another.
    FolderLock exchange() const { return {place, FolderLock::Kind::Alone}; }

    /// Moves the index aside and makes a new one, empty.
    Status renew()
    {
        db.reset();
        companions = {};
        owed = false;
        return open([&] { return quarantineIndex(file()); });
    }

    /// Opens the index, after `first`; a damaged one is moved aside and made anew, empty. Others cannot open
    /// it while files are exchanged, but while this one is migrated and checked.
    Status open(const std::function<Status()>& first)
    {
        try {
            try {
                SPARSERL_CHECK(openFile(first));
                makeSound(*db, file(), project);
            } catch (const sql::Fault& fault) {
                db.reset();
                if (!fault.damaged())
                    throw;
                SPARSERL_CHECK(openFile([&] { return quarantineIndex(file()); }));
                makeSound(*db, file(), project);
                rebuilt = true;
            }
            limitSize();
        } catch (const sql::Fault& fault) {
            db.reset();
            return fail(sql::errorFrom(fault, file()));
        } catch (const NewerSchema& newer) {
            db.reset();
            return failAt(
                file().string(), 0, newer.what(),
                "Use a newer version of SparseRL Workbench, or delete the index to have it rebuilt");
        }
        companions = companionsOf(file());
        return {};
    }

    /// In a moment in which nobody else opens it: SQLite makes the log of changes here, and the file's name
    /// may get another file.
    Status openFile(const std::function<Status()>& first)
    {
        const FolderLock alone = exchange();
        SPARSERL_CHECK(first());
        SPARSERL_CHECK(finishIndexSwap(file()));
        if (!sparserl::glance(file()).exists)
            removeCompanions(file(), companionsOf(file()));
        refuseForeign(file());
        db = std::make_unique<sql::Database>(file(), sql::Database::Mode::Write);
        identity = identityOf(file());
        return {};
    }

    /// Reads what is new. What stands in the way of it - the file was deleted or replaced under us, or is
    /// found to be damaged - is mended first: `rebuilt` of the result says so.
    Result<IndexUpdate> update(const CancelToken& cancel, const Progress& progress, const Effort& effort)
    {
        if (takeRebuildRequest(place) || (owed && monotonicSeconds() >= owedAfter))
            return rebuild(cancel, progress);
        bool renewed = false;
        const bool same = identityOf(file()) == identity;
        if (!db || !same || companionsOf(file()) != companions || !db->hasHeader()) {
            if (db && same) { // overwritten in place or without its log: nothing in it can be trusted
                SPARSERL_CHECK(renew());
            } else {
                SPARSERL_CHECK(openOther());
            }
            forget();
            renewed = true;
        }
        for (int attempt = 0;; ++attempt) {
            try {
                auto result = read(*db, cancel, progress, effort);
                result.rebuilt = renewed;
                return result;
            } catch (const sql::Fault& fault) {
                if (!fault.damaged() || attempt > 0)
                    return fail(errorOf(fault));
            }
            SPARSERL_CHECK(renew());
            forget();
            renewed = rebuilt = true;
        }
    }

    /// Opens what has the index's name instead of the one that was open; what that one had beside it stays
    /// behind.
    Status openOther()
    {
        close();
        return open([&] {
            removeCompanions(file(), std::exchange(companions, {}));
            return Status();
        });
    }

    /// Builds a new index beside the one that is there, whatever state that is in, and puts it in its place.
    /// Where it cannot, on a full disk for instance, a later update() tries again: what it was asked for is
    /// still wanted.
    Result<IndexUpdate> rebuild(const CancelToken& cancel, const Progress& progress)
    {
        const double begin = monotonicSeconds();
        (void)takeRebuildRequest(place);
        auto result = build(cancel, progress);
        owed = !result && (owed || !cancel.cancelled());
        failures = result ? 0 : failures + 1;
        // Most of the time is for others, and a disk that stays full is not filled again and again.
        constexpr double least = 1, longest = 600, share = 10;
        constexpr int doublings = 10;
        const double now = monotonicSeconds();
        const double wait =
            std::max(least, share * (now - begin)) * (1 << std::clamp(failures - 1, 0, doublings));
        owedAfter = now + std::min(longest, wait);
        return result;
    }

    Result<IndexUpdate> build(const CancelToken& cancel, const Progress& progress)
    {
        SPARSERL_CHECK(finishIndexSwap(file()));
        const fs::path fresh = newIndexPath(file());
        auto result = sql::guarded(fresh, [&] {
            sql::Database next(fresh, sql::Database::Mode::Write);
            migrate(next);
            keepOnlyOwn(next, project);
            forget();
            auto update = read(next, cancel, progress, {});
            next.execute(markClosed);
            // No companions: a file alone can be renamed.
            next.execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode=DELETE");
            return update;
        });
        if (!result || cancel.cancelled()) {
            forget();
            SPARSERL_CHECK(finishIndexSwap(file()));
            return result; // the old one stays
        }
        close();
        companions = {};
        SPARSERL_CHECK(open([&] { return swapIndex(file()); }));
        result->rebuilt = true;
        return result;
    }

    IndexUpdate read(sql::Database& target, const CancelToken& cancel, const Progress& progress,
                     const Effort& effort)
    {
        IndexUpdate result;
        const RunReading reading{cancel, monotonicSeconds() + effort.seconds};
        result.matrices = indexMatrices(target, project, result.problems);
        if (scout.read(target, project, readSeconds, cancel)) {
            indexMatrices(target, project, result.problems);
            result.matrices = true;
        }
        result.annotations = indexAnnotations(target, project, result.problems);
        result.exports = indexExports(target, project, result.problems);
        listRuns(target, effort.depth, result);
        watch.begin(effort.depth != Depth::LivelyRuns);
        result.runs = static_cast<std::int64_t>(listed.size());
        const auto changed = readRuns(target, reading, progress, effort.candidates, result);
        result.changedRuns += static_cast<std::int64_t>(changed.size());
        result.changed.insert(result.changed.end(), changed.begin(), changed.end());
        result.written = indexWritten(target, project, result.problems);
        result.verifications =
            indexVerifications(target, project, result.changedRuns > 0 || result.written, result.problems);
        return result;
    }

    /// Every run's lists, then the programs, samples and verdicts of those that have many. Returns the names
    /// of the runs of which something new was read.
    std::set<std::string> readRuns(sql::Database& target, const RunReading& reading, const Progress& progress,
                                   std::int64_t candidates, IndexUpdate& result)
    {
        std::set<std::string> changed;
        std::vector<std::pair<fs::path, RunIndexer>> behind;
        const auto note = [&](const fs::path& run, const RunIndexer& indexer) {
            taken[run] = indexer.bytes() - indexer.unread();
            if (indexer.changed())
                changed.insert(run.filename().string());
            if (indexer.unread() <= 0) {
                unread.erase(run);
                return;
            }
            unread.insert(run);
            watch.forget(run);
        };
        std::int64_t left = 0;
        // The newest first: somebody waits for it most likely.
        const auto count = static_cast<double>(std::max<std::size_t>(1, listed.size()));
        for (std::size_t i = 0; i < listed.size(); ++i) {
            const fs::path& run = listed[listed.size() - 1 - i];
            if (!watch.mayHaveNews(run)) // one of `unread` always may
                continue;
            if (reading.over()) { // at the next time, then
                // Less what was read of it before, so that what is left does not grow by itself.
                const auto bytes = static_cast<std::int64_t>(sparserl::glance(run / journalFile).bytes);
                left += std::max<std::int64_t>(0, 2 * bytes - taken[run]);
                unread.insert(run);
                watch.forget(run);
                continue;
            }
            if (progress)
                progress(listShare * static_cast<double>(i) / count, "reading " + run.filename().string());
            RunIndexer indexer(target, run, courses);
            const auto problems = result.problems.size();
            const auto entries = indexer.update(result.problems, reading);
            if (!entries) { // one broken run does not stop the others
                result.problems.push_back(entries.error().sentence());
                unread.erase(run);
                continue;
            }
            result.entries += *entries;
            note(run, indexer);
            if (indexer.unread() > 0)
                behind.emplace_back(run, std::move(indexer));
            else if (result.problems.size() == problems && !reading.cancel.cancelled())
                watch.wasRead(run, indexer.changed()); // those behind are looked at once more
        }
        for (const auto& [run, indexer] : behind)
            left += indexer.unread();
        const std::int64_t before = std::max<std::int64_t>(1, left);
        for (auto& [run, indexer] : behind) {
            if (left > candidates || reading.over())
                break;
            if (progress)
                progress(1 - (1 - listShare) * static_cast<double>(left) / static_cast<double>(before),
                         "reading the programs of " + run.filename().string());
            left -= indexer.unread();
            const auto entries = indexer.readCandidates(result.problems, reading);
            if (entries)
                result.entries += *entries;
            else
                result.problems.push_back(entries.error().sentence());
            note(run, indexer);
            if (entries)
                left += indexer.unread();
            else
                unread.erase(run);
        }
        result.unreadRuns = static_cast<std::int64_t>(unread.size());
        result.unreadBytes = left;
        return changed;
    }

    /// Looks for runs that came or went; a folder of the same time as before has the same entries.
    void listRuns(sql::Database& target, Depth depth, IndexUpdate& result)
    {
        const std::int64_t time = sparserl::glance(project / "runs").modified;
        if (depth == Depth::Everything || time != listTime || listed.empty()) {
            listProblems.clear();
            if (auto runs = runsOf(listProblems)) {
                const std::set<fs::path> present(runs->begin(), runs->end());
                for (const fs::path& run : listed)
                    if (!present.contains(run))
                        forget(run);
                listed = std::move(*runs);
                removeVanished(target, listed, result);
                listTime = time;
            } else { // what cannot be listed now has not vanished
                listProblems.push_back(runs.error().sentence());
                listTime = 0;
            }
        }
        result.problems.insert(result.problems.end(), listProblems.begin(), listProblems.end());
    }

    Result<std::vector<fs::path>> runsOf(std::vector<std::string>& problems) const
    {
        std::vector<fs::path> runs;
        SPARSERL_TRY(const auto folder, lookAt(project / "runs"));
        if (!folder.exists)
            return runs;
        const auto entries = listDirectory(project / "runs");
        if (!entries && folder.link) { // what lies elsewhere is none of this project's
            problems.push_back(entries.error().sentence());
            return runs;
        }
        if (!entries)
            return fail(entries.error());
        for (const fs::path& path : *entries) {
            if (path.filename().string().starts_with('.')) // being created
                continue;
            if (const auto config = lookAt(path / runFile); !config)
                problems.push_back(config.error().sentence());
            else if (config->exists)
                runs.push_back(path);
            else if (sparserl::glance(path / "checkpoints").exists)
                problems.push_back(path.string() +
                                   ": the run.toml of this run is missing. Restore it to see the run");
        }
        return runs;
    }

    static void removeVanished(sql::Database& target, const std::vector<fs::path>& runs, IndexUpdate& result)
    {
        std::set<std::string> present;
        for (const fs::path& run : runs)
            present.insert(run.filename().string());
        std::vector<std::pair<std::int64_t, std::string>> gone;
        auto rows = target.prepare("SELECT id, name FROM run");
        while (rows.step()) {
            if (!present.contains(rows.text(1)))
                gone.emplace_back(rows.integer(0), rows.text(1));
        }
        rows.reset();
        for (const auto& [id, name] : gone) {
            sql::Transaction transaction(target);
            RunIndexer::removeRows(target, id);
            transaction.commit();
            ++result.changedRuns;
            result.changed.push_back(name);
        }
    }
};

Indexer::Indexer(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}
Indexer::Indexer(Indexer&&) noexcept = default;
Indexer& Indexer::operator=(Indexer&&) noexcept = default;
Indexer::~Indexer() = default;

Result<Indexer> Indexer::lockProject(const fs::path& path, const fs::path& elsewhere)
{
    const auto project = Project::open(path); // refuses folders that are no project
    if (!project)
        return fail(project.error());
    const fs::path place = elsewhere.empty() ? project->path() : elsewhere;
    const fs::path lockFile = place / "index.lock";
    SPARSERL_TRY(auto lock, FileLock::tryLock(lockFile));
    if (!lock) {
        const auto holder = FileLock::holder(lockFile);
        return failAt(lockFile.string(), 0,
                      holder ? fmt::format("another program (process {}) keeps this project's index", *holder)
                             : std::string("another program keeps this project's index"),
                      "Close it to write here; reading works meanwhile");
    }
    // Who keeps the index comes by often enough; an hour, because others may be writing here.
    if (elsewhere.empty()) {
        std::vector<fs::path> named;
        for (const MatrixEntry& matrix : project->matrices())
            named.push_back((project->path() / matrix.file).lexically_normal());
        for (const fs::path& folder : {project->path(), project->cachePath(), project->path() / "matrices"})
            removeLeftovers(folder, std::chrono::hours(1), named);
        removeHalfBundles(project->exportsPath(), std::chrono::hours(1));
    }
    auto impl = std::unique_ptr<Impl>(new Impl{std::move(*lock), project->path(), place});
    return Indexer(std::move(impl));
}

Result<Indexer> Indexer::open(const fs::path& path, const fs::path& place)
{
    auto indexer = lockProject(path, place);
    if (!indexer)
        return indexer;
    SPARSERL_CHECK(indexer->m_impl->open([] { return Status(); }));
    return indexer;
}

Result<bool> Indexer::askKeeper(const fs::path& path, double seconds, const CancelToken& cancel)
{
    SPARSERL_TRY(const auto project, Project::find(path));
    const fs::path lockFile = project.path() / "index.lock";
    requestRebuild(project.path());
    // It may be building one already, for longer than that: then it is waited for as long as that grows.
    constexpr double longest = 20;
    const fs::path building = newIndexPath(project.path() / "project.sqlite").string() + "-wal";
    const double begin = monotonicSeconds();
    double end = begin + seconds;
    std::int64_t written = 0;
    while (FileLock::isLocked(lockFile) && !cancel.cancelled()) {
        if (!hasRebuildRequest(project.path()))
            return true;
        if (const std::int64_t modified = sparserl::glance(building).modified; modified != written) {
            written = modified;
            end = std::min(begin + longest * seconds, monotonicSeconds() + seconds);
        }
        if (monotonicSeconds() > end) {
            takeRebuildRequest(project.path());
            return failAt(lockFile.string(), 0,
                          "another program holds this project's index and does not rebuild it",
                          "Close it, then try again");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return !takeRebuildRequest(project.path());
}

Result<IndexUpdate> Indexer::reindex(const fs::path& path, const CancelToken& cancel,
                                     const Progress& progress, std::string* integrity)
{
    SPARSERL_TRY(auto indexer, lockProject(path, {}));
    auto update = indexer.rebuild(cancel, progress);
    if (update && integrity != nullptr && !cancel.cancelled()) {
        SPARSERL_TRY(auto verdict, indexer.integrityCheck());
        *integrity = std::move(verdict);
    }
    return update;
}

Result<IndexUpdate> Indexer::update(const CancelToken& cancel, const Progress& progress)
{
    return m_impl->update(cancel, progress, {});
}

Result<IndexUpdate> Indexer::updateLists(const CancelToken& cancel, const Progress& progress,
                                         std::int64_t alsoRead)
{
    Effort effort;
    effort.candidates = alsoRead;
    return m_impl->update(cancel, progress, effort);
}

Result<IndexUpdate> Indexer::glance(const CancelToken& cancel, double seconds)
{
    const int glance = m_impl->glances++;
    return m_impl->update(cancel, {},
                          {glance % 64 == 0  ? Depth::Everything
                           : glance % 8 == 0 ? Depth::EveryRun
                                             : Depth::LivelyRuns,
                           seconds});
}

Result<IndexUpdate> Indexer::rebuild(const CancelToken& cancel, const Progress& progress)
{
    return m_impl->rebuild(cancel, progress);
}

bool Indexer::wasRebuilt() const
{
    return m_impl->rebuilt;
}

Result<std::string> Indexer::integrityCheck()
{
    return sql::guarded(m_impl->file(), [&] { return m_impl->db->text("PRAGMA integrity_check"); });
}

} // namespace sparserl
