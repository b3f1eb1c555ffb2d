// SPDX-License-Identifier: Apache-2.0
// A project that somebody sent: in the place of each file and folder lies something that leads elsewhere.
// Whatever is done with the project, nothing outside of it is touched, nobody waits for ever, and what cannot
// be done is said.
#include "fixture.h"

#include "base/allowed_links.h"
#include "base/beneath.h"
#include "base/lock.h"
#include "matrix/cache.h"
#include "project/files/annotations.h"
#include "project/files/index_file.h"
#include "project/files/sft_set.h"
#include "project/files/unlisted.h"
#include "project/files/verifications.h"
#include "project/run/generation.h"
#include "project/run/project_job.h"
#include "project/run/remote_mark.h"
#include "project/run/worker_start.h"
#include "tests/base/strange_files.h"

#include <QTest>
#include <algorithm>
#include <array>
#include <fcntl.h>
#include <map>
#include <set>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

using namespace fixture;
namespace fs = std::filesystem;

namespace {

const std::string hash = sha256Hex("program");

/// Where something can lie that leads elsewhere. docs/writers.md has a row for each.
struct Place
{
    std::string path;
    bool folder = false;
};

std::vector<Place> places(const std::string& digest)
{
    std::vector<Place> all;
    for (const char* file : {"project.toml",
                             "project.lock",
                             "index.lock",
                             "index.rebuild",
                             "project.sqlite",
                             "project.sqlite-wal",
                             "project.sqlite-shm",
                             "project.sqlite-journal",
                             "project.sqlite.new",
                             "project.sqlite.ready",
                             "annotations.jsonl",
                             "verifications.jsonl",
                             "programs.jsonl",
                             "job.toml",
                             "cache/job.lock",
                             "cache/job.log",
                             "cache/job.json",
                             "cache/sources.json",
                             "runs/r/run.toml",
                             "runs/r/journal.jsonl",
                             "runs/r/journal.torn",
                             "runs/r/journal.discarded.1.jsonl",
                             "runs/r/journal.discarded.1.jsonl.tmp",
                             "runs/r/control.jsonl",
                             "runs/r/generation.json",
                             "runs/r/heartbeat.json",
                             "runs/r/.heartbeat.tmp",
                             "runs/r/worker.log",
                             "runs/r/worker.lock",
                             "runs/r/worker.started",
                             "runs/r/remote.json",
                             "runs/r/run.identity",
                             "runs/r/journal.cut.1.jsonl",
                             "runs/r/follower.lock",
                             "runs/r/checkpoints/step-000004/checkpoint.json",
                             "runs/r/checkpoints/step-000004/DONE",
                             "runs/r/checkpoints/step-000004/PIN",
                             "runs/r/checkpoints/step-000004/weights",
                             "runs/r/checkpoints.set-aside/reasons.txt",
                             "runs/r/sampler/r-1/update.safetensors"})
        all.push_back({file, false});
    for (const std::string& file :
         {"cache/" + digest + ".csr", "cache/" + digest + ".pyramid", "cache/" + digest + ".doubles",
          "cache/" + digest + ".features.json", "cache/" + digest + ".png", "sft_set/" + hash + ".cu"})
        all.push_back({file, false});
    for (const char* folder :
         {"matrices", "cache", "runs", "exports", "sft_set", "runs/r", "runs/r/checkpoints",
          "runs/r/checkpoints.set-aside", "runs/r/checkpoints/step-000004",
          "runs/r/checkpoints/.tmp-step-000006", "runs/r/sampler"})
        all.push_back({folder, true});
    return all;
}

enum class Trap
{
    Link,
    LinkToNothing,
    HardLink,
    Pipe,
    Socket,
    Device,
    Folder
};

/// What lies in a folder: names, kinds, contents, times.
std::map<std::string, std::string> snapshot(const fs::path& folder)
{
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const auto time = fs::last_write_time(entry.path()).time_since_epoch().count();
        all[entry.path().lexically_relative(folder).string()] =
            entry.is_regular_file() ? fmt::format("{} {}", time, must(readFile(entry.path())))
                                    : std::string("a folder");
    }
    return all;
}

/// Lays the trap; false: it cannot be laid there.
bool lay(Trap trap, const fs::path& at, bool folder, const fs::path& outside)
{
    if (folder && trap != Trap::Link && trap != Trap::LinkToNothing && trap != Trap::Pipe)
        return false;
    const fs::path target = outside / (folder ? "folder" : "file");
    std::error_code code;
    // What it leads to looks as what was there, so that nothing else stands in the way.
    if (fs::exists(at)) {
        fs::remove_all(target);
        fs::copy(at, target, fs::copy_options::recursive);
        fs::remove_all(at);
    } else {
        fs::create_directories(at.parent_path());
        if (folder)
            fs::create_directories(target / ".tmp-step-000009");
        else
            tear(target, "precious\n");
    }
    if (folder) {
        fs::create_directories(target / ".tmp-step-000009");
        tear(target / ".tmp-step-000009/precious", "precious\n");
        tear(target / "file.tmp-1-2", "precious\n");
    }
    switch (trap) {
    case Trap::Link:
        folder ? fs::create_directory_symlink(target, at) : fs::create_symlink(target, at);
        return true;
    case Trap::LinkToNothing:
        fs::create_symlink(outside / "new", at);
        return true;
    case Trap::HardLink:
        fs::create_hard_link(target, at, code);
        return !code;
    case Trap::Pipe:
        return ::mkfifo(at.c_str(), 0600) == 0;
    case Trap::Socket: {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const fs::path brief = outside.parent_path() / "s"; // a long name does not fit
        brief.string().copy(address.sun_path, sizeof address.sun_path - 1);
        const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
        if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            return false;
        fs::rename(brief, at);
        return true;
    }
    case Trap::Device:
        return ::mknod(at.c_str(), S_IFCHR | 0600, makedev(1, 3)) == 0; // root may
    case Trap::Folder:
        fs::create_directories(at / "inside");
        return true;
    }
    return false;
}

class Everything
{
public:
    explicit Everything(fs::path project)
        : m_project(std::move(project))
    {
    }

    /// All that is done with a project, one after the other; what is refused is kept.
    std::set<std::string> operator()()
    {
        {
            auto indexer = Indexer::open(m_project);
            told(indexer);
            if (indexer) {
                const auto update = indexer->update();
                told(update);
                if (update)
                    m_said.insert(update->problems.begin(), update->problems.end());
                told(indexer->rebuild());
            }
        }
        told(ProjectReader::open(m_project));
        requestRebuild(m_project);
        (void)takeRebuildRequest(m_project);
        if (auto project = Project::open(m_project)) {
            told(project->loadSplit({}));
            for (const MatrixEntry& entry : project->matrices())
                (void)MatrixCache(project->cachePath()).loadPyramid(entry.digest);
            told(project->addGenerated("stencil2d(n=5,points=5)"));
            (void)writeFileAtomic(project->thumbnailPath(project->matrices().front().digest), "picture");
        } else {
            told(project);
        }
        Annotation note;
        note.key = "r";
        note.value = "seen";
        told(addAnnotation(m_project, note));
        told(addVerification(m_project, {{}, 0, {}, record(hash, "m", Verdict::Correct, 3)}));
        told(keepForSft(m_project, hash, "program"));
        told(lockJob(m_project));
        work();
        return m_said;
    }

private:
    void work()
    {
        const fs::path path = m_project / "runs/r";
        ControlCommand command;
        command.kind = ControlCommand::Kind::Checkpoint;
        told(appendControl(path, command));
        told(markWorkerStart(path, ::getpid()));
        told(writeHeartbeat(path, {}));
        told(appendFile(path / workerLogFile, "line\n"));
        (void)FileLock::tryLock(path / followerLock);
        (void)hasWorker(path);
        auto run = RunDirectory::open(path);
        told(run);
        if (!run)
            return;
        (void)run->lastState();
        told(keepCheckpoint(path / "checkpoints/step-000004"));
        {
            auto session = run->beginWork();
            told(session);
            if (session) {
                auto pending = run->beginCheckpoint(6);
                told(pending);
                if (pending && writeFileAtomic(pending->directory() / "weights", "6"))
                    told(pending->commit(session->journal()));
                told(run->pruneCheckpoints(1));
                (void)run->pinCheckpoint("step-000004", false);
            }
        }
        if (readRemoteMark(path))
            told(writeRemoteMark(path, {}));
        told(RunDirectory::create(m_project / "runs/0002-rl", config("rl")));
    }

    template <typename T>
    void told(const Result<T>& result)
    {
        if (!result)
            m_said.insert(result.error().sentence());
    }

    fs::path m_project;
    std::set<std::string> m_said;
};

} // namespace

class TestHostile : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_dir = std::make_unique<TempDir>(
            must(TempDir::create("hostile", ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "")));
        const fs::path made = m_dir->path() / "made";
        auto project = must(Project::create(made, "sent"));
        m_digest = must(project.addGenerated("stencil2d(n=4,points=5)")).digest;
        must(keepForSft(made, hash, "program"));
        fs::create_directories(made / "sft_set");
        auto run = must(RunDirectory::create(made / "runs/r", config("rl")));
        for (int life = 0; life < 2; ++life) { // the second leaves a journal.discarded
            auto session = must(run.beginWork());
            for (std::int64_t step = session.checkpoint() ? session.checkpoint()->step : 0; step < 5;
                 ++step) {
                writeStep(session.journal(), step, 99, 1);
                if (step % 2 == 1)
                    writeCheckpoint(run, session.journal(), step + 1);
            }
        }
        must(must(Indexer::open(made)).update());
        // Everything of it works where nothing is in the way.
        for (const std::string& sentence : Everything(copy("calm"))())
            QFAIL(sentence.c_str());
    }

    void everyPlaceIsInTheTableOfWriters()
    {
        const std::string table = must(readFile(SPARSERL_WRITERS));
        for (const Place& place : places("DIGEST")) {
            std::string name = place.path;
            const auto replace = [&name](const std::string& from, const std::string& to) {
                if (const auto at = name.find(from); at != std::string::npos)
                    name.replace(at, from.size(), to);
            };
            replace("runs/r", "runs/RUN");
            replace("step-000004", "STEP");
            replace("step-000006", "STEP");
            replace(".1.jsonl", ".N.jsonl");
            replace("sampler/r-1", "sampler/NAME");
            replace(hash, "HASH");
            QVERIFY2(table.find("`" + name + "`") != std::string::npos, name.c_str());
        }
    }

    void everyPlace_data()
    {
        QTest::addColumn<int>("trap");
        QTest::newRow("a link") << int(Trap::Link);
        QTest::newRow("a link to nothing") << int(Trap::LinkToNothing);
        QTest::newRow("a hard link") << int(Trap::HardLink);
        QTest::newRow("a named pipe") << int(Trap::Pipe);
        QTest::newRow("a socket") << int(Trap::Socket);
        QTest::newRow("a device") << int(Trap::Device);
        QTest::newRow("a folder") << int(Trap::Folder);
    }

    void everyPlace()
    {
        QFETCH(int, trap);
        int laid = 0, refused = 0;
        for (const Place& place : places(m_digest)) {
            const fs::path project = copy("project"), outside = m_dir->path() / "outside";
            fs::create_directories(outside);
            if (lay(static_cast<Trap>(trap), project / place.path, place.folder, outside)) {
                ++laid;
                const auto before = snapshot(outside);
                const auto said = Everything(project)();
                QVERIFY2(snapshot(outside) == before, place.path.c_str());
                for (const std::string& sentence : said)
                    QVERIFY2(sentence.find('\n') == std::string::npos && sentence.size() > 20,
                             sentence.c_str());
                refused += said.empty() ? 0 : 1;
            }
            fs::remove_all(project);
            fs::remove_all(outside);
        }
        qInfo("%d places, %d of them refused", laid, refused);
        if (laid == 0 && static_cast<Trap>(trap) == Trap::Device)
            QSKIP("only root makes devices");
        QVERIFY(laid > 5);
    }

    /// A link that the user allows leads where it led then, and nowhere else.
    void allowedLinks()
    {
        const fs::path settings = m_dir->path() / "settings", project = copy("scratch"),
                       other = m_dir->path() / "other-disk";
        qputenv("XDG_CONFIG_HOME", settings.c_str());
        fs::rename(project / "runs", other);
        fs::create_directory_symlink(other, project / "runs");
        const auto refused = RunDirectory::open(project / "runs/r");
        QVERIFY(!refused);
        QVERIFY(refused.error().remedy.find("allow-link") != std::string::npos);
        mustDo(allowLink(project / "runs"));
        {
            auto run = must(RunDirectory::open(project / "runs/r"));
            auto session = must(run.beginWork());
            writeCheckpoint(run, session.journal(), 6);
        }
        QVERIFY(fs::exists(other / "r/checkpoints/step-000006/DONE"));
        fs::remove(project / "runs");
        fs::rename(other, m_dir->path() / "third-disk");
        fs::create_directory_symlink(m_dir->path() / "third-disk", project / "runs");
        QVERIFY(!RunDirectory::open(project / "runs/r"));
        QVERIFY(!allowLink(project / "cache") && !allowLink(project / "project.toml"));
        fs::remove_all(project);
    }

    /// What is listed is what lies below the project: a link in the place of any folder shows nothing of
    /// where it leads, and says so; allowed, it shows all.
    void listingsFollowNoLink()
    {
        qputenv("XDG_CONFIG_HOME", (m_dir->path() / "listing-settings").c_str());
        for (const std::string place : {"runs", "runs/r", "runs/r/checkpoints", "exports", "matrices"}) {
            const fs::path project = copy("listed"), other = m_dir->path() / "elsewhere",
                           at = project / place;
            mustDo(writeFileAtomic(project / "exports/e/manifest.json", "{}"));
            mustDo(writeFileAtomic(project / "matrices/m.mtx", "a matrix"));
            const auto seen = [&] {
                auto indexer = must(Indexer::open(project));
                const auto problems = must(indexer.update()).problems;
                must(indexer.rebuild());
                auto reader = must(ProjectReader::open(project));
                const auto opened = must(Project::open(project));
                std::set<std::string> said(problems.begin(), problems.end());
                const auto named = std::ranges::count_if(said, [](const std::string& one) {
                    return one.find("symbolic link") != std::string::npos;
                });
                return std::array<std::size_t, 6>{opened.runDirectories().size(),
                                                  must(reader.runs()).size(),
                                                  listCheckpoints(project / "runs/r").size(),
                                                  must(reader.exports()).size(),
                                                  unlistedFiles(project, opened.matrices()).size(),
                                                  std::size_t(named)};
            };
            const auto whole = seen();
            QCOMPARE(whole, (std::array<std::size_t, 6>{1, 1, whole[2], 1, 1, 0}));
            fs::remove(project / "project.sqlite");
            fs::rename(at, other);
            fs::create_directory_symlink(other, at);
            const auto before = snapshot(other);
            const auto linked = seen();
            const bool isRun = place.starts_with("runs") && place.find("checkpoints") == std::string::npos;
            QCOMPARE(linked[0], isRun ? 0u : 1u);
            QCOMPARE(linked[1], isRun ? 0u : 1u);
            QCOMPARE(linked[2], place.starts_with("runs") ? 0u : whole[2]);
            QCOMPARE(linked[3], place == "exports" ? 0u : 1u);
            QCOMPARE(linked[4], place == "matrices" ? 0u : 1u);
            QCOMPARE(linked[5], isRun ? 1u : 0u);
            QVERIFY(snapshot(other) == before);
            mustDo(allowLink(at));
            QCOMPARE(seen(), whole);
            if (place == "runs") {
                const auto opened = must(Project::open(project));
                must(RunDirectory::create(opened.newRunPath("rl"), config("rl")));
                QCOMPARE(must(Project::open(project)).runDirectories().size(), std::size_t(2));
                QVERIFY(fs::exists(other / "0001-rl/run.toml"));
            }
            fs::remove_all(project);
            fs::remove_all(other);
        }
    }

    /// Something in the way of the index is named by readers, too, at the moment when somebody tries to keep
    /// it.
    void readersNameWhatIsInTheWay()
    {
        const fs::path project = m_dir->path() / "in-the-way";
        must(Project::create(project));
        {
            auto indexer = must(Indexer::open(project));
            must(indexer.update());
        }
        for (const char* name : {"project.sqlite-wal", "project.sqlite-shm", "project.sqlite-journal"}) {
            fs::remove(project / name);
            QVERIFY(sparserl::test::makeSocket(project / name));
            const auto keeper = must(FileLock::tryLock(project / "index.lock"));
            QVERIFY(keeper);
            const auto reader = ProjectReader::open(project);
            QVERIFY(!reader);
            QVERIFY2(reader.error().sentence().find(std::string(name) + " is not a regular file") !=
                         std::string::npos,
                     reader.error().sentence().c_str());
            fs::remove(project / name);
        }
    }

    void digestsAreDigests()
    {
        const fs::path project = copy("digest");
        for (const char* digest : {"../../x", "abc", "/etc/passwd"}) {
            const std::string text = fmt::format("[project]\ntitle='x'\n[[matrix]]\nname='m'\ngenerator='"
                                                 "stencil2d(n=4,points=5)'\ndigest='{}'\n",
                                                 digest);
            mustDo(writeFileAtomic(project / "project.toml", text));
            const auto opened = Project::open(project);
            QVERIFY(!opened);
            QVERIFY(opened.error().what.find("64 hexadecimal digits") != std::string::npos);
            QVERIFY(opened.error().line > 0);
        }
        // Names in journals and in the index are no digests by force: they stay in their folder.
        const MatrixCache cache(project / "cache");
        for (const char* name : {"../../x", "..", "", "a/b", "/x"}) {
            QCOMPARE(cache.matrixPath(name).parent_path(), project / "cache");
            QCOMPARE(cache.pyramidPath(name).parent_path(), project / "cache");
        }
        fs::remove_all(project);
    }

    void aMatrixOfAnotherName()
    {
        const fs::path path = copy("swapped");
        auto project = must(Project::open(path));
        const auto other = must(project.addGenerated("stencil2d(n=6,points=5)"));
        const fs::path a = path / "cache" / (m_digest + ".csr"), b = path / "cache" / (other.digest + ".csr");
        fs::rename(a, path / "x");
        fs::rename(b, a);
        fs::rename(path / "x", b);
        const MatrixCache cache(path / "cache");
        QVERIFY(!cache.load(m_digest) && !cache.map(m_digest));
        // The source is there: it is read instead.
        const auto loaded = must(project.load(*project.matrixByDigest(m_digest)));
        QCOMPARE(digest(*loaded.matrix), m_digest);
        fs::remove_all(path);
    }

    /// Name by name, as where the kernel lacks openat2, it is the same.
    void withoutOpenat2()
    {
        const fs::path folder = m_dir->path() / "by-name";
        fs::create_directories(folder / "a/b");
        fs::create_directory_symlink("b", folder / "a/link");
        tear(folder / "a/file", "x");
        const Descriptor root(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        for (const bool byName : {false, true}) {
            QVERIFY(detail::openBelow(root.get(), "a/b", byName).get() >= 0);
            QVERIFY(detail::openBelow(root.get(), "", byName).get() >= 0);
            QVERIFY(detail::openBelow(root.get(), "a/link", byName).get() < 0);
            QCOMPARE(errno, ELOOP);
            QVERIFY(detail::openBelow(root.get(), "a/file", byName).get() < 0);
            QVERIFY(detail::openBelow(root.get(), "a/none", byName).get() < 0);
            QCOMPARE(errno, ENOENT);
        }
    }

private:
    fs::path copy(const char* name) const
    {
        const fs::path to = m_dir->path() / name;
        fs::copy(m_dir->path() / "made", to, fs::copy_options::recursive);
        return to;
    }

    std::unique_ptr<TempDir> m_dir;
    std::string m_digest;
};

QTEST_GUILESS_MAIN(TestHostile)
#include "tst_hostile.moc"
