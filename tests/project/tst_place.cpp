// SPDX-License-Identifier: Apache-2.0
// Folders that are moved, replaced or stripped of their markers while a program works in them, and folders
// whose modes and owners are not those of a folder of one's own.
#include "fixture.h"

#include "base/beneath.h"
#include "base/control_file.h"
#include "base/lock.h"
#include "base/roots.h"
#include "base/trust.h"
#include "project/run/generation.h"
#include "project/run/remote_mark.h"

#include <QTest>
#include <map>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace fixture;
namespace fs = std::filesystem;

namespace {

/// Read plainly: what is held and has moved cannot be read in the usual way.
std::map<std::string, std::string> snapshot(const fs::path& folder)
{
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        std::ostringstream content;
        if (entry.is_regular_file())
            content << std::ifstream(entry.path()).rdbuf();
        all[entry.path().lexically_relative(folder).string()] = content.str();
    }
    return all;
}

} // namespace

class TestPlace : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_dir = std::make_unique<TempDir>(must(TempDir::create()));
        qunsetenv("SPARSERL_TRUST");
        qputenv("XDG_CONFIG_HOME", (m_dir->path() / "settings").c_str());
        m_victim = m_dir->path() / "precious.txt";
        mustDo(writeFileAtomic(m_victim, "precious"));
        m_outside = m_dir->path() / "outside";
        fs::create_directories(m_outside);
    }
    void cleanup() { m_dir.reset(); }

    /// Another project comes to where the run was, or nothing does: a worker changes neither.
    void movedRuns()
    {
        const fs::path first = makeProject("p1"), second = makeProject("p2");
        for (const bool replaced : {true, false}) {
            auto worker = must(RunDirectory::open(first / "runs/r"));
            auto session = must(worker.beginWork());
            writeCheckpoint(worker, session.journal(), 5);
            auto open = must(worker.beginCheckpoint(6));
            mustDo(writeFileAtomic(open.directory() / "weights", "6"));
            mustDo(session.checkPlace());
            const fs::path away = m_dir->path() / "away";
            fs::rename(first, away);
            if (replaced)
                fs::rename(second, first);
            const auto before = replaced ? snapshot(first) : std::map<std::string, std::string>();

            const auto said = session.checkPlace();
            QVERIFY(!said);
            QVERIFY2(said.error().sentence().find((first / "runs/r").string()) != std::string::npos &&
                         said.error().remedy.find("sparserl train --run") != std::string::npos,
                     said.error().sentence().c_str());
            QVERIFY(!worker.beginCheckpoint(7));
            QVERIFY(!open.commit(session.journal()));
            Heartbeat beat;
            beat.phase = "foreign";
            QVERIFY(!writeHeartbeat(worker.path(), beat));
            static_cast<void>(worker.pruneCheckpoints(1)); // sees none there
            QVERIFY(!replaced || !worker.pinCheckpoint("step-000000", true));
            QVERIFY(!writeFileAtomic(first / "cache/x", "x")); // of its project
            QVERIFY(!makeDirectories(first / "runs/r/checkpoints"));
            std::error_code code;
            removeTree(first / "runs/r", code);
            QVERIFY(code);
            if (replaced)
                QVERIFY(snapshot(first) == before);
            else
                QVERIFY(!fs::exists(first));

            if (replaced)
                fs::rename(first, second);
            fs::rename(away, first);
            mustDo(session.checkPlace());
            mustDo(writeHeartbeat(worker.path(), beat));
        }
        // Nothing is held once the work has ended.
        fs::rename(first, m_dir->path() / "away");
        must(Project::create(first, "another"));
    }

    /// A run alone, outside of a project, and one that was replaced within its project.
    void replacedRuns()
    {
        const fs::path project = makeProject("p1"), alone = m_dir->path() / "alone/r";
        must(RunDirectory::create(alone, config("rl")));
        for (const fs::path& path : {alone, project / "runs/r"}) {
            auto worker = must(RunDirectory::open(path));
            const auto session = must(worker.beginWork());
            const fs::path away = path.string() + "-away";
            fs::rename(path, away);
            fs::copy(away, path, fs::copy_options::recursive);
            const auto before = snapshot(path);
            QVERIFY(!session.checkPlace());
            QVERIFY(!worker.beginCheckpoint(7));
            QVERIFY(!writeHeartbeat(path, {}));
            QVERIFY(snapshot(path) == before);
        }
    }

    /// A project that was opened stays one, though its marker is renamed away and back.
    void markersThatVanish()
    {
        const fs::path sent = sentCopy("sent");
        fs::create_symlink(m_victim, sent / "index.lock");
        fs::create_directory_symlink(m_outside, sent / "linked");
        must(Project::open(sent));
        fs::rename(sent / "project.toml", sent / "x");
        QCOMPARE(outermostProject(sent / "index.lock"), sent);
        isLeftAlone(sent);
        // Nor does another folder of this name lift it, or another name of this folder.
        const fs::path moved = m_dir->path() / "moved";
        fs::rename(sent, moved);
        fs::create_directories(sent);
        fs::create_symlink(m_victim, sent / "index.lock");
        fs::create_directory_symlink(m_outside, sent / "linked");
        isLeftAlone(sent);
        if (folderIdentity(moved).find("-@") == std::string::npos)
            isLeftAlone(moved);
    }

    /// The project around a folder is found out once for a go through its files, and again for the next.
    void oneGoAsksOnce()
    {
        const fs::path outer = m_dir->path() / "outer", inner = outer / "inner";
        fs::create_directories(outer);
        mustDo(writeFileAtomic(inner / "project.toml", "[project]\nformat = 1\n"));
        const fs::path file = inner / "runs/r/worker.lock";
        {
            const SameRoot once(inner);
            QCOMPARE(outermostProject(file), inner);
            {
                const SameRoot within(inner / "runs");
                QCOMPARE(outermostProject(file), inner);
            }
            mustDo(writeFileAtomic(outer / "project.toml", "[project]\nformat = 1\n"));
            QCOMPARE(outermostProject(file), inner);
            QCOMPARE(outermostProject(outer / "other/x"), outer); // what lies elsewhere is as ever
        }
        QCOMPARE(outermostProject(file), outer);
    }

    /// A folder where anybody may make files is guarded as any, once it holds a project.
    void foldersForEverybody()
    {
        const fs::path sent = sentCopy("sticky");
        fs::create_symlink(m_victim, sent / "index.lock");
        fs::create_directory_symlink(m_outside, sent / "linked");
        QCOMPARE(::chmod(sent.c_str(), 01777), 0);
        QCOMPARE(outermostProject(sent / "index.lock"), sent);
        isLeftAlone(sent);
        mustDo(trustProject(sent));
        QVERIFY(!FileLock::tryLock(sent / "index.lock"));
        QVERIFY(!writeFileAtomic(sent / "linked/x", "x"));
        QCOMPARE(must(readFile(m_victim)), std::string("precious"));
        QVERIFY(fs::is_empty(m_outside));
    }

    void whoseMarkerCounts()
    {
        constexpr uid_t me = 1000, system = 0, stranger = 1001;
        // My own project there, and what I am about to make there, are not the stranger's.
        QVERIFY(!detail::markerCounts(me, system, stranger, me));
        QVERIFY(!detail::markerCounts(me, system, stranger, -1));
        QVERIFY(!detail::markerCounts(me, stranger, stranger, me));
        QVERIFY(!detail::markerCounts(system, system, stranger, system));
        // A stranger's project folder that everybody may write to.
        QVERIFY(detail::markerCounts(me, stranger, stranger, stranger));
        QVERIFY(detail::markerCounts(me, stranger, stranger, system));
        QVERIFY(detail::markerCounts(me, stranger, stranger, -1));
        // One that I have unpacked.
        for (const std::int64_t next : {std::int64_t(me), std::int64_t(stranger), std::int64_t(-1)})
            QVERIFY(detail::markerCounts(me, me, me, next));
    }

    void markersOfStrangers()
    {
        if (::geteuid() != 0)
            QSKIP("only root can make files of others");
        const fs::path shared = m_dir->path() / "shared";
        fs::create_directories(shared);
        QCOMPARE(::chmod(shared.c_str(), 01777), 0);
        const fs::path own = makeProject("shared/own");
        mustDo(writeFileAtomic(shared / "x", "[project]\ntitle='theirs'\n"));
        QCOMPARE(::chown((shared / "x").c_str(), 12345, 12345), 0);
        fs::rename(shared / "x", shared / "project.toml");
        QVERIFY(trustOf(own).value_or(false));
        mustDo(requireTrust(own / "cache/x"));
        QCOMPARE(outermostProject(own / "cache/x"), own);
        mustDo(writeFileAtomic(own / "cache/x", "x"));
        mustDo(writeFileAtomic(shared / "new", "x"));
        // Opened as a project, it is one.
        must(Project::open(shared));
        QVERIFY(!writeFileAtomic(shared / "newer", "x"));
        // A whole project of the stranger's, open to everybody.
        const fs::path theirs = sentCopy("theirs");
        fs::create_symlink(m_victim, theirs / "index.lock");
        fs::create_directory_symlink(m_outside, theirs / "linked");
        QCOMPARE(::chmod(theirs.c_str(), 01777), 0);
        for (const auto& entry : fs::recursive_directory_iterator(theirs))
            QCOMPARE(::lchown(entry.path().c_str(), 12345, 12345), 0);
        QCOMPARE(::lchown(theirs.c_str(), 12345, 12345), 0);
        isLeftAlone(theirs);
    }

    /// What somebody has sent to start from is read: nothing is made through its links, with markers or
    /// without.
    void parentsOfOthers()
    {
        const fs::path own = makeProject("own"), sent = m_dir->path() / "pq/checkpoints/step-000000";
        fs::create_directories(sent.parent_path());
        fs::copy(own / "runs/r/checkpoints/step-000000", sent, fs::copy_options::recursive);
        fs::remove(sent / "run.toml");
        const auto before = snapshot(sent);
        mustDo(keepCheckpoint(sent));
        QVERIFY(snapshot(sent) == before);
        fs::create_symlink(m_outside / "new", sent / "PIN");
        mustDo(keepCheckpoint(sent));
        QVERIFY(fs::is_empty(m_outside));
        fs::remove(sent / "PIN");
        QCOMPARE(::mkfifo((sent / "PIN").c_str(), 0600), 0);
        mustDo(keepCheckpoint(sent)); // and does not wait
        QVERIFY(!appendFile(sent / "PIN", "x"));
        // One's own is kept.
        mustDo(keepCheckpoint(own / "runs/r/checkpoints/step-000000"));
        QVERIFY(fs::is_regular_file(own / "runs/r/checkpoints/step-000000/PIN"));
        const fs::path untrusted = sentCopy("untrusted") / "runs/r/checkpoints/step-000000";
        mustDo(keepCheckpoint(untrusted));
        QVERIFY(!fs::exists(untrusted / "PIN"));
    }

    /// Files that say how things stand are small: a sentence, and no memory, for what is not.
    void endlessControlFiles()
    {
        const fs::path run = makeProject("p") / "runs/r";
        const std::string blanks(controlFileLimit, ' ');
        const auto pad = [&](const char* name, const std::string& content) {
            mustDo(writeFileAtomic(run / name, content));
            std::ofstream(run / name, std::ios::app) << blanks;
        };
        pad("heartbeat.json", R"({"t":1,"phase":"x"})");
        QVERIFY(!readHeartbeat(run));
        pad("generation.json", R"({"gen":7})");
        QCOMPARE(readGeneration(run), 0);
        pad("remote.json", R"({"host":"far"})");
        const auto mark = readRemoteMark(run);
        QVERIFY(mark && mark->host.empty() && !mark->problem.empty());
        fs::resize_file(run / "heartbeat.json", std::uintmax_t(1) << 40); // a sparse file
        QVERIFY(!readHeartbeat(run));
        const std::string config = must(readFile(run / "run.toml"));
        pad("run.toml", config + "\n#");
        const auto opened = RunDirectory::open(run);
        QVERIFY(!opened);
        QVERIFY2(opened.error().what.find("larger than") != std::string::npos, opened.error().what.c_str());
        pad("checkpoints/step-000000/checkpoint.json", "{}");
        QVERIFY(!describeCheckpoint(run / "checkpoints/step-000000"));
        std::ofstream(run / "../../project.toml", std::ios::app) << blanks;
        const auto project = Project::open(run / "../..");
        QVERIFY(!project);
        QVERIFY(project.error().remedy.find("restore the file") != std::string::npos);
    }

private:
    /// With a run that has a checkpoint.
    fs::path makeProject(const std::string& name)
    {
        const fs::path path = m_dir->path() / name;
        must(Project::create(path, name));
        auto run = must(RunDirectory::create(path / "runs/r", config("rl")));
        auto session = must(run.beginWork());
        writeStep(session.journal(), 0, 1, 2);
        writeCheckpoint(run, session.journal(), 0);
        writeCheckpoint(run, session.journal(), 3);
        return path;
    }
    /// As somebody packs it; not trusted here.
    fs::path sentCopy(const std::string& name)
    {
        const fs::path to = m_dir->path() / name;
        if (!fs::exists(m_dir->path() / "original"))
            makeProject("original");
        fs::copy(m_dir->path() / "original", to, fs::copy_options::recursive);
        return to;
    }
    void isLeftAlone(const fs::path& sent)
    {
        QVERIFY(!FileLock::tryLock(sent / "index.lock"));
        QVERIFY(!writeFileAtomic(sent / "new", "x"));
        QVERIFY(!writeFileAtomic(sent / "linked/x", "x"));
        QVERIFY(!appendFile(sent / "index.lock", "x"));
        QCOMPARE(must(readFile(m_victim)), std::string("precious"));
        QVERIFY(fs::is_empty(m_outside));
        QVERIFY(!fs::exists(sent / "new"));
    }

    std::unique_ptr<TempDir> m_dir;
    fs::path m_victim, m_outside;
};

QTEST_GUILESS_MAIN(TestPlace)
#include "tst_place.moc"
