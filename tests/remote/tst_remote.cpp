// SPDX-License-Identifier: Apache-2.0
// What goes to another machine and what comes back: names through real shells, frames and files that were
// made to do harm, journals that were rolled back.
#include "base/files.h"
#include "base/json.h"
#include "base/subprocess.h"
#include "base/time.h"
#include "project/run/generation.h"
#include "project/run/remote_mark.h"
#include "project/run/run_directory.h"
#include "remote/follow.h"
#include "remote/inventory.h"
#include "remote/known_hosts.h"
#include "remote/mirror.h"
#include "remote/mirrored_units.h"
#include "remote/remote_host.h"
#include "remote/sent_runs.h"
#include "remote/shell_words.h"
#include "remote/ship.h"
#include "remote/ssh.h"
#include "remote/wire.h"
#include "tests/project/fixture.h"

#include <QFile>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <set>
#include <unistd.h>

using namespace sparserl;
using namespace fixture;
namespace fs = std::filesystem;

namespace {

const std::vector<std::string> nastyNames{"a b",
                                          "it's",
                                          "\"double\"",
                                          "$(touch pwned)",
                                          "`touch pwned`",
                                          "-rf",
                                          "--",
                                          "; touch pwned",
                                          "a\tb",
                                          "x && touch pwned",
                                          "*",
                                          "~",
                                          "#",
                                          "!!",
                                          "${HOME}",
                                          "ünï",
                                          "'\\''",
                                          "a\nb",
                                          "a\\b"};

Frame journalFrame(std::int64_t offset, std::string body)
{
    return {{{"journal", offset}}, std::move(body)};
}

std::string contents(const fs::path& file)
{
    const auto text = readFile(file);
    return text ? *text : "(none)";
}

/// A run's folder with so much of a journal.
fs::path makeRun(const QTemporaryDir& folder, const std::string& journal)
{
    const fs::path run = folder.path().toStdString() + "/0001-sft";
    mustDo(makeDirectories(run / "checkpoints"));
    mustDo(writeFileAtomic(run / "journal.jsonl", journal));
    return run;
}

} // namespace

class TestRemote : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // Carried right, or refused: nothing in between.
    void namesSurviveEveryShell()
    {
        const QTemporaryDir folder;
        std::vector<std::string> shells{"sh"};
        for (const char* shell : {"bash", "dash", "zsh", "csh", "fish"})
            if (fs::exists(fs::path("/bin") / shell) || fs::exists(fs::path("/usr/bin") / shell))
                shells.emplace_back(shell);
        int carried = 0;
        for (const std::string& name : nastyNames) {
            if (!checkRemoteText("the name", name)) {
                QVERIFY2(name.find_first_of("\\\n\t") != std::string::npos, name.c_str());
                continue;
            }
            ++carried;
            for (const std::string& shell : shells) {
                SpawnOptions options;
                options.argv = {shell, "-c", shellLine({"/usr/bin/printf", "%s|", name, "end"})};
                options.workingDirectory = folder.path().toStdString();
                const auto ran = must(runToEnd(options));
                QCOMPARE(ran.output, name + "|end|");
            }
        }
        QCOMPARE(carried, 15);
        QVERIFY(!fs::exists(folder.path().toStdString() + "/pwned"));
        QCOMPARE(remotePath("-rf"), std::string("./-rf"));
        QCOMPARE(remotePath("~/x y"), std::string("./x y"));
        QCOMPARE(remotePath("/data"), std::string("/data"));
    }

    void hostsThatSshCouldMisread()
    {
        for (const char* good : {"gpu1", "me@gpu1.lab", "gpu-1", "10.0.0.7"})
            QVERIFY2(parseRemoteHost(good), good);
        for (const char* bad : {"", "-oProxyCommand=touch pwned", "a b", "$(x)", "a;b", ":folder", "a'b",
                                "gpu1:", "gpu1:a\\b", "gpu1:~other/x", "gpu1:a\nb"}) {
            const auto host = parseRemoteHost(bad);
            QVERIFY2(!host, bad);
            QVERIFY(!host.error().remedy.empty());
        }
        const auto host = must(parseRemoteHost("gpu1:/data/my runs/"));
        QCOMPARE(host.folder, std::string("/data/my runs"));
        QCOMPARE(host.text(), std::string("gpu1:/data/my runs"));
        QCOMPARE(must(parseRemoteHost("gpu1")).text(), std::string("gpu1"));
        // What is asked of ssh never asks back and never skips the check of keys.
        const auto words = sshWords();
        QVERIFY(std::find(words.begin(), words.end(), "BatchMode=yes") != words.end());
        for (const std::string& word : words)
            QVERIFY(word.find("StrictHostKeyChecking") == std::string::npos &&
                    word.find(' ') == std::string::npos);
    }

    void hostsAreRemembered()
    {
        const QTemporaryDir folder;
        const fs::path file = folder.path().toStdString() + "/sparserl/hosts.toml";
        QVERIFY(readKnownHosts(file).empty());
        for (int i = 0; i < 220; ++i)
            mustDo(rememberHost({"gpu" + std::to_string(i), "runs", "sparserl"}, file));
        mustDo(rememberHost({"gpu15", "runs", "/opt/sparserl"}, file));
        const auto hosts = readKnownHosts(file);
        QCOMPARE(hosts.size(), std::size_t(200));
        QCOMPARE(hosts[0], (RemoteHost{"gpu15", "runs", "/opt/sparserl"}));
        QCOMPARE(hosts[1].name, std::string("gpu219"));
        QCOMPARE(std::count_if(hosts.begin(), hosts.end(), [](const auto& h) { return h.name == "gpu15"; }),
                 1);
        mustDo(writeFileAtomic(file, "[[host]]\nname = '-oX'\n[[host]]\nname = 'fine'\n"));
        QCOMPARE(readKnownHosts(file).size(), std::size_t(1));
    }

    /// What was trained again under an old name and size is another policy there; a run is called as its
    /// host's mark says.
    void policiesAreSentByWhatTheyHold()
    {
        const QTemporaryDir folder;
        // As a user has it: what is gathered to be sent is no project that somebody would have to trust.
        const QByteArray trust = qgetenv("SPARSERL_TRUST"), settings = qgetenv("XDG_CONFIG_HOME");
        qputenv("SPARSERL_TRUST", "no");
        qputenv("XDG_CONFIG_HOME", folder.path().toUtf8() + "/config");
        const auto restore = qScopeGuard([&] {
            qputenv("SPARSERL_TRUST", trust);
            settings.isNull() ? qunsetenv("XDG_CONFIG_HOME") : qputenv("XDG_CONFIG_HOME", settings);
        });
        const fs::path at = folder.path().toStdString(),
                       parent = at / "p/runs/parent/checkpoints/step-000004";
        auto project = must(Project::create(at / "p", "test"));
        fs::create_directories(parent);
        RunConfig child = config("rl");
        child.parentCheckpoint = parent.string();
        const auto run = must(RunDirectory::create(at / "p/runs/0002-rl", child));
        mustDo(writeFileAtomic(parent / "config.json", "{}"));
        mustDo(writeFileAtomic(parent / "diary.txt", "private"));
        const auto targets = [&](const char* weights, const char* scratch) {
            mustDo(writeFileAtomic(parent / "model.safetensors", weights));
            fs::create_directories(at / scratch);
            std::set<std::string> names;
            for (const auto& file : must(shipmentOf(project, run, {"0002-rl-4711", "4711"},
                                                    must(policyOf(project, run.config())), at / scratch)))
                names.insert(file.target);
            return names;
        };
        const auto first = targets("aaaa", "s1"), second = targets("bbbb", "s2"),
                   again = targets("aaaa", "s3");
        QVERIFY(first.contains("runs/0002-rl-4711/run.toml"));
        QVERIFY(first != second && first == again);
        const auto policies = std::count_if(first.begin(), first.end(),
                                            [](const auto& name) { return name.starts_with("policies/"); });
        QCOMPARE(policies, 2); // config.json and the weights, nothing else that lies beside them
        const auto sent = must(readRunConfig(at / "s1/run"));
        QVERIFY(sent.parentCheckpoint.find("/policies/") != std::string::npos);
    }

    /// Whatever a run.toml names, only a policy is sent: one of this project or of another that the user
    /// trusts, or one that the user has named.
    void onlyNamedPoliciesAreSent()
    {
        const QTemporaryDir folder;
        const QByteArray trust = qgetenv("SPARSERL_TRUST"), settings = qgetenv("XDG_CONFIG_HOME");
        qputenv("SPARSERL_TRUST", "no");
        qputenv("XDG_CONFIG_HOME", folder.path().toUtf8() + "/config");
        const auto restore = qScopeGuard([&] {
            qputenv("SPARSERL_TRUST", trust);
            settings.isNull() ? qunsetenv("XDG_CONFIG_HOME") : qputenv("XDG_CONFIG_HOME", settings);
        });
        const fs::path at = folder.path().toStdString(), outside = at / "outside";
        auto project = must(Project::create(at / "p", "test"));
        must(Project::create(at / "trusted", "test"));
        const auto write = [](const fs::path& place, std::initializer_list<const char*> names) {
            for (const char* name : names)
                mustDo(writeFileAtomic(place / name, "{}"));
        };
        const auto sent = [&](const fs::path& parent) -> Result<std::set<std::string>> {
            RunConfig child = config("rl");
            child.parentCheckpoint = parent.string();
            SPARSERL_TRY(const auto policy, policyOf(project, child));
            std::set<std::string> names;
            for (const TreeFile& file : policy.files)
                names.insert(file.name);
            return names;
        };
        const auto refused = [&](const fs::path& parent, const char* part) {
            const auto names = sent(parent);
            QVERIFY2(!names, part);
            const std::string said = names.error().sentence();
            QVERIFY2(said.find(part) != std::string::npos, said.c_str());
        };
        using Names = std::set<std::string>;
        const Names policy{"config.json", "model.safetensors"};
        // In the project: a folder of anything is no policy.
        write(at / "p/notes", {"id_rsa", "sub/tax.txt", "config.json"});
        refused(at / "p/notes", "this is not a policy");
        refused(at / "p", "this is not a policy");
        // Outside of it: neither a policy nor anything else, until the user names it.
        write(outside, {"config.json", "model.safetensors", "id_rsa", "sub/tax.txt"});
        for (const fs::path& name : {outside, at / "p/../outside", fs::path("../outside")})
            refused(name, "you have not named it on this machine");
        refused(at, "you have not named it on this machine");
        RunConfig byRun = config("rl");
        byRun.parentRun = "../../outside";
        QVERIFY(!policyOf(project, byRun));
        fs::create_directory_symlink(outside, at / "p/link");
        refused(at / "p/link", "is not there"); // beneath a project no link leads anywhere
        mustDo(recordNamedPolicy(at / "p/../outside/"));
        QVERIFY(must(sent(outside)) == policy);
        mustDo(recordNamedPolicy(at / "p/notes/../../elsewhere"));
        write(at / "elsewhere", {"config.json"});
        fs::create_symlink(outside / "id_rsa", at / "elsewhere/model.safetensors");
        refused(at / "elsewhere", "symbolic link");
        // Of another project: where the user trusts it.
        for (const char* name : {"trusted", "foreign"})
            write(at / name / "policy", {"config.json", "model.safetensors", "id_rsa"});
        QVERIFY(must(sent(at / "trusted/policy")) == policy);
        mustDo(writeFileAtomic(outside / "project.toml", "[project]\n"));
        fs::rename(outside / "project.toml", at / "foreign/project.toml");
        refused(at / "foreign/policy", "you have not named it on this machine");
        // Of a checkpoint: what it lists.
        const fs::path step = at / "p/runs/a/checkpoints/step-000004";
        write(step, {"config.json", "model.safetensors", "previous/config.json", "id_rsa"});
        const auto list = [&](const std::string& name) {
            mustDo(writeFileAtomic(
                step / "checkpoint.json",
                dumpJson({{"step", 4},
                          {"files",
                           {{"config.json", nullptr}, {"model.safetensors", nullptr}, {name, nullptr}}}})));
        };
        list("previous/config.json");
        QVERIFY(must(sent(step)) ==
                (Names{"config.json", "model.safetensors", "previous/config.json", "checkpoint.json"}));
        for (const char* name :
             {"../../../../../outside/id_rsa", "/etc/passwd", "a/../id_rsa", "", ".id_rsa", "previous/"}) {
            list(name);
            refused(step, "the list of files names");
        }
        list("missing");
        refused(step, "is missing");
        fs::create_symlink(outside / "id_rsa", step / "extra.json");
        list("extra.json");
        refused(step, "symbolic link");
        fs::create_directory_symlink(outside, step / "writer");
        list("writer/id_rsa");
        refused(step, "symbolic link");
    }

    /// A project cannot have a file from outside of it sent along: neither by a link nor through one.
    void nothingFromOutsideIsSent()
    {
        const QTemporaryDir folder;
        const fs::path at = folder.path().toStdString(), secret = at / "secret", home = at / "p";
        mustDo(writeFileAtomic(secret / "key", "private"));
        const RemoteHost nowhere{"host.invalid", "there", "/bin/false"};
        RemoteInventory there;
        there.run = {"0001-rl-4711", "4711"};
        for (const char* place :
             {"runs/0001-rl/note", "sft_set/x.cu", "annotations.jsonl", "sft_set", "cache/sources.json"}) {
            fs::remove_all(home);
            auto project = must(Project::create(home, "test"));
            const auto run = must(RunDirectory::create(home / "runs/0001-rl", config("rl")));
            fs::create_directories((home / place).parent_path());
            if (home / place == home / "sft_set")
                fs::create_directory_symlink(secret, home / place);
            else
                fs::create_symlink(secret / "key", home / place);
            const fs::path scratch = at / "scratch";
            fs::remove_all(scratch);
            fs::create_directories(scratch);
            const auto files = shipmentOf(project, run, {"0001-rl-4711", "4711"}, {}, scratch);
            const auto sent =
                files ? ship(nowhere, "there", *files, there, there.run) : Status(fail(files.error()));
            QVERIFY(!sent);
            const QByteArray said = QByteArray::fromStdString(sent.error().sentence());
            QVERIFY2(said.contains("symbolic link") && said.contains(place), said);
        }
    }

    void framesInPieces()
    {
        const std::string all = "Welcome\nto this machine\n" + encodeFrame({{"a", 1}}, "bo\ndy") +
                                encodeFrame({{"b", 2}}) + encodeFrame({{"c", 3}}, std::string(5000, 'x'));
        for (const std::size_t step : {std::size_t(1), std::size_t(7), all.size()}) {
            FrameReader reader;
            std::vector<Frame> frames;
            for (std::size_t at = 0; at < all.size(); at += step) {
                reader.feed(std::string_view(all).substr(at, step));
                while (auto frame = must(reader.next()))
                    frames.push_back(std::move(*frame));
            }
            QCOMPARE(frames.size(), std::size_t(3));
            QCOMPARE(frames[0].body, std::string("bo\ndy"));
            QCOMPARE(frames[1].head["b"], 2);
            QCOMPARE(frames[2].body.size(), std::size_t(5000));
            QVERIFY(reader.skipped().starts_with("Welcome"));
        }
        FrameReader wrong; // once it has begun, everything is a frame
        wrong.feed(encodeFrame({{"a", 1}}) + "hello\n");
        QVERIFY(must(wrong.next()));
        QVERIFY(!wrong.next());
        FrameReader large;
        large.feed("\x1eSRL {\"bytes\":99999999999}\n");
        QVERIFY(!large.next());
        FrameReader negative;
        negative.feed("\x1eSRL {\"bytes\":-5}\n");
        QVERIFY(!negative.next());
        FrameReader endless;
        endless.feed(std::string(3 << 20, 'x'));
        QVERIFY(!endless.next());
    }

    void sshFailuresHaveARemedy()
    {
        const RemoteHost host{"gpu1", "runs", "sparserl"};
        const auto why = [&](int code, const char* text) {
            return explainSsh(host, {false, code}, text).sentence();
        };
        const auto says = [](const std::string& text, const char* word) {
            return text.find(word) != std::string::npos;
        };
        QVERIFY(says(why(255, "me@gpu1: Permission denied (publickey)."), "ssh-copy-id gpu1"));
        QVERIFY(says(why(255, "Host key verification failed."), "ssh gpu1"));
        QVERIFY(says(why(255, "ssh: Could not resolve hostname gpu1: x"), "no host called gpu1"));
        QVERIFY(says(why(127, "sh: 1: sparserl: not found"), "no program"));
        QVERIFY(says(why(1, "sparserl: error: the disk is full\n"), "the disk is full"));
        QVERIFY(!says(why(1, "\x1b]0;evil\x07"), "\x1b"));
        // Of several lines the one that says why, and what to do about it.
        const std::string full =
            why(2, "tar: ./a: Cannot write: No space left on device\ntar: Exiting with failure "
                   "status due to previous errors\n");
        QVERIFY2(says(full, "No space left") && says(full, "Free some space") && !says(full, "Exiting"),
                 full.c_str());
    }

    /// A host that connects and says nothing.
    void silentHostsAreGivenUp()
    {
        const QTemporaryDir folder;
        const fs::path ssh = folder.path().toStdString() + "/ssh";
        mustDo(writeFileAtomic(ssh, "#!/bin/sh\nexec sleep 1000\n"));
        fs::permissions(ssh, fs::perms(0755));
        const QByteArray path = qgetenv("PATH");
        qputenv("PATH", folder.path().toUtf8() + ":" + path);
        const auto restore = qScopeGuard([&] { qputenv("PATH", path); });
        const auto said = runThere({"gpu1", "there", "sparserl"}, {"sparserl", "--version"}, 0.3);
        QVERIFY(!said);
        QVERIFY2(said.error().sentence().find("gpu1 did not answer within") == 0,
                 said.error().sentence().c_str());
    }

    /// A journal that somebody has made to be read for ever.
    void journalsOfHoles()
    {
        const QTemporaryDir folder;
        const fs::path run = makeRun(folder, "one\ntwo\n"), journal = run / "journal.jsonl";
        fs::resize_file(journal, std::uintmax_t(1) << 42);
        const auto longer = Mirror::open(run);
        QVERIFY(!longer && longer.error().what.find("longer than any run") != std::string::npos);
        fs::resize_file(journal, std::uintmax_t(1) << 35);
        const auto endless = Mirror::open(run);
        QVERIFY(!endless && endless.error().what.find("no line ends") != std::string::npos);
        QCOMPARE(fs::file_size(journal), std::uintmax_t(1) << 35);
        std::ofstream(journal, std::ios::app) << "\nlast\n"; // with a line after the hole
        auto mirror = must(Mirror::open(run));
        QCOMPARE(mirror.hello(false)["journal_sha256"], ""); // of no journal: all of it is told
    }

    void journalNeverHalfNeverTwice()
    {
        const QTemporaryDir folder;
        const fs::path run = makeRun(folder, "one\ntwo\nhal");
        auto mirror = must(Mirror::open(run));
        QCOMPARE(contents(run / "journal.jsonl"), std::string("one\ntwo\n")); // what a crash left half
        QCOMPARE(mirror.hello(false)["journal"], 8);
        mustDo(mirror.take(journalFrame(8, "three\n")));
        QVERIFY(!mirror.take(journalFrame(8, "three\n"))); // again
        QVERIFY(!mirror.take(journalFrame(20, "five\n"))); // with a hole before it
        QVERIFY(!mirror.take(journalFrame(14, "fo")));     // half
        mustDo(mirror.take(journalFrame(14, "four\n")));
        QCOMPARE(contents(run / "journal.jsonl"), std::string("one\ntwo\nthree\nfour\n"));
    }

    // As a resume would have it: cut, generation, what is new. Before it is whole, nothing changes.
    void rolledBackJournalIsTakenWhole()
    {
        const QTemporaryDir folder;
        const fs::path run = makeRun(folder, "one\ntwo\nthree\n");
        {
            auto mirror = must(Mirror::open(run));
            mustDo(mirror.take({{{"reset", 4}}, {}}));
            mustDo(mirror.take(journalFrame(0, "one\ntwo\n")));
            QCOMPARE(contents(run / "journal.jsonl"), std::string("one\ntwo\nthree\n"));
            QCOMPARE(readGeneration(run), 0);
        } // the connection breaks, the follower dies
        auto mirror = must(Mirror::open(run));
        QCOMPARE(mirror.hello(false)["generation"], 0);
        mustDo(mirror.take({{{"reset", 4}}, {}}));
        mustDo(mirror.take(journalFrame(0, "one\ntwo\n")));
        mustDo(mirror.take(journalFrame(8, "other\n")));
        mustDo(mirror.take({{{"settled", 4}}, {}}));
        QCOMPARE(contents(run / "journal.jsonl"), std::string("one\ntwo\nother\n"));
        QCOMPARE(readGeneration(run), 4);
        mustDo(mirror.take(journalFrame(14, "next\n")));
        QCOMPARE(contents(run / "journal.jsonl"), std::string("one\ntwo\nother\nnext\n"));
    }

    // A folder there may have been restored, edited or cut: what is here only is kept, and it is said.
    void whatIsHereOnlyIsKept()
    {
        for (const int generation : {0, 1}) {
            const QTemporaryDir folder;
            const fs::path run = makeRun(folder, "one\ntwo\nthree\n");
            auto mirror = must(Mirror::open(run));
            mustDo(mirror.take({{{"reset", generation}}, {}}));
            mustDo(mirror.take(journalFrame(0, "one\nother\n")));
            mustDo(mirror.take({{{"settled", generation}}, {}}));
            QCOMPARE(contents(run / "journal.jsonl"), std::string("one\nother\n"));
            QCOMPARE(contents(run / "journal.cut.1.jsonl"), std::string("two\nthree\n"));
            // A resume there may have taken it back, and cuts its journal before it raises the generation:
            // it is no news before all has come that the resume has kept.
            QCOMPARE(mirror.takeNotices().size(), std::size_t(0));
            // Where all has come that is there, and no resume has kept it, it is news after all.
            if (generation == 1) {
                auto other = must(Mirror::open(run));
                mustDo(other.take({{{"reset", 2}}, {}}));
                mustDo(other.take(journalFrame(0, "one\n")));
                mustDo(other.take({{{"settled", 2}}, {}}));
                QCOMPARE(other.takeNotices().size(), std::size_t(0));
                mustDo(other.take({{{"present", nlohmann::json::array()}}, {}}));
                const auto told = other.takeNotices();
                QCOMPARE(told.size(), std::size_t(1));
                QVERIFY2(told[0].ends_with("6 bytes are not there. They are in journal.cut.2.jsonl"),
                         told[0].c_str());
                mustDo(other.take({{{"present", nlohmann::json::array()}}, {}}));
                QCOMPARE(other.takeNotices().size(), std::size_t(0));
                continue;
            }
            // What a resume there kept, which has more, takes the place of what was kept here.
            const std::string unit = "journal.discarded.1.jsonl";
            mustDo(mirror.take({{{"unit", unit}, {"file", unit}, {"offset", 0}}, "two\nthree\nfour\n"}));
            mustDo(mirror.take({{{"unit", unit}, {"whole", true}}, {}}));
            QVERIFY(!fs::exists(run / "journal.cut.1.jsonl"));
            QCOMPARE(contents(run / unit), std::string("two\nthree\nfour\n"));
            mustDo(mirror.take({{{"present", nlohmann::json::array({unit})}}, {}}));
            QCOMPARE(mirror.takeNotices().size(), std::size_t(0));
            // A second one has a name of its own.
            mustDo(mirror.take({{{"reset", generation}}, {}}));
            mustDo(mirror.take(journalFrame(0, "one\n")));
            mustDo(mirror.take({{{"settled", generation}}, {}}));
            mustDo(mirror.take({{{"reset", generation}}, {}}));
            mustDo(mirror.take({{{"settled", generation}}, {}}));
            QCOMPARE(contents(run / "journal.cut.1.jsonl"), std::string("other\n"));
            QCOMPARE(contents(run / "journal.cut.2.jsonl"), std::string("one\n"));
            mustDo(mirror.take({{{"present", nlohmann::json::array({unit})}}, {}}));
            QCOMPARE(mirror.takeNotices().size(), std::size_t(2));
        }
    }

    /// The other side's answer to who is to send a run: who may write, and whether all of it is there. Where
    /// nobody may, nothing there changes.
    void aFolderIsForOneRunOnly()
    {
        const RunIdentity run{"0001-sft-4711", "4711"};
        struct Row
        {
            const char* what;
            std::map<std::string, std::string> files; ///< Of the run's folder there.
            const char* refusal;
            bool whole;
        };
        const std::vector<Row> rows{
            {"nothing", {}, "", false},
            {"what was cut", {{"run.claim", "4711\n"}, {"worker.log", ""}}, "", false},
            {"no run.toml", {{"run.claim", "4711\n"}, {"run.identity", "4711\n"}}, "", false},
            {"all", {{"run.claim", "4711\n"}, {"run.identity", "4711\n"}, {"run.toml", ""}}, "", true},
            {"all, of before claims", {{"run.identity", "4711\n"}, {"run.toml", ""}}, "", true},
            {"another run, of the same length",
             {{"run.identity", "4712\n"}, {"run.toml", ""}},
             "holds another run",
             false},
            {"another claim", {{"run.claim", "4712\n"}}, "holds another run", false},
            {"another claim than its identity",
             {{"run.claim", "4712\n"}, {"run.identity", "4711\n"}, {"run.toml", ""}},
             "holds another run",
             false},
            {"an empty identity", {{"run.identity", ""}, {"run.toml", ""}}, "holds another run", false},
            {"a run of that machine", {{"run.toml", ""}, {"journal.jsonl", ""}}, "is not empty", false},
            {"something", {{"letter.txt", "x"}}, "is not empty", false}};
        for (const Row& row : rows) {
            const QTemporaryDir folder;
            const fs::path project = folder.path().toStdString() + "/p",
                           place = project / "runs" / run.nameThere;
            mustDo(writeFileAtomic(project / "project.toml", "title = 'of another'\n"));
            for (const auto& [name, text] : row.files)
                mustDo(writeFileAtomic(place / name, text));
            const auto tree = [&] {
                std::map<std::string, std::string> all;
                for (const TreeFile& file : must(treeOf(project, Hidden::Take)))
                    all[file.name] = contents(project / file.name);
                return all;
            };
            const auto before = tree();
            const fs::path answer = folder.path().toStdString() + "/answer";
            QFile output(QString::fromStdString(answer.string()));
            QVERIFY(output.open(QIODevice::WriteOnly));
            mustDo(tellInventory(project, run, "1", output.handle()));
            output.close();
            FrameReader frames;
            frames.feed(contents(answer));
            std::string refusal;
            bool claimed = false, whole = false, all = false;
            while (const auto frame = must(frames.next())) {
                refusal += jsonValue<std::string>(frame->head, "error", {});
                claimed = claimed || jsonValue<std::string>(frame->head, "claimed", {}) == run.id;
                whole = whole || jsonValue(frame->head, "whole", false);
                all = all || frame->head.contains("all");
            }
            const bool refused = *row.refusal != '\0';
            QVERIFY2(refusal.find(row.refusal) != std::string::npos && refusal.empty() != refused, row.what);
            QVERIFY2(claimed != refused && all != refused && whole == row.whole, row.what);
            if (refused)
                QVERIFY2(tree() == before, row.what);
            else
                QCOMPARE(contents(place / "run.claim") == "4711\n", true);
        }
        // Who has no place there sends nothing.
        const RemoteHost nowhere{"host.invalid", "there", "/bin/false"};
        QVERIFY(!ship(nowhere, "there", {}, {}, run));
        QVERIFY(!ship(nowhere, "there", {}, {}, {}));
    }

    /// A mark may come from anybody: what this machine has sent where stands in the user's settings.
    void placesAreThisMachines()
    {
        const QTemporaryDir folder;
        const QByteArray settings = qgetenv("XDG_CONFIG_HOME");
        qputenv("XDG_CONFIG_HOME", folder.path().toUtf8() + "/config");
        const auto restore = qScopeGuard(
            [&] { settings.isNull() ? qunsetenv("XDG_CONFIG_HOME") : qputenv("XDG_CONFIG_HOME", settings); });
        const fs::path project = folder.path().toStdString() + "/p";
        RemoteMark mark;
        mark.host = "gpu1";
        mark.folder = "there";
        mark.run = "./there/p-1/runs/0001-sft-4711";
        mark.identity = "4711";
        mustDo(makeDirectories(project));
        QVERIFY(!must(sentRun(mark)));
        QVERIFY(!requireSent(project / "runs/0001-sft", mark));
        mustDo(writeFileAtomic(sentRunsFile(), "# mine\n{\"host\":\"gpu1\"}\n"));
        const fs::path run = project / "runs/0001-sft";
        mustDo(recordSentRun(mark, project, run));
        mustDo(recordSentRun(mark, project, run));
        QCOMPARE(must(sentRun(mark))->home, project.string());
        mustDo(requireSent(project / "runs/0001-sft", mark));
        // A run that was renamed is still the original, and its copy a copy, in the project or in another
        // one.
        mustDo(makeDirectories(run));
        mustDo(writeRemoteMark(run, mark));
        mustDo(recordSentRun(mark, project, run));
        fs::rename(run, project / "runs/0001-mine");
        const fs::path other = folder.path().toStdString() + "/q";
        for (const fs::path& copied : {project / "runs/0002-copy", other / "runs/0001-mine"}) {
            mustDo(makeDirectories(copied));
            mustDo(writeRemoteMark(copied, mark));
            mustDo(requireSent(project / "runs/0001-mine", mark));
            const auto refused = requireSent(copied, mark);
            QVERIFY(!refused && refused.error().sentence().find("this is a copy") != std::string::npos);
        }
        // Once the original is gone, what is left of it goes on where its place is.
        fs::rename(project / "runs/0001-mine", folder.path().toStdString() + "/away");
        mustDo(requireSent(project / "runs/0002-copy", mark));
        const std::string text = contents(sentRunsFile());
        QCOMPARE(std::count(text.begin(), text.end(), '\n'), 3); // what it does not understand stays
        for (auto change : {&RemoteMark::host, &RemoteMark::run, &RemoteMark::identity}) {
            RemoteMark other = mark;
            other.*change += "x";
            QVERIFY(!must(sentRun(other)));
        }
        const RemoteHost host{"gpu1", "there", "sparserl"};
        QVERIFY(isRunOf(host, mark.run));
        for (const char* bad :
             {"", "./there/p/runs/..", "./there/../x/runs/r", "./there/p/runs/", "there/p/runs/r",
              "/there/p/runs/r", "./there/p/q/runs/r", "./there/p/cache/r", "./there/./p/runs/r"})
            QVERIFY2(!isRunOf(host, bad), bad);
    }

    // A list with a hole would be taken for the whole, and what is missing in it be sent over what is there.
    void listsAreWholeOrFail()
    {
        const QTemporaryDir folder;
        const fs::path root = folder.path().toStdString();
        QVERIFY(must(treeOf(root / "none", Hidden::Take)).empty());
        mustDo(writeFileAtomic(root / "a/b/c", "xyz"));
        mustDo(writeFileAtomic(root / "a/.part", "x"));
        const auto all = must(treeOf(root, Hidden::Take));
        QCOMPARE(all.size(), std::size_t(2));
        const auto shown = must(treeOf(root, Hidden::Skip));
        QVERIFY(shown.size() == 1 && shown[0].name == "a/b/c" && shown[0].size == 3);
        if (::geteuid() != 0) { // nothing is unreadable to root
            fs::permissions(root / "a/b", fs::perms::none);
            QVERIFY(!treeOf(root, Hidden::Take));
            fs::permissions(root / "a/b", fs::perms::owner_all);
        }
    }

    void onlyFilesOfARunArrive()
    {
        const std::string unit = "checkpoints/step-000010";
        QVERIFY(isUnitName(unit));
        QVERIFY(isUnitName("journal.discarded.3.jsonl"));
        for (const char* bad :
             {"checkpoints/step-", "checkpoints/step-1/..", "../x", "/etc/passwd", "run.toml", "remote.json",
              "journal.discarded..jsonl", "checkpoints/../../x", "checkpoints"})
            QVERIFY2(!isUnitName(bad), bad);
        QVERIFY(isFileOfUnit(unit, unit + "/model.safetensors"));
        QVERIFY(isFileOfUnit(unit, unit + "/policy/config.json"));
        for (const char* bad :
             {"/../run.toml", "/.ssh", "/a/../../b", "", "/", "/a//b", "/a b", "x/model", "/a/b/c/d"})
            QVERIFY2(!isFileOfUnit(unit, unit + bad), bad);
        QVERIFY(!isFileOfUnit(unit, "checkpoints/step-000011/model"));
        const QTemporaryDir folder;
        const fs::path run = makeRun(folder, "");
        auto mirror = must(Mirror::open(run));
        QVERIFY(!mirror.take({{{"unit", unit}, {"file", unit + "/../../run.toml"}, {"offset", 0}}, "x"}));
        QVERIFY(!mirror.take({{{"unit", "../x"}, {"whole", true}}, {}}));
        QVERIFY(!fs::exists(run / "run.toml"));
        QVERIFY(!mirror.take({{{"log", 5}}, "x"})); // behind its end
        mustDo(mirror.take({{{"log", 0}}, "hello"}));
        QCOMPARE(contents(run / "worker.log"), std::string("hello"));
    }

    // A checkpoint comes in pieces and is looked through before it gets its name.
    void checkpointsAreVerified()
    {
        const QTemporaryDir folder;
        const fs::path there = folder.path().toStdString() + "/there";
        auto original = must(RunDirectory::create(there, config("sft")));
        {
            auto session = must(original.beginWork());
            auto pending = must(original.beginCheckpoint(10));
            mustDo(writeFileAtomic(pending.directory() / "data.json", "{\"x\": [1, 2, 3]}"));
            must(pending.commit(session.journal()));
        }
        const std::string unit = "checkpoints/step-000010";
        QCOMPARE(mirroredUnits(there), std::vector<std::string>{unit});
        const auto files = filesOfUnit(there, unit);
        QCOMPARE(files.back(), unit + "/DONE");
        const fs::path run = makeRun(folder, "");
        const auto send = [&](Mirror& mirror, bool damaged) {
            for (const std::string& file : files) {
                std::string text = must(readFile(there / file));
                if (damaged && file.ends_with("data.json"))
                    text[2] = '!';
                const std::size_t half = text.size() / 2;
                mustDo(mirror.take({{{"unit", unit}, {"file", file}, {"offset", 0}}, text.substr(0, half)}));
                mustDo(mirror.take({{{"unit", unit}, {"file", file}, {"offset", half}}, text.substr(half)}));
            }
            return mirror.take({{{"unit", unit}, {"whole", true}}, {}});
        };
        auto mirror = must(Mirror::open(run));
        QVERIFY(!send(mirror, true));
        QVERIFY(listCheckpoints(run).empty());
        mustDo(send(mirror, false));
        QCOMPARE(listCheckpoints(run).size(), std::size_t(1));
        QCOMPARE(unitTag(run, unit), unitTag(there, unit));
        // The other side has pruned it; what is pinned here stays.
        mustDo(appendFile(run / unit / "PIN", ""));
        mustDo(mirror.take({{{"present", {"checkpoints/step-000020"}}}, {}}));
        QCOMPARE(listCheckpoints(run).size(), std::size_t(1));
        // If it comes once more it stays as it is; if another one of its name comes, it is kept, and that is
        // said.
        mustDo(send(mirror, false));
        QVERIFY(fs::exists(run / unit / "PIN"));
        QVERIFY(mirror.takeNotices().empty());
        const std::string manifest = contents(run / unit / "checkpoint.json");
        mustDo(writeFileAtomic(run / unit / "checkpoint.json", manifest + " "));
        mustDo(send(mirror, false));
        QVERIFY(!fs::exists(run / unit / "PIN") && fs::exists(run / unit / "data.json"));
        QVERIFY(fs::exists(run / "checkpoints.set-aside/step-000010/PIN"));
        QCOMPARE(mirror.takeNotices().size(), std::size_t(1));
        fs::remove_all(run / "checkpoints.set-aside");
        // Nor does one go before what is newer there is here, and whole.
        mustDo(mirror.take({{{"present", {"checkpoints/step-000020"}}}, {}}));
        QCOMPARE(listCheckpoints(run).size(), std::size_t(1));
        fs::copy(run / unit, run / "checkpoints/step-000020", fs::copy_options::recursive);
        mustDo(mirror.take({{{"present", {"checkpoints/step-000020"}}}, {}}));
        QVERIFY(!fs::exists(run / unit));
        fs::remove_all(run / "checkpoints/step-000020");
        QVERIFY(listCheckpoints(run).empty());
        // One that is newer than all there was lost there: it is kept, and it is said.
        mustDo(send(mirror, false));
        mirror.takeNotices();
        mustDo(mirror.take({{{"present", {"checkpoints/step-000005", "journal.discarded.1.jsonl"}}}, {}}));
        QVERIFY(listCheckpoints(run).empty());
        QVERIFY(fs::exists(run / "checkpoints.set-aside/step-000010/data.json"));
        QCOMPARE(mirror.takeNotices().size(), std::size_t(1));
        // What comes damaged again and again is damaged there, and not asked for any more.
        MirrorMemory memory;
        auto patient = must(Mirror::open(run, &memory));
        QVERIFY(!send(patient, true));
        QVERIFY(!patient.hello(false)["have"].contains(unit));
        mustDo(send(patient, true));
        QCOMPARE(patient.takeNotices().size(), std::size_t(1));
        QCOMPARE(patient.hello(false)["have"][unit], unitTag(there, unit));
        QVERIFY(listCheckpoints(run).empty());
    }

    void marksSayWhatIsKnown()
    {
        const QTemporaryDir folder;
        const fs::path run = makeRun(folder, "");
        QVERIFY(!readRemoteMark(run));
        RemoteMark mark;
        mark.host = "gpu1";
        mark.connected = true;
        mark.worker = true;
        mark.reached = unixSeconds() - 1;
        mark.controlSent = 77;
        mustDo(writeRemoteMark(run, mark));
        QCOMPARE(*readRemoteMark(run), mark);
        QVERIFY(isReached(run, mark));
        mark.reached -= 10; // by now a follower would hold its lock
        QVERIFY(!isReached(run, mark));
        mark.reached = unixSeconds() + 86400; // the clock was set back, and nobody follows
        QVERIFY(!isReached(run, mark));
        mark.reached = unixSeconds() - 11;
        mark.problem = "gpu1 does not answer";
        QVERIFY(unreachedSentence(mark).find("gpu1 has not been reached since") == 0);
        // A path of that machine, and advice about it, is not one of this.
        QCOMPARE(saidThere(mark, "/home/me/journal.jsonl: it is damaged. Move it away"),
                 std::string("gpu1 says: /home/me/journal.jsonl: it is damaged. Move it away"));
        QCOMPARE(saidThere(mark, ""), std::string());
        mustDo(writeFileAtomic(run / "remote.json", "{"));
        QVERIFY(readRemoteMark(run)); // damaged, and still no run of this machine
        // Of a newer version, without a machine, and with a nonsensical format: that is said, nothing is
        // followed, and the file stays as it is.
        for (const auto& [text, says] :
             {std::pair(R"({"format":2,"host":"gpu1","run":"r"})", "Use a newer version"),
              std::pair(R"({"format":"1","host":"gpu1","run":"r"})", "must be a whole number"),
              std::pair(R"({"format":1})", "names no machine"), std::pair("{", "damaged")}) {
            mustDo(writeFileAtomic(run / "remote.json", text));
            const auto required = requireRemoteMark(run);
            for (const std::string& said :
                 {required ? std::string() : required.error().sentence(),
                  followRun(run, {}).error().sentence(), adoptRun(run).error().sentence(),
                  unreachedSentence(*readRemoteMark(run))})
                QVERIFY2(said.find(says) != std::string::npos, said.c_str());
            QCOMPARE(must(readFile(run / "remote.json")), std::string(text));
        }
    }
};

QTEST_APPLESS_MAIN(TestRemote)
#include "tst_remote.moc"
