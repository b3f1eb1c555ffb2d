// SPDX-License-Identifier: Apache-2.0
// Projects that this user has neither made nor used on this machine: read as any, and not changed by a byte.
#include "fixture.h"

#include "base/allowed_links.h"
#include "base/beneath.h"
#include "base/trust.h"
#include "project/files/annotations.h"
#include "project/files/sent_project.h"
#include "project/files/sft_set.h"
#include "project/files/verifications.h"
#include "project/run/launch.h"
#include "project/run/project_job.h"
#include "project/run/remote_mark.h"
#include "project/run/written_programs.h"
#include "remote/follow.h"
#include "remote/inventory.h"
#include "remote/known_hosts.h"
#include "remote/remote_launch.h"

#include <QScopeGuard>
#include <QTest>
#include <fcntl.h>
#include <functional>
#include <map>

using namespace fixture;
namespace fs = std::filesystem;

namespace {

std::map<std::string, std::string> snapshot(const fs::path& folder)
{
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        all[entry.path().lexically_relative(folder).string()] =
            fmt::format("{} {}", fs::last_write_time(entry.path()).time_since_epoch().count(),
                        entry.is_regular_file() ? must(readFile(entry.path())) : std::string());
    return all;
}

} // namespace

class TestTrust : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_dir = std::make_unique<TempDir>(must(TempDir::create()));
        qunsetenv("SPARSERL_TRUST");
        qputenv("XDG_CONFIG_HOME", (m_dir->path() / "settings").c_str());
        m_own = m_dir->path() / "own";
        auto project = must(Project::create(m_own, "own"));
        must(project.addGenerated("stencil2d(n=4,points=5)"));
        auto run = must(RunDirectory::create(m_own / "runs/r", config("rl")));
        auto session = must(run.beginWork());
        writeStep(session.journal(), 0, 1, 2);
        writeCheckpoint(run, session.journal(), 1);
        must(must(Indexer::open(m_own)).update());
        mustDo(writeFileAtomic(m_own / "job.toml", "[[stage]]\npreset = 'quickstart-sft'\n"));
        // As somebody packs it: the copy is what is opened here.
        m_sent = m_dir->path() / "sent";
        fs::copy(m_own, m_sent, fs::copy_options::recursive);
        RemoteMark mark;
        mark.host = "far";
        mark.run = "sparserl-projects/x/runs/r";
        const QByteArray list = readList();
        qputenv("SPARSERL_TRUST", "all");
        mustDo(writeRemoteMark(m_sent / "runs/r", mark));
        qunsetenv("SPARSERL_TRUST");
        QCOMPARE(readList(), list);
    }

    void ownProjectsAreTrusted()
    {
        QVERIFY(trustOf(m_own).value_or(false));
        QVERIFY(!trustOf(m_sent).value_or(false));
        // Also under another name; another folder in its place is another one.
        const fs::path moved = m_dir->path() / "moved";
        fs::rename(m_own, moved);
        QVERIFY(trustOf(moved).value_or(false));
        fs::copy(moved, m_own, fs::copy_options::recursive);
        QVERIFY(!trustOf(m_own).value_or(false));
        fs::remove_all(m_own);
        fs::rename(moved, m_own);
        QVERIFY(trustOf(m_own).value_or(false));
        QVERIFY(!bundledProject().empty() && trustOf(bundledProject()).value_or(false));
        // One of that name elsewhere above the program is anybody's.
        const fs::path posed = fs::read_symlink("/proc/self/exe").parent_path() / "projects/quickstart";
        fs::create_directories(posed);
        std::ofstream(posed / "project.toml") << "[project]\ntitle='posed'\n";
        const bool trusted = trustOf(posed).value_or(false) || bundledProject() == posed;
        fs::remove_all(posed.parent_path());
        QVERIFY(!trusted);
    }

    /// Its identity makes it the user's, not its place: also where another is made in its old place, or where
    /// that was below a scratch folder and is gone.
    void movedProjectsStayTrusted()
    {
        const fs::path place = m_dir->path() / "A", old = m_dir->path() / "A-old";
        must(Project::create(place, "first"));
        if (folderIdentity(place).find("-@") != std::string::npos)
            QSKIP("folders have no time of birth here");
        fs::rename(place, old);
        must(Project::create(place, "second"));
        QVERIFY(trustOf(old).value_or(false) && trustOf(place).value_or(false));
        const auto scratch = must(TempDir::create("sparserl-moved"));
        must(Project::create(scratch.path() / "x", "third"));
        const fs::path kept = m_dir->path() / "kept";
        std::error_code code;
        fs::rename(scratch.path() / "x", kept, code);
        if (code)
            QSKIP("the scratch folder is on another disk");
        must(Project::create(m_dir->path() / "other", "fourth"));
        QVERIFY(trustOf(kept).value_or(false));
        for (const fs::path& made : {place, old, kept, m_dir->path() / "other"})
            fs::remove_all(made);
    }

    /// A project of others within one's own is not one's own.
    void insideOfAnother()
    {
        const fs::path inner = m_own / "matrices/inner";
        fs::copy(m_sent, inner, fs::copy_options::recursive);
        QVERIFY(requireTrust(m_own / "matrices") && !requireTrust(inner / "runs"));
        QVERIFY(!writeFileAtomic(inner / "cache/x", "x"));
        fs::remove_all(inner);
    }

    void nothingIsChanged()
    {
        const auto before = snapshot(m_sent);
        const fs::path run = m_sent / "runs/r", program = "/bin/true";
        auto project = must(Project::open(m_sent));
        Annotation note;
        note.key = "r";
        note.value = "seen";
        const std::map<std::string, std::function<Status()>> all{
            {"index", [&]() -> Status { return asStatus(Indexer::open(m_sent)); }},
            {"reindex", [&]() -> Status { return asStatus(Indexer::reindex(m_sent)); }},
            {"import", [&]() -> Status { return asStatus(project.addGenerated("stencil2d(n=5,points=5)")); }},
            {"splits",
             [&]() -> Status {
                 return project.setSplits({{project.matrices().front().name, "held-out"}});
             }},
            {"note", [&]() -> Status { return asStatus(addAnnotation(m_sent, note)); }},
            {"verification", [&]() -> Status { return asStatus(addVerification(m_sent, {})); }},
            {"written program",
             [&]() -> Status { return asStatus(addWrittenProgram(m_sent, {.text = "x"})); }},
            {"sft", [&]() -> Status { return asStatus(keepForSft(m_sent, sha256Hex("x"), "x")); }},
            {"job", [&]() -> Status { return asStatus(lockJob(m_sent)); }},
            {"launch job", [&]() -> Status { return asStatus(launchJob(m_sent, program)); }},
            {"new run", [&]() -> Status { return asStatus(makeRun(project, config("rl"))); }},
            {"worker", [&]() -> Status { return asStatus(launchWorker(project, config("rl"), program)); }},
            {"resume", [&]() -> Status { return asStatus(resumeWorker(run, program)); }},
            {"work", [&]() -> Status { return asStatus(must(RunDirectory::open(run)).beginWork()); }},
            {"control", [&]() -> Status { return asStatus(appendControl(run, {})); }},
            {"pin",
             [&]() -> Status { return must(RunDirectory::open(run)).pinCheckpoint("step-000001", true); }},
            {"prune", [&]() -> Status { return must(RunDirectory::open(run)).pruneCheckpoints(1); }},
            {"follow", [&]() -> Status { return followRun(run, {}); }},
            {"follower", [&]() -> Status { return ensureFollower(run, program); }},
            {"remote",
             [&]() -> Status { return asStatus(launchRemote(project, config("rl"), {"far"}, program)); }},
            {"resume there", [&]() -> Status { return asStatus(resumeRemote(run, program)); }},
        };
        for (const auto& [name, act] : all) {
            const Status status = act();
            QVERIFY2(name == "prune" || !status, name.c_str()); // there is one only
            if (!status)
                QVERIFY2(status.error().sentence().find("is read-only") != std::string::npos &&
                             status.error().remedy.find("sparserl project trust") != std::string::npos,
                         (name + ": " + status.error().sentence()).c_str());
        }
        // Reading works, and leaves nothing behind.
        QVERIFY(!ProjectReader::open(m_sent)); // its index is a stranger's word
        must(project.loadSplit({}));
        QVERIFY(!must(readWholeJournal(run)).empty());
        const auto place = must(TempDir::create());
        must(must(Indexer::open(m_sent, place.path())).update());
        QCOMPARE(must(must(ProjectReader::open(m_sent, place.path())).runs()).size(), std::size_t{1});
        QVERIFY(snapshot(m_sent) == before);
    }

    void filesElsewhereAreNotRead()
    {
        const fs::path matrix = m_dir->path() / "private.mtx";
        mustDo(writeFileAtomic(matrix, "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n"));
        const fs::path project = m_dir->path() / "reaching";
        fs::create_directories(project);
        for (const std::string& file : {matrix.string(), std::string("../private.mtx")}) {
            std::ofstream(project / "project.toml")
                << fmt::format("[project]\ntitle='x'\n[[matrix]]\nname='m'\nfile='{}'\n", file);
            QVERIFY(!must(Project::open(project)).loadSplit({}));
        }
        mustDo(trustProject(project));
        must(must(Project::open(project)).loadSplit({}));
    }

    /// One line of project.toml asks for gigabytes: before trust no more is made than a small file would be.
    void hugeMatricesAreNotMade()
    {
        const fs::path project = m_dir->path() / "huge";
        fs::create_directories(project);
        const auto open = [&](const char* generator) {
            std::ofstream(project / "project.toml")
                << fmt::format("[project]\ntitle='x'\n[[matrix]]\nname='m'\ngenerator='{}'\n", generator);
            return must(Project::open(project));
        };
        const auto refused = open("stencil2d(n=2000)").loadSplit({});
        QVERIFY(!refused);
        QVERIFY2(refused.error().remedy.find("sparserl project trust") != std::string::npos,
                 refused.error().sentence().c_str());
        must(open("stencil2d(n=40)").loadSplit({}));
        mustDo(trustProject(project));
        must(open("stencil2d(n=700)").loadSplit({})); // 78 MB
    }

    /// Neither is one of the head of a file: 64 bytes promise two thousand million rows.
    void hugeFilesAreNotRead()
    {
        const fs::path project = m_dir->path() / "promising";
        fs::create_directories(project);
        std::ofstream(project / "project.toml")
            << "[project]\ntitle='x'\n[[matrix]]\nname='m'\nfile='m.mtx'\n";
        const auto read = [&](const char* size) {
            std::ofstream(project / "m.mtx") << "%%MatrixMarket matrix coordinate real general\n"
                                             << size << "\n1 1 1\n";
            return must(Project::open(project)).loadSplit({});
        };
        const auto refused = read("20000000 2 1");
        QVERIFY(!refused);
        QVERIFY2(refused.error().remedy.find("sparserl project trust") != std::string::npos,
                 refused.error().sentence().c_str());
        must(read("100000 2 1"));
        mustDo(trustProject(project));
        must(read("10000000 2 1"));
    }

    /// What is made from other files is made here: its sender may have written anything into it.
    void nothingDerivedIsBelieved()
    {
        const fs::path project = m_dir->path() / "lying";
        must(Project::create(project, "x"));
        must(must(Indexer::open(project)).update());
        const fs::path sent = m_dir->path() / "lying-sent", elsewhere = m_dir->path() / "elsewhere";
        fs::copy(project, sent, fs::copy_options::recursive);
        QVERIFY(fs::exists(sent / "project.sqlite"));
        fs::create_directories(sent / "cache");
        for (const char* name : {"cache/sources.json", "cache/aa.features.json", "cache/aa.png",
                                 "cache/aa.doubles", "cache/aa.pyramid"})
            std::ofstream(sent / name) << "{}";
        std::ofstream(sent / "cache/aa.csr") << "kept: held to its digest";
        mustDo(trustSentProject(sent));
        QVERIFY(trustOf(sent).value_or(false));
        for (const char* name : {"project.sqlite", "cache/sources.json", "cache/aa.features.json",
                                 "cache/aa.png", "cache/aa.doubles", "cache/aa.pyramid"})
            QVERIFY2(!fs::exists(sent / name), name);
        QVERIFY(fs::exists(sent / "cache/aa.csr") && fs::exists(sent / "project.toml"));
        // One that is trusted keeps its index, and a link leads nowhere.
        mustDo(trustSentProject(project));
        QVERIFY(fs::exists(project / "project.sqlite"));
        const fs::path linked = m_dir->path() / "lying-linked";
        fs::create_directories(linked);
        fs::create_directories(elsewhere);
        std::ofstream(linked / "project.toml") << "[project]\ntitle='x'\n";
        std::ofstream(elsewhere / "mine.png") << "mine";
        fs::create_directory_symlink(elsewhere, linked / "cache");
        static_cast<void>(trustSentProject(linked));
        QVERIFY(fs::exists(elsewhere / "mine.png"));
    }

    /// Where what came along cannot be removed, the project is not trusted; a second attempt goes on.
    void trustComesAfterTheRemoval()
    {
        const fs::path sent = m_dir->path() / "stubborn";
        for (const char* place : {"project.sqlite", "cache/aa.png"}) {
            fs::create_directories(sent / place);
            std::ofstream(sent / "project.toml") << "[project]\ntitle='x'\n";
            std::ofstream(sent / place / "inside")
                << "a folder that is not empty cannot be removed as a file";
            for (int attempt = 0; attempt < 2; ++attempt) {
                const auto refused = trustSentProject(sent);
                QVERIFY2(!refused, place);
                QVERIFY2(refused.error().sentence().find("cannot be removed") != std::string::npos,
                         refused.error().sentence().c_str());
                QVERIFY(!trustOf(sent).value_or(true) && !requireTrust(sent));
                QVERIFY(!writeFileAtomic(sent / "x", "nothing is written there"));
            }
            fs::remove_all(sent / place);
        }
        mustDo(trustSentProject(sent));
        QVERIFY(trustOf(sent).value_or(false));
    }

    /// The command that is offered is one command, wherever the project lies.
    void theCommandIsQuoted()
    {
        const fs::path project = m_dir->path() / "a b$(touch pwned)'";
        fs::create_directories(project);
        std::ofstream(project / "project.toml") << "[project]\ntitle='x'\n";
        const auto refused = requireTrust(project);
        QVERIFY(!refused);
        QVERIFY2(refused.error().remedy.find("/a b$(touch pwned)'\\'''`") != std::string::npos,
                 refused.error().remedy.c_str());
        const fs::path broken = m_dir->path() / "a\nb";
        fs::create_directories(broken);
        std::ofstream(broken / "project.toml") << "[project]\ntitle='x'\n";
        const auto unnameable = requireTrust(broken); // no command that is shown on one line names it
        QVERIFY(!unnameable && unnameable.error().remedy.starts_with("Rename the folder"));
        const auto host = confirmedHost("far", "x; touch pwned");
        QVERIFY2(!host && host.error().remedy.find("`sparserl remote check 'far:x; touch pwned'`") !=
                              std::string::npos,
                 host ? "" : host.error().sentence().c_str());
    }

    /// The host and its program are the user's; what lies in the run decides neither.
    void hostsAreTheUsers()
    {
        const auto refused = confirmedHost("far", RemoteHost().folder);
        QVERIFY(!refused);
        QVERIFY(refused.error().remedy.find("sparserl remote check far") != std::string::npos);
        mustDo(rememberHost({"far", RemoteHost().folder, "/opt/sparserl"}));
        QCOMPARE(must(confirmedHost("far", RemoteHost().folder)).program, std::string("/opt/sparserl"));
        QVERIFY(!confirmedHost("far", "elsewhere"));
        mustDo(writeFileAtomic(m_own / "runs/r/remote.json",
                               R"({"host":"evil","folder":"x","program":"rm","run":"x/runs/r"})"));
        const auto follows = ensureFollower(m_own / "runs/r", "/bin/true");
        QVERIFY(!follows);
        QVERIFY(follows.error().what.find("evil, which you have not confirmed") != std::string::npos);
        QVERIFY(!fs::exists(m_own / "runs/r/follower.log"));
        fs::remove(m_own / "runs/r/remote.json");
    }

    /// Leaving out project.toml, or going by a link, makes nothing of others the user's own.
    void theOutermostMarkerOfEitherKind()
    {
        const fs::path bare = m_dir->path() / "bare", lone = m_dir->path() / "lone/r";
        fs::copy(m_sent, bare, fs::copy_options::recursive);
        fs::remove(bare / "project.toml");
        fs::create_directories(lone.parent_path());
        fs::copy(bare / "runs/r", lone, fs::copy_options::recursive);
        const auto link = [&](const char* name, const fs::path& to) {
            fs::create_symlink(to, m_dir->path() / name);
            return m_dir->path() / name;
        };
        const fs::path toRun = link("to-run", m_sent / "runs/r"), toRuns = link("to-runs", m_sent / "runs");
        const fs::path toBare = link("to-bare", bare), toCache = link("to-cache", m_sent / "cache");
        const fs::path toFile = link("to-file", m_sent / "job.toml");
        const auto before = snapshot(m_sent), bareBefore = snapshot(bare), loneBefore = snapshot(lone);
        for (const fs::path& run : {bare / "runs/r", lone, toRun, toRuns / "r", toBare / "runs/r"}) {
            const auto refused = requireTrust(run);
            QVERIFY2(!refused, run.c_str());
            QVERIFY2(refused.error().what.find("is read-only") != std::string::npos, run.c_str());
            QVERIFY2(!appendControl(run, {}) && !must(RunDirectory::open(run)).beginWork(), run.c_str());
            QVERIFY2(!writeHeartbeat(run, {}) && !resumeWorker(run, "/bin/true"), run.c_str());
        }
        QVERIFY(!RunDirectory::create(toRuns / "new", config("rl")));
        QVERIFY(!writeFileAtomic(toCache / "x", "x") && !appendFile(toFile, "x", false));
        QVERIFY(!Project::create(bare));
        const fs::path said = m_dir->path() / "said";
        const int output = ::open(said.c_str(), O_CREAT | O_WRONLY, 0600);
        mustDo(tellInventory(bare, {"0009-x", "0123456789abcdef"}, "1", output));
        ::close(output);
        QVERIFY(must(readFile(said)).find("was not made by runs") != std::string::npos);
        QVERIFY(!trustOf(bare).value_or(false));
        QVERIFY(snapshot(m_sent) == before && snapshot(bare) == bareBefore && snapshot(lone) == loneBefore);
        // The user's word is asked for the run alone.
        mustDo(trustProject(lone));
        mustDo(requireTrust(lone));
        must(appendControl(lone, {}));
    }

    /// What the user makes here is the user's, in a project or not, and on another disk.
    void ownRunsOutsideOfProjects()
    {
        const fs::path alone = m_dir->path() / "alone/r", scratch = m_dir->path() / "scratch";
        auto run = must(RunDirectory::create(alone, config("rl")));
        must(run.beginWork());
        fs::create_directories(scratch);
        const fs::path project = m_dir->path() / "elsewhere-runs";
        must(Project::create(project, "x"));
        fs::remove(project / "runs");
        fs::create_directory_symlink(scratch, project / "runs");
        mustDo(allowLink(project / "runs"));
        must(must(RunDirectory::create(project / "runs/r", config("rl"))).beginWork());
        mustDo(requireTrust(scratch / "r")); // by its real name
        // By a link of one's own.
        fs::create_directory_symlink(m_own / "runs/r", m_dir->path() / "my-run");
        mustDo(requireTrust(m_dir->path() / "my-run"));
        must(appendControl(m_dir->path() / "my-run", {}));
        // A project that has lost its project.toml.
        fs::remove(project / "project.toml");
        must(Project::create(project, "again"));
    }

    /// A project.toml in the user's home folder: the settings are not the project's, so that the command that
    /// is offered works, also where a link leads to them.
    void settingsBelongToNoProject()
    {
        const QByteArray before = qgetenv("XDG_CONFIG_HOME");
        const auto restore = qScopeGuard([&] { qputenv("XDG_CONFIG_HOME", before); });
        for (const bool linked : {false, true}) {
            const fs::path home = m_dir->path() / (linked ? "home-linked" : "home");
            fs::create_directories(home / "configuration");
            if (linked)
                fs::create_directory_symlink("configuration", home / ".config");
            qputenv("XDG_CONFIG_HOME", (home / ".config").c_str());
            std::ofstream(home / "project.toml") << "[project]\ntitle='x'\n";
            QVERIFY(!requireTrust(home) && !writeFileAtomic(home / "x", "x"));
            mustDo(trustProject(home));
            mustDo(requireTrust(home / "x"));
            must(Project::create(home / "mine", "mine"));
        }
    }

    void trustedFromThenOn()
    {
        mustDo(trustProject(m_sent));
        mustDo(trustProject(m_sent));
        QVERIFY(trustOf(m_sent).value_or(false));
        must(must(Indexer::open(m_sent)).update());
        QCOMPARE(readList().count("/sent\n"), 1);
    }

private:
    template <typename T>
    static Status asStatus(const Result<T>& result)
    {
        return result ? Status() : fail(result.error());
    }
    static QByteArray readList() { return QByteArray::fromStdString(must(readFile(trustedFile()))); }

    std::unique_ptr<TempDir> m_dir;
    fs::path m_own, m_sent;
};

QTEST_GUILESS_MAIN(TestTrust)
#include "tst_trust.moc"
