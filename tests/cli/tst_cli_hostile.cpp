// SPDX-License-Identifier: Apache-2.0
// A project that was sent by somebody, on the command line: links where our files would be, and a project
// that nobody here has made or used. Each command ends, with one sentence where it cannot do its work, and
// touches nothing outside.
#include "programs.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/printable.h"
#include "matrix/generators.h"
#include "matrix/pack.h"
#include "tests/base/hostile_names.h"
#include "tests/base/strange_files.h"
#include "tests/drawn_share.h"
#include "tests/patience.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <sys/stat.h>
#include <sys/sysmacros.h>

using namespace sparserl;
namespace fs = std::filesystem;

namespace {

std::map<std::string, std::string> snapshot(const fs::path& folder)
{
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const auto time = fs::last_write_time(entry.path()).time_since_epoch().count();
        all[entry.path().lexically_relative(folder).string()] =
            std::to_string(time) +
            (entry.is_regular_file() ? readFile(entry.path()).value_or(std::string("?")) : std::string());
    }
    return all;
}

void mustWrite(const fs::path& file, const std::string& text)
{
    if (const auto written = writeFileAtomic(file, text); !written)
        qFatal("%s", written.error().sentence().c_str());
}

/// Commands that change a project, and such as only read it; P is its folder.
const std::vector<std::string> changing{
    "project reindex P",
    "import --generate 'stencil2d(n=5,points=5)' --project P",
    "train --run P/runs/0001-sft",
    std::string("train quickstart-sft --project P --set sft.steps=1 ") + test::tinySft,
    std::string("job P --set sft.steps=1 ") + test::tinySft,
    "remote follow P/runs/0001-sft",
    "remote stop P/runs/0001-sft",
    "control P/runs/0001-sft pause",
    "control P/runs/0001-sft set checkpoint.every=3",
    "project matrices P --held-out grid",
    "project sft-set P --from 0001-sft",
    "worker P/runs/0001-sft",
};
const std::vector<std::string> reading{"runs --project P",   "runs 0001-sft --project P",
                                       "project matrices P", "control P/runs/0001-sft status",
                                       "project sft-set P",  "features P/matrices/small.mtx"};
/// The others that come near a project, most of them with its matrix, its policy or its run. K is a program,
/// N a number that no run has yet.
const std::vector<std::string> others{
    "import P",
    "multiply P/matrices/small.mtx",
    "corpus recommend P/matrices/small.mtx",
    "corpus scan P --out scanned-N",
    "pack --out N.pack P/matrices/small.mtx",
    "doctor --project P",
    "runs 0001-sft --project P --export tensorboard --out curves-N",
    "control P/runs/0001-sft resume",
    "control P/runs/0001-sft stop",
    "control P/runs/0001-sft checkpoint",
    "control P/runs/0001-sft fork sft.steps=9",
    "project new P",
    "project trust P",
    "project allow-link P/exports",
    "remote adopt P/runs/0001-sft",
    "remote have P/runs/0001-sft a b",
    "remote sound P/runs/0001-sft",
    "remote serve P/runs/0001-sft",
    "device calibrate --matrix P/matrices/small.mtx --no-simulation --no-fit",
    "policy import P/runs/0001-sft/checkpoints/step-000004 --out imported-N",
    "policy tokens P/runs/0001-sft K",
    "policy tokens P/runs/0001-sft P/matrices/small.mtx --lines",
    "policy adapt P/runs/0001-sft --out adapted-N",
    "policy merge P/runs/0001-sft --out merged-N",
    "policy shrink P/runs/0001-sft --out shrunk-N",
    "policy export P/runs/0001-sft --out exported-N",
};
/// These take a second.
const std::vector<std::string> dear{
    "judge K --device sim --matrix P/matrices/small.mtx",
    "compare K K --device sim --matrix P/matrices/small.mtx",
    "corpus check --matrix P/matrices/small.mtx -n 1 --family S1 --device sim",
    "bench P/matrices/small.mtx --device sim --limit-per-matrix 1",
    "search P/matrices/small.mtx --device sim --candidates 1 --bench-programs 1 --project P",
    "search P/matrices/small.mtx --device sim --candidates 1 --bench-programs 1 --project P --policy "
    "P/runs/0001-sft",
    "generate --policy P/runs/0001-sft --matrix P/matrices/small.mtx -n 1 --device sim",
    "policy score K --policy P/runs/0001-sft --matrix P/matrices/small.mtx",
    "evaluate --policy P/runs/0001-sft --matrix P/matrices/small.mtx -n 1 -k 1 --device sim",
    "evaluate --policy P/runs/0001-sft --matrix P/matrices/small.mtx -n 1 -k 1 --device sim --run P/runs/N",
    "export --run P/runs/0001-sft",
    "export --run P/runs/0001-sft --out bundle-N",
    "export --program K --matrix P/matrices/small.mtx --out kernel-N",
    "specialise --policy P/runs/0001-sft --matrix P/matrices/small.mtx --out special-N --iterations 1 "
    "--samples 2 --top 1 --device sim",
    std::string("ablate ablation.toml --project P ") + test::tinySft,
};
/// Those that come near none: they take neither a project, a run, a policy nor a matrix.
const std::set<std::string> withoutProject{
    "corpus sample",   "compile",       "endpoint add", "endpoint list",      "endpoint test",
    "remote check",    "device info",   "device diff",  "device attack",      "device observe",
    "operator import", "operator show", "operator run", "operator synthesize"};

/// Ends by a signal alone. It reads a policy as `generate` does, and writes nothing.
const std::set<std::string> endless{"serve"};

/// What a program says of its commands: the words of each that has none below it, with the names and help of
/// its options.
void commandsOf(const nlohmann::json& command, const std::string& words,
                std::map<std::string, std::string>& all)
{
    for (const auto& sub : command.at("commands"))
        commandsOf(sub, words + (words.empty() ? "" : " ") + sub.at("name").get<std::string>(), all);
    if (!command.at("commands").empty())
        return;
    for (const auto& option : command.at("options"))
        all[words] += option.at("names").dump() + option.value("positional", "") + "\n";
}

/// True where a line is one of the command with these words: they come in this order, others between them.
bool isOf(const std::string& line, const std::string& words)
{
    std::istringstream text(line), wanted(words);
    std::string word, next;
    wanted >> next;
    for (bool first = true; text >> word; first = false) {
        if (word != next && first)
            return false;
        if (word == next && !(wanted >> next))
            return true;
    }
    return false;
}

} // namespace

class TestCliHostile : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    test::DrawnShare m_share{15}; ///< Of the commands that meet what is strange.
    fs::path folder() const { return m_folder.path().toStdString(); }
    fs::path outside() const { return folder() / "outside"; }

    /// `P` of a command is the project.
    RunOutput run(const std::string& command, const std::string& environment = "SPARSERL_TRUST=all") const
    {
        std::string line = command;
        for (auto at = line.find("P"); at != std::string::npos; at = line.find("P", at + 1))
            if ((at == 0 || line[at - 1] == ' ') &&
                (at + 1 == line.size() || line[at + 1] == '/' || line[at + 1] == ' '))
                line.replace(at, 1, "sent");
        return test::shell(folder(),
                           "unset SPARSERL_TRUST; export XDG_CONFIG_HOME=" + folder().string() + "/config; " +
                               environment + " timeout 90 $SPARSERL --quiet " + line,
                           120);
    }
    /// A command with its names put in; `unused` has been in none.
    static std::string written(std::string command, const std::string& unused)
    {
        for (const auto& [letter, word] : {std::pair<char, std::string>{'N', unused}, {'K', "kernel.cu"}})
            for (auto found = command.find(letter); found != std::string::npos;
                 found = command.find(letter, found + word.size()))
                command.replace(found, 1, word);
        return command;
    }
    void unpack() const
    {
        // A worker whose command ran out of time, on a loaded machine, may still write there for a moment.
        QElapsedTimer waited;
        waited.start();
        std::error_code busy;
        while (fs::remove_all(folder() / "sent", busy), busy && waited.elapsed() < test::patience())
            QTest::qWait(50);
        if (busy)
            throw fs::filesystem_error("removing the last project", folder() / "sent", busy);
        fs::copy(folder() / "made", folder() / "sent", fs::copy_options::recursive);
    }
    /// Lines that tell of a failure; a warning is none.
    static int failures(const RunOutput& ran)
    {
        int count = 0;
        std::istringstream lines(ran.error);
        for (std::string line; std::getline(lines, line);)
            count += line.starts_with("sparserl: ") && !line.starts_with("sparserl: warning: ") ? 1 : 0;
        return count;
    }

private Q_SLOTS:
    void initTestCase()
    {
        const fs::path made = folder() / "made";
        fs::create_directories(made / "matrices");
        QVERIFY(writeFileAtomic(made / "project.toml", test::tinyProject));
        QVERIFY(writeFileAtomic(made / "matrices/small.mtx",
                                "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n"));
        QVERIFY(writeFileAtomic(made / "job.toml", "[[stage]]\nrun = 'job'\npreset = 'quickstart-sft'\n"));
        fs::rename(made, folder() / "sent");
        const auto trained =
            run(std::string("train quickstart-sft --project P --set sft.steps=4 --set checkpoint.every=2 ") +
                test::tinySft);
        QVERIFY2(trained.status.ok(), trained.error.c_str());
        QVERIFY(run("runs --project P").status.ok());
        fs::rename(folder() / "sent", made);
        QVERIFY(run("corpus sample --task spmv --family S1 -n 1 --out kernels").status.ok());
        fs::rename(fs::directory_iterator(folder() / "kernels")->path(), folder() / "kernel.cu");
        QVERIFY(writeFileAtomic(
            folder() / "ablation.toml",
            "title = 'T'\n[[stage]]\nrun = 'a'\npreset = 'quickstart-sft'\nset = ['sft.steps=1']\n"
            "[[stage]]\nrun = 'e'\npreset = 'quickstart-evaluate'\nparent = 'a'\n"
            "set = ['evaluate.samples=1', 'evaluate.k=1', 'evaluate.information=0', "
            "'evaluate.exchange=false']\n[[cell]]\nname = 'c'\nrun = 'e'\n"));
    }

    /// Names in a pack of others make no lines of their own, and no formulas of spreadsheets.
    void namesInPacks()
    {
        unpack();
        PackWriter writer(3);
        const auto matrix = generate("stencil2d(n=5,points=5)");
        QVERIFY(writer.add(*matrix, "a\nforged: sent", "class\nforged: class"));
        QVERIFY(writer.add(*generate("stencil2d(n=6,points=5)"), "=cmd|x", "+1+1"));
        QVERIFY(writer.write(folder() / "sent/their.pack"));
        QVERIFY(run("corpus sample --task spmv --family S1 -n 1 --out one").status.ok());
        const std::string kernel =
            "one/" + fs::directory_iterator(folder() / "one")->path().filename().string();
        for (const std::string& command :
             {std::string("pack --list P/their.pack"), std::string("features P/their.pack"),
              std::string("corpus recommend P/their.pack --task spmv"), std::string("project matrices P"),
              "judge " + kernel + " --matrix P/their.pack --device sim",
              "compare " + kernel + " " + kernel + " --matrix 'sent/their.pack#a\nforged: sent' --device sim",
              std::string("bench P/their.pack --device sim --limit-per-matrix 1 --csv table.csv"),
              std::string("import P/their.pack --project P"), std::string("project matrices P"),
              std::string(
                  "evaluate --policy sent/runs/0001-sft --matrix P/their.pack -n 1 -k 1 --table table2.csv"),
              std::string("generate --policy sent/runs/0001-sft --matrix P/their.pack -n 1 --device sim")}) {
            const RunOutput ran = run(command);
            const std::string all = "\n" + ran.output + "\n" + ran.error;
            QVERIFY2(all.find("\nforged") == std::string::npos, (command + all).c_str());
            QVERIFY2(all.find("Usage") == std::string::npos, (command + all).c_str());
        }
        for (const char* table : {"table.csv", "table2.csv"}) {
            const std::string text = readFile(folder() / table).value_or("");
            QVERIFY2(text.find("'=cmd") != std::string::npos, text.c_str());
            QVERIFY2(text.find("\"=cmd") == std::string::npos && text.find("\n=cmd") == std::string::npos,
                     text.c_str());
        }
        fs::create_directories(folder() / "pipes");
        QCOMPARE(::mkfifo((folder() / "pipes/p.pack").c_str(), 0600), 0);
        const RunOutput pipe = run("pack --list pipes/p.pack");
        QVERIFY2(pipe.error.find("must be a file") != std::string::npos, pipe.error.c_str());
    }

    /// A file of holes costs its sender nothing: it is refused by its size.
    void filesOfHoles()
    {
        unpack();
        // Never copied: a copy has no holes, and fills the disk.
        for (const char* name : {"holes.toml", "holes.txt", "sent/runs/0001-sft/tokenizer.json"}) {
            std::ofstream(folder() / name).put('#');
            fs::resize_file(folder() / name, std::uintmax_t(1) << 36);
        }
        for (const std::string& command :
             {std::string("train holes.toml --project P"), std::string("ablate holes.toml --project P"),
              std::string("evaluate --policy sent/runs/0001-sft --matrix holes.txt -n 1 -k 1")}) {
            const RunOutput ran = run(command, "SPARSERL_TRUST=all; ulimit -v 6000000;");
            QVERIFY2(!ran.status.ok() && ran.error.find("larger than") != std::string::npos,
                     (command + ran.output + ran.error).c_str());
        }
    }

    /// A new command has to be tried, or to take nothing that could be a project's.
    void everyCommandIsTried()
    {
        std::map<std::string, std::string> all;
        for (const char* program : {"sparserl", "sparserl-training"}) {
            const auto ran =
                test::shell(folder(), std::string(SPARSERL_BIN_DIR "/") + program + " --describe");
            QVERIFY2(ran.status.ok(), ran.error.c_str());
            std::map<std::string, std::string> of;
            commandsOf(nlohmann::json::parse(ran.output), {}, of);
            for (const auto& [words, options] : of)
                all[words] += options; // one describes what the other only names
        }
        all.erase("libtorch"); // asked by programs, takes nothing
        QVERIFY(all.size() > 40);
        for (const auto& [words, options] : all) {
            bool tried = false;
            for (const auto* list : {&changing, &reading, &others, &dear})
                for (const std::string& line : *list)
                    tried = tried || isOf(line, words);
            QVERIFY2(tried != (withoutProject.contains(words) || endless.contains(words)), words.c_str());
            for (const char* word :
                 {"\"--project\"", "\"--run\"", "\"--policy\"", "\"--matrix\"", "PROJECT", "RUN"})
                QVERIFY2(tried || endless.contains(words) || options.find(word) == std::string::npos,
                         (words + ": " + options).c_str());
        }
    }

    /// Else what is strange would not be what they stumble over.
    void theyWorkInASoundProject()
    {
        unpack();
        for (std::size_t i = 0; i < dear.size(); ++i) {
            const auto ran = run(written(dear[i], "sound-" + std::to_string(i)));
            // A policy of four steps writes nothing that is correct.
            QVERIFY2(ran.status.ok() || ran.error.find("no program was correct") != std::string::npos,
                     (dear[i] + ": " + ran.error).c_str());
        }
        unpack();
        for (std::size_t i = 0; i < others.size(); ++i) {
            const auto ran = run(written(others[i], "sound-" + std::to_string(i)));
            QVERIFY2(ran.status.code == 0 || (ran.status.code == 1 && failures(ran) == 1),
                     (others[i] + ": " + ran.error).c_str());
        }
    }

    void strangeFilesLeadNowhere_data()
    {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<QByteArray>("place");
        QTest::addColumn<int>("number");
        int number = 0;
        const auto add = [&](const char* kind, const std::string& place) {
            QTest::addRow("%s, %s", kind, place.c_str())
                << QByteArray(kind) << QByteArray::fromStdString(place) << number++;
        };
        for (const std::string place :
             {"index.lock", "project.lock", "cache/job.lock", "project.sqlite", "project.toml",
              "annotations.jsonl", "programs.jsonl", "matrices/small.mtx", "runs/0001-sft/run.toml",
              "runs/0001-sft/journal.jsonl", "runs/0001-sft/control.jsonl", "runs/0001-sft/worker.lock",
              "runs/0001-sft/remote.json", "runs/0001-sft/follower.lock", "runs/0001-sft/tokenizer.json",
              "runs/0001-sft/checkpoints/step-000004/model.safetensors"})
            for (const char* kind : {"a link", "a hard link", "a named pipe", "a socket", "a device"})
                add(kind, place);
        for (const char* folder : {"runs/0001-sft/checkpoints", "runs", "cache", "exports"})
            add("a link", folder);
    }
    void strangeFilesLeadNowhere()
    {
        QFETCH(QByteArray, kind);
        QFETCH(QByteArray, place);
        QFETCH(int, number);
        unpack();
        fs::remove_all(outside());
        fs::create_directories(outside());
        const fs::path at = folder() / "sent" / place.toStdString(), target = outside() / "target";
        if (fs::exists(at))
            fs::rename(at, target);
        else if (place.endsWith(".json"))
            std::ofstream(target) << R"({"host":"evil","folder":"x","run":"x/runs/0001-sft"})";
        else if (place == "exports")
            fs::create_directories(target);
        else
            std::ofstream(target) << "precious\n";
        if (fs::is_directory(target)) {
            fs::create_directories(target / ".tmp-step-000099");
            std::ofstream(target / ".tmp-step-000099/precious") << "precious\n";
        }
        if (kind == "a link")
            fs::create_symlink(target, at);
        else if (kind == "a hard link")
            fs::create_hard_link(target, at);
        else if (kind == "a named pipe")
            QCOMPARE(::mkfifo(at.c_str(), 0600), 0);
        else if (kind == "a socket")
            QVERIFY(test::makeSocket(at));
        else if (::mknod(at.c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0) // /dev/full
            QSKIP("only root can make a device");
        const auto before = snapshot(outside());
        int unused = 0, next = 0;
        for (const auto* list : {&changing, &reading, &others, &dear})
            for (std::string command : *list) {
                // New runs take seconds, and open nothing more of these than the others.
                if (kind != "a link" && command.find("sft.steps=1") != std::string::npos)
                    continue;
                // Each of these in each place with one kind, and with all kinds: else it takes too long. What
                // is no file is refused as a pipe is.
                constexpr int kinds = 5;
                const bool some =
                    list == &others || list == &dear || kind == "a socket" || kind == "a device";
                if (some && (next++ + number + number / kinds) % kinds != 0)
                    continue;
                if (!m_share.has(kind.toStdString() + place.toStdString() + command))
                    continue;
                command = written(command, std::to_string(number) + "-" + std::to_string(unused++));
                // What a user allows or trusts is for these commands alone.
                const std::string environment =
                    command.starts_with("project trust") || command.starts_with("project allow-link")
                        ? "SPARSERL_TRUST=all XDG_CONFIG_HOME=" + (folder() / "other").string()
                        : "SPARSERL_TRUST=all";
                const auto ran = run(command, environment);
                const std::string said = command + ": " + ran.error;
                QVERIFY2(ran.status.signalled == false && ran.status.code != 124, said.c_str());
                QVERIFY2(ran.status.code != 2, said.c_str());
                QVERIFY2(snapshot(outside()) == before, said.c_str());
                QVERIFY2(failures(ran) <= 1, said.c_str());
            }
    }

    void untrustedIsForReading()
    {
        unpack();
        QVERIFY(writeFileAtomic(folder() / "sent/runs/0001-sft/remote.json",
                                R"({"host":"evil","folder":"x","run":"x/runs/0001-sft"})"));
        auto before = snapshot(folder() / "sent");
        auto refusing = changing;
        refusing.insert(refusing.end(),
                        {"export --run P/runs/0001-sft", "export --run P/runs/0001-sft --out o",
                         "control P/runs/0001-sft fork checkpoint.every=3"});
        for (const std::string& command : refusing) {
            const auto refused = run(command, "");
            QVERIFY2(refused.status.code == 1, (command + ": " + refused.error).c_str());
            // That no worker works there is said first.
            if (command.find("remote stop") == std::string::npos &&
                command.find(" pause") == std::string::npos)
                QVERIFY2(refused.error.find("is read-only") != std::string::npos &&
                             refused.error.find("sparserl project trust") != std::string::npos,
                         (command + ": " + refused.error).c_str());
            QVERIFY2(failures(refused) == 1, refused.error.c_str());
            QVERIFY2(snapshot(folder() / "sent") == before, command.c_str());
        }
        // Nor does one work that is of this machine, and has ended.
        fs::remove(folder() / "sent/runs/0001-sft/remote.json");
        const auto local = snapshot(folder() / "sent");
        for (const char* command : {"train --run P/runs/0001-sft", "worker P/runs/0001-sft"}) {
            const auto refused = run(command, "");
            QVERIFY2(refused.status.code == 1 && refused.error.find("is read-only") != std::string::npos &&
                         failures(refused) == 1 && refused.error.find("GPU") == std::string::npos,
                     refused.error.c_str());
            QVERIFY(snapshot(folder() / "sent") == local);
        }
        QVERIFY(writeFileAtomic(folder() / "sent/runs/0001-sft/remote.json",
                                R"({"host":"evil","folder":"x","run":"x/runs/0001-sft"})"));
        before = snapshot(folder() / "sent");
        for (const std::string& command : reading) {
            const auto read = run(command, "");
            QVERIFY2(read.status.ok(), (command + ": " + read.error).c_str());
            QVERIFY2(snapshot(folder() / "sent") == before, command.c_str());
        }
        const auto trusted = run("project trust P", "");
        QVERIFY2(trusted.status.ok(), trusted.error.c_str());
        const auto now = run("project reindex P", "");
        QVERIFY2(now.status.ok(), now.error.c_str());
    }

    /// What a journal calls a device or a reference makes no lines that look like the program's own.
    void oneLineStaysOne()
    {
        unpack();
        const fs::path journal = folder() / "sent/runs/0001-sft/journal.jsonl";
        std::string text = readFile(journal).value_or(std::string());
        for (const std::string key : {"\"device\":\"", "\"baseline\":\""})
            for (auto at = text.find(key); at != std::string::npos; at = text.find(key, at + 1))
                text.insert(at + key.size(), "x\\nexported to /forged\\n");
        QVERIFY(writeFileAtomic(journal, text));
        const auto ran = run("export --run P/runs/0001-sft");
        QVERIFY2(ran.status.ok(), ran.error.c_str());
        QCOMPARE(std::count(ran.output.begin(), ran.output.end(), '\n'), 1);
        QVERIFY2(ran.output.find("\\x0aexported to /forged") != std::string::npos, ran.output.c_str());
    }

    /// A job that would be read for minutes is refused; before that, nothing of a stranger's is looked into.
    void jobsWithoutEnd()
    {
        unpack();
        std::string stages;
        for (int i = 0; i < 20000; ++i)
            stages += "[[stage]]\nrun = 'job" + std::to_string(i) + "'\npreset = 'quickstart-sft'\n";
        QVERIFY(writeFileAtomic(folder() / "sent/job.toml", stages));
        const auto strange = run("job P", "");
        QVERIFY2(strange.status.code == 1 && strange.error.find("is read-only") != std::string::npos,
                 strange.error.c_str());
        const auto own = run("job P");
        QVERIFY2(own.status.code == 1 && own.error.find("20000 stages") != std::string::npos,
                 own.error.c_str());
    }

    /// Runs that lie elsewhere are no runs of the project until the user says so, and it is told why.
    void runsThatLieElsewhere()
    {
        for (const std::string place : {"runs", "runs/0001-sft"}) {
            unpack();
            const fs::path at = folder() / "sent" / place, other = folder() / "scratch";
            fs::remove_all(other);
            fs::rename(at, other);
            fs::create_directory_symlink(other, at);
            const auto before = snapshot(other);
            for (const std::string trust : {"SPARSERL_TRUST=no", "SPARSERL_TRUST=all"}) {
                const auto listed = run("runs --project P", trust), rebuilt = run("project reindex P", trust);
                QVERIFY2(listed.output.find("\n0001-sft") == std::string::npos, listed.output.c_str());
                QVERIFY2((listed.output + listed.error).find("a symbolic link is in the way") !=
                             std::string::npos,
                         (listed.output + listed.error).c_str());
                if (trust == "SPARSERL_TRUST=all")
                    QVERIFY2((rebuilt.output + rebuilt.error).find("allow-link") != std::string::npos,
                             (rebuilt.output + rebuilt.error).c_str());
                QVERIFY(snapshot(other) == before);
            }
            QVERIFY(run("project allow-link P/" + place).status.ok());
            const auto listed = run("runs --project P");
            QVERIFY2(listed.output.find("\n0001-sft") != std::string::npos, listed.error.c_str());
            QVERIFY(run("runs 0001-sft --project P").status.ok());
        }
    }

    /// Whatever a run is called and says, it is one row.
    void rowsOfRuns()
    {
        unpack();
        const fs::path runs = folder() / "sent/runs";
        fs::copy(runs / "0001-sft", runs / "two\nlines\x1b[2J", fs::copy_options::recursive);
        std::ofstream(runs / "two\nlines\x1b[2J/journal.jsonl", std::ios::app)
            << R"({"gen":0,"kind":"state","seq":900000,"step":1,"state":"failed","t":1,"reason":"a\nb"})"
            << "\n";
        const auto listed = run("runs --project P");
        QVERIFY2(listed.status.ok(), listed.error.c_str());
        const auto lines = QString::fromStdString(listed.output).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QVERIFY2(listed.output.find("two\\x0alines") != std::string::npos, listed.output.c_str());
        QCOMPARE(qint64(lines.size()),
                 qint64(std::distance(fs::directory_iterator(runs), {}) + 1)); // and the titles
        const auto one = run("runs \"$(printf 'two\\nlines\\033[2J')\" --project P");
        QVERIFY2(one.status.ok() && one.output.starts_with("two\\x0alines\\x1b[2J: failed"),
                 one.output.c_str());
        QVERIFY2((one.output + one.error).find('\x1b') == std::string::npos, one.error.c_str());
    }

    /// Commands that start from a run are given its newest checkpoint or a sentence, never an older one
    /// unasked.
    void damagedCheckpointsAreNotSkipped()
    {
        const fs::path checkpoints = folder() / "sent/runs/0001-sft/checkpoints",
                       newest = checkpoints / "step-000004";
        const std::string policy = "P/runs/0001-sft", matrix = "P/matrices/small.mtx";
        const std::vector<std::string> commands{
            "generate --policy " + policy + " --matrix " + matrix + " -n 1 --no-judge",
            "evaluate --policy " + policy + " --matrices " + matrix + " -k 1",
            "train quickstart-sft --project P --parent " + policy + " --set sft.steps=1 " + test::tinySft,
            "control " + policy + " fork", "--json runs 0001-sft --project P"};
        const std::vector<std::pair<std::string, std::function<void()>>> damages{
            {"step-000004", [&] { std::ofstream(newest / "checkpoint.json") << "X"; }},
            {"step-000004", [&] { fs::remove(newest / "checkpoint.json"); }},
            {"checkpoints", [&] {
                 fs::rename(checkpoints, folder() / "sent/away");
                 std::ofstream(checkpoints) << "x";
             }}};
        for (const auto& [names, inflict] : damages) {
            for (const std::string& command : commands) {
                unpack();
                fs::remove_all(folder() / "sent/away");
                inflict();
                const auto ran = run(command);
                const bool lists = command.starts_with("--json runs");
                const std::string& said = lists ? ran.output : ran.error;
                QVERIFY2(lists ? said.find("checkpoint_problem") != std::string::npos : ran.status.code == 1,
                         (command + ": " + said).c_str());
                QVERIFY2(said.find(names) != std::string::npos, (command + ": " + said).c_str());
            }
        }
    }

    /// Runs are listed from a temporary index, whatever index was sent or not; also in a folder that anybody
    /// may write to.
    void runsWithoutTrust()
    {
        unpack();
        const fs::path victim = folder() / "precious";
        QVERIFY(writeFileAtomic(victim, "precious"));
        fs::remove(folder() / "sent/index.lock");
        fs::create_symlink(victim, folder() / "sent/index.lock");
        fs::permissions(folder() / "sent", fs::perms::all | fs::perms::sticky_bit);
        for (const bool sent : {true, false}) {
            if (!sent)
                fs::remove(folder() / "sent/project.sqlite");
            const auto before = snapshot(folder() / "sent");
            for (const char* command : {"--json runs --project P", "--json runs 0001-sft --project P"}) {
                const auto listed = run(command, "");
                QVERIFY2(listed.status.ok(), listed.error.c_str());
                QVERIFY2(listed.output.find("\"0001-sft\"") != std::string::npos, listed.output.c_str());
                QVERIFY(snapshot(folder() / "sent") == before);
            }
            for (const auto& entry : fs::directory_iterator(folder() / "tmp"))
                QVERIFY2(!entry.path().filename().string().starts_with("sparserl-index"),
                         entry.path().c_str());
        }
        QCOMPARE(*readFile(victim), std::string("precious"));
    }

    /// A run that is moved while its worker is at work, with another project in its place: the worker ends
    /// with a sentence, and the other project stays as it is.
    void movedWhileItTrains()
    {
        fs::remove_all(folder() / "sent");
        for (const char* name : {"first", "second", "away"}) {
            fs::remove_all(folder() / name);
            if (std::string(name) != "away")
                fs::copy(folder() / "made", folder() / name, fs::copy_options::recursive);
        }
        auto worker = test::startShell(
            folder(),
            std::string("SPARSERL_TRUST=all $SPARSERL --quiet train quickstart-sft --project first --set "
                        "sft.steps=100000 --set checkpoint.every=1 --set checkpoint.keep=2 ") +
                test::tinySft + " 2> said");
        const fs::path run = folder() / "first/runs/0002-sft";
        QTRY_VERIFY_WITH_TIMEOUT(fs::exists(run / "heartbeat.json"), test::patience(120'000));
        fs::copy(folder() / "made/runs/0001-sft", folder() / "second/runs/0002-sft",
                 fs::copy_options::recursive);
        const auto before = snapshot(folder() / "second");
        fs::rename(folder() / "first", folder() / "away");
        fs::rename(folder() / "second", folder() / "first");
        const auto ended = worker.wait(test::patienceSeconds(120));
        QVERIFY(ended);
        QCOMPARE(ended->code, 1);
        const std::string said = readFile(folder() / "said").value_or(std::string());
        QVERIFY2(said.find("was moved, replaced or removed") != std::string::npos, said.c_str());
        QVERIFY(snapshot(folder() / "first") == before);
    }

    /// The stages of `specialise` train on all that the project of --out holds: others than were asked for,
    /// and held-out ones, are refused, and nothing is changed.
    void specialiseTrainsOnWhatWasAsked()
    {
        unpack();
        const std::string rest = " --device sim --iterations 1 --samples 2 --set threads=1";
        const auto list = readFile(folder() / "sent/project.toml");
        auto ran = run("specialise --policy P/runs/0001-sft --matrix P/matrices/small.mtx --out P" + rest);
        QCOMPARE(ran.status.code, 1);
        QVERIFY2(ran.error.find("\"grid\"") != std::string::npos &&
                     ran.error.find("not among those") != std::string::npos,
                 ran.error.c_str());
        QVERIFY(!fs::exists(folder() / "sent/runs/rl"));
        QCOMPARE(*readFile(folder() / "sent/project.toml"), *list);

        QVERIFY(run("project new held").status.ok());
        QVERIFY(run("import --generate 'banded(n=70,band=3)' --split held-out --project held").status.ok());
        ran = run("specialise --policy P/runs/0001-sft --matrix 'banded(n=70,band=3)' --out held" + rest);
        QVERIFY2(ran.status.code == 1 && ran.error.find("held out") != std::string::npos, ran.error.c_str());
        QVERIFY(!fs::exists(folder() / "held/runs/rl"));

        // A run that began with fewer matrices does not take more.
        QVERIFY(run("project new begun").status.ok());
        QVERIFY(run("import P/matrices/small.mtx --project begun").status.ok());
        fs::create_directories(folder() / "begun/runs/rl");
        fs::copy_file(folder() / "sent/runs/0001-sft/run.toml", folder() / "begun/runs/rl/run.toml");
        ran = run("specialise --policy P/runs/0001-sft --matrix P/matrices/small.mtx --matrix "
                  "'banded(n=70,band=3)' "
                  "--out begun" +
                  rest);
        QVERIFY2(ran.status.code == 1 && ran.error.find("fewer matrices") != std::string::npos,
                 ran.error.c_str());
    }

    /// A table's row says of which split a matrix is for this policy, also where another project trained it.
    void evaluateTellsWhatWasTrainedOn()
    {
        unpack();
        const auto ran =
            run("--json evaluate --policy P/runs/0001-sft --matrices 'stencil2d(n=8)' --matrices "
                "'banded(n=70,band=3)' -k 1 --device sim --set threads=1");
        QVERIFY2(ran.status.ok(), ran.error.c_str());
        QVERIFY2(ran.error.find("was trained on the matrix") != std::string::npos, ran.error.c_str());
        std::map<std::string, std::string> splits;
        int totals = 0;
        for (const QByteArray& line : QByteArray::fromStdString(ran.output).trimmed().split('\n')) {
            const auto json = nlohmann::json::parse(line.toStdString());
            if (json.contains("matrix"))
                splits[json["matrix"]] = json["split"];
            totals += json.contains("total") ? 1 : 0;
        }
        QCOMPARE(splits.at("stencil2d(n=8)"), std::string("train"));
        QCOMPARE(splits.at("banded(n=70,band=3)"), std::string("held-out"));
        QCOMPARE(totals, 2);
    }

    /// However files are called: import, features, judge and export work with them, and what they print moves
    /// no cursor and keeps its lines.
    void filesOfAnyName()
    {
        const auto program = [&](const std::vector<std::string>& words) {
            SpawnOptions options;
            options.argv = {"/usr/bin/env", "-u", "SPARSERL_TRUST", SPARSERL_BIN_DIR "/sparserl"};
            options.argv.insert(options.argv.end(), words.begin(), words.end());
            options.workingDirectory = folder();
            options.output = options.error = StreamEnd::pipe();
            options.extraEnvironment = {{"XDG_CONFIG_HOME", (folder() / "config").string()}};
            auto output = runToEnd(options, {}, 300);
            if (!output)
                qFatal("%s", output.error().sentence().c_str());
            return std::move(*output);
        };
        const auto harmless = [](const RunOutput& ran) {
            return printable(ran.output) == ran.output && printable(ran.error) == ran.error;
        };
        fs::create_directories(folder() / "theirs");
        std::vector<std::string> files;
        const auto names = test::hostileNames();
        for (std::size_t i = 0; i < names.size(); ++i) {
            files.push_back("theirs/" + names[i]);
            QVERIFY(test::writePlainly(folder() / files.back(), test::numberedMatrix(i)));
        }
        QVERIFY(program({"project", "new", "any"}).status.ok());
        const auto with = [&](std::vector<std::string> words) {
            words.insert(words.end(), files.begin(), files.end());
            return program(words);
        };
        auto ran = with({"--quiet", "import", "--project", "any"});
        QVERIFY2(ran.status.ok() && harmless(ran), (ran.output + ran.error).c_str());
        QCOMPARE(QByteArray::fromStdString(ran.output).count('\n'), qsizetype(names.size()));
        ran = with({"--quiet", "--json", "import"});
        QVERIFY2(ran.status.ok() && harmless(ran), (ran.output + ran.error).c_str());
        for (const QByteArray& line : QByteArray::fromStdString(ran.output).trimmed().split('\n'))
            QVERIFY(nlohmann::json::parse(line.toStdString()).contains("digest"));
        ran = with({"features"});
        QVERIFY2(ran.status.ok() && harmless(ran), (ran.output + ran.error).c_str());

        QVERIFY(program({"--quiet", "corpus", "sample", "--task", "spmv", "--family", "S1", "-n", "1",
                         "--out", "k"})
                    .status.ok());
        const fs::path kernel = *fs::directory_iterator(folder() / "k");
        std::vector<std::string> judging{"judge", kernel.string(), "--device", "sim"};
        for (const std::string& file : files)
            judging.insert(judging.end(), {"--matrix", file});
        ran = program(judging);
        QVERIFY2(ran.status.ok() && harmless(ran), (ran.output + ran.error).c_str());
        QCOMPARE(QByteArray::fromStdString(ran.output).count(" correct "), qsizetype(names.size()));
        for (std::size_t i = 0; i < names.size(); i += 7) {
            ran = program({"export", "--program", kernel.string(), "--matrix", files[i], "--out",
                           "bundle" + std::to_string(i)});
            QVERIFY2(ran.status.ok() && harmless(ran), (files[i] + ran.output + ran.error).c_str());
        }
        QVERIFY(!fs::exists(folder() / "pwned"));
        // What is no file is said in one sentence.
        fs::create_directories(folder() / "x.smtx");
        QCOMPARE(::mkfifo((folder() / "pipe.mtx").c_str(), 0600), 0);
        for (const char* path : {"x.smtx", "pipe.mtx", "/dev/null", "/dev/zero", "gone\n.mtx"}) {
            for (const char* command : {"import", "features"}) {
                ran = program({command, path});
                QVERIFY2(ran.status.code == 1 && harmless(ran) && failures(ran) == 1, ran.error.c_str());
            }
        }
    }

    /// What is below a folder is imported; one line says what is passed over and why.
    void foldersAreImported()
    {
        const fs::path at = folder() / "folders", in = at / "in";
        fs::create_directories(in / "sub");
        QVERIFY(test::writePlainly(in / "a.mtx", test::numberedMatrix(1)));
        QVERIFY(test::writePlainly(in / "sub/b.mtx", test::numberedMatrix(2)));
        QVERIFY(test::writePlainly(in / "sub/notes.txt", "no matrix"));
        const auto import = [&](const std::vector<std::string>& words) {
            SpawnOptions options;
            options.argv = {SPARSERL_BIN_DIR "/sparserl", "--quiet", "import"};
            options.argv.insert(options.argv.end(), words.begin(), words.end());
            options.workingDirectory = at;
            auto ran = runToEnd(options, {}, 300);
            if (!ran)
                qFatal("%s", ran.error().sentence().c_str());
            return std::move(*ran);
        };
        auto ran = import({"in"});
        QVERIFY2(ran.status.ok() && ran.error.empty(), ran.error.c_str());
        QVERIFY(ran.output.find("in/a.mtx: ") != std::string::npos &&
                ran.output.find("in/sub/b.mtx: ") != std::string::npos);
        // Where nothing is left, one sentence says why.
        fs::create_directories(at / "pipes");
        QCOMPARE(::mkfifo((at / "pipes/p.mtx").c_str(), 0600), 0);
        ran = import({"pipes"});
        QCOMPARE(ran.status.code, 1);
        QCOMPARE(ran.error, std::string("sparserl: pipes: nothing is left to import: passed over: p.mtx "
                                        "(this is a named pipe, not a file)\n"));
        // What holds no matrix is no failure, one bad file is.
        fs::create_directory_symlink("/", in / "everything");
        fs::create_symlink("/dev/zero", in / "zero.mtx");
        fs::create_symlink("nowhere", in / "gone.mtx");
        QCOMPARE(::mkfifo((in / "pipe.mtx").c_str(), 0600), 0);
        ran = import({"in"});
        QVERIFY2(ran.status.ok(), ran.error.c_str());
        QCOMPARE(ran.error,
                 std::string("sparserl: warning: in: passed over: everything (a link to a folder), "
                             "gone.mtx (a link that leads nowhere), pipe.mtx (this is a named "
                             "pipe, not a file), zero.mtx (this is a device, not a file)\n"));
        QVERIFY(test::writePlainly(in / "bad.mtx", "bad"));
        QCOMPARE(import({"in"}).status.code, 1);
        fs::remove(in / "bad.mtx");
        // A folder that cannot be listed may hold matrices: the rest is imported, and the status says so.
        QVERIFY(test::makeUnlistableFolder(in));
        ran = import({"--json", "in", "in/a.mtx"});
        QVERIFY2(ran.status.code == 1, ran.error.c_str());
        QVERIFY2(ran.error.find("(cannot look at it: File name too long)") != std::string::npos,
                 ran.error.c_str());
        QCOMPARE(QByteArray::fromStdString(ran.output).count("\"digest\""), 3);
        QCOMPARE(QByteArray::fromStdString(ran.output).count("\"passed_over\""), 1);
        std::error_code code;
        removeTree(in, code);
        QVERIFY(!code);
    }

    /// "lnk/.." is where the kernel goes, and "[x]" is a name.
    void wordsAreTakenAsTyped()
    {
        const fs::path at = folder() / "words";
        fs::create_directories(at / "real/deep");
        fs::create_directory_symlink("real/deep", at / "lnk");
        std::size_t number = 0;
        for (const char* name : {"[x]", "[a,b].mtx", "[a,b]", "[]", "[z]"})
            QVERIFY(test::writePlainly(at / name, test::numberedMatrix(++number)));
        const auto program = [&](const std::vector<std::string>& words) {
            SpawnOptions options;
            options.argv = {SPARSERL_BIN_DIR "/sparserl", "--quiet"};
            options.argv.insert(options.argv.end(), words.begin(), words.end());
            options.workingDirectory = at;
            auto ran = runToEnd(options, {}, 300);
            if (!ran)
                qFatal("%s", ran.error().sentence().c_str());
            return std::move(*ran);
        };
        QVERIFY(program({"project", "new", "real/p"}).status.ok());
        for (const std::vector<std::string>& words :
             {std::vector<std::string>{"runs", "--project", "lnk/../p"},
              {"runs", "--project=lnk/../p/"},
              {"project", "matrices", "lnk/../p"},
              {"import", "lnk/../../[z]", "--project", "lnk/../p"}}) {
            const auto ran = program(words);
            QVERIFY2(ran.status.ok(), ran.error.c_str());
        }
        QVERIFY(!program({"runs", "--project", "real/../p"}).status.ok()); // there is none beside it
        const auto import = program({"import", "[x]", "[a,b].mtx", "[a,b]", "[]", "--project", "real/p"});
        QVERIFY2(import.status.ok(), import.error.c_str());
        for (const std::vector<std::string>& words : {std::vector<std::string>{"features", "[x]"},
                                                      {"features", "[a,b]", "[]"},
                                                      {"features", "[a,b].mtx"}}) {
            const auto ran = program(words);
            QVERIFY2(ran.status.ok() && ran.output.find(words.back()) != std::string::npos,
                     (ran.output + ran.error).c_str());
        }
        const auto unknown = program({"features", "--[x]"}), missing = program({"features", "[y]"});
        QVERIFY(!unknown.status.ok() && unknown.error.find("\\x02") == std::string::npos);
        QVERIFY2(missing.error.find("[y]") != std::string::npos &&
                     missing.error.find("\\x02") == std::string::npos,
                 missing.error.c_str());
    }

    /// In every command that takes matrices, a word is a file that is there, PACK#NAME or KIND(...), whatever
    /// the project here calls its matrices; else the project's matrix of this name; else a kind of generator.
    void wordsOfMatricesMeanOneThing()
    {
        const fs::path at = folder() / "meant";
        fs::create_directories(at);
        const std::string head = "[project]\nformat = 1\n";
        std::string matrices;
        for (const char* name : {"theirs.mtx", "some.pack#grid", "rmat", "runs", "far"})
            matrices += std::string("[[matrix]]\nname = '") + name + "'\nfile = 'matrices/gone.mtx'\n";
        mustWrite(at / "project.toml", head + matrices);
        mustWrite(at / "theirs.mtx", "no matrix\n");
        fs::create_directories(at / "runs");
        const auto ready = test::shell(
            at, "$SPARSERL --quiet pack --out some.pack 'stencil2d(n=5)' && $SPARSERL --quiet corpus sample "
                "--task spmv --family S1 -n 1 --out one && mv one/*.cu a.cu");
        QVERIFY2(ready.status.ok(), ready.error.c_str());
        const std::string policy = (folder() / "made/runs/0001-sft/checkpoints/step-000004").string();
        const std::vector<std::string> commands{"features M",
                                                "judge a.cu --device sim --matrix M",
                                                "multiply M",
                                                "compare a.cu a.cu --device sim --matrix M",
                                                "bench --device sim --count 1 M",
                                                "export --program a.cu --out b --matrix M",
                                                "pack --out c.pack M",
                                                "corpus recommend M",
                                                "corpus check --matrix M",
                                                "search --device sim --candidates 1 M",
                                                "generate -n 1 --policy " + policy + " --matrix M",
                                                "evaluate -k 1 --policy " + policy + " --matrices M",
                                                "specialise --out e --policy " + policy + " --matrix M"};
        const std::vector<std::pair<std::string, std::string>> words{
            {"theirs.mtx", "theirs.mtx"},           // the file: it is no matrix
            {"some.pack#stencil", "has no matrix"}, // the pack, which lacks it
            {"rmat(scale=x)", "scale"},             // the generator, which has no such scale
            {"rmat", "gone.mtx"},                   // the project's
            {"runs", "gone.mtx"},                   // as a folder is no matrix
            {"far", "gone.mtx"}};
        for (const std::string& command : commands)
            for (const auto& [word, says] : words) {
                std::string line = command;
                line.replace(line.rfind('M'), 1, "'" + word + "'");
                const auto ran =
                    test::shell(at, "SPARSERL_TRUST=all timeout 90 $SPARSERL --quiet " + line, 120);
                QVERIFY2(ran.status.code == 1 && ran.error.find(says) != std::string::npos &&
                             (says == "gone.mtx") == (ran.error.find("gone.mtx") != std::string::npos),
                         (line + "\n" + ran.output + ran.error).c_str());
            }
        // A project that calls a matrix as a generator is not read, and no other matrix is taken instead.
        mustWrite(at / "project.toml", head + "[[matrix]]\nname = 'rmat(scale=4)'\nfile = 'theirs.mtx'\n");
        const auto refused = test::shell(at, "SPARSERL_TRUST=all $SPARSERL features rmat");
        QVERIFY2(refused.status.code == 1 &&
                     refused.error.find("would take for a generator's text") != std::string::npos &&
                     refused.error.find("project.toml:3") != std::string::npos,
                 refused.error.c_str());
        QVERIFY(test::shell(at, "SPARSERL_TRUST=all $SPARSERL --quiet features 'rmat(scale=4)'").status.ok());
    }

    /// A session of commands of somebody with no umask, where an older version left its files for all.
    void settingsAreThisUsersAlone()
    {
        const fs::path config = folder() / "bare/sparserl", home = folder() / "bare";
        fs::create_directories(config);
        QVERIFY(test::writePlainly(config / "allowed-links.lock", "") &&
                test::writePlainly(config / "trusted-projects", "# old\n"));
        for (const fs::path& path : {config, config / "allowed-links.lock", config / "trusted-projects"})
            fs::permissions(path, fs::perms(0777));
        QVERIFY(test::writePlainly(home / "m.mtx", test::numberedMatrix(1)));
        fs::create_directories(home / "scratch");
        SpawnOptions options;
        options.argv = {"/bin/sh", "-c",
                        "umask 000; unset SPARSERL_TRUST; s=" SPARSERL_BIN_DIR
                        "/sparserl; cd \"$1\" && $s project new p && "
                        "rm -rf p/exports && ln -s \"$1/scratch\" p/exports && $s project allow-link "
                        "p/exports && $s project trust p && "
                        "$s --quiet import m.mtx --project p && $s runs --project p",
                        "sh", home.string()};
        options.extraEnvironment = {{"XDG_CONFIG_HOME", home.string()}};
        const auto ran = runToEnd(options, {}, 300);
        QVERIFY2(ran && ran->status.ok(), ran ? ran->error.c_str() : "");
        QCOMPARE(int(fs::status(config).permissions()), 0700);
        std::set<std::string> seen;
        for (const auto& entry : fs::recursive_directory_iterator(config)) {
            QVERIFY2((fs::status(entry.path()).permissions() & fs::perms(0077)) == fs::perms::none,
                     entry.path().c_str());
            seen.insert(entry.path().filename().string());
        }
        QVERIFY(seen.contains("allowed-links") && seen.contains("allowed-links.lock") &&
                seen.contains("trusted-projects") && seen.contains("trusted-projects.lock"));
    }

    /// Making a project trusts its folder, so that it may hold nothing that a stranger made, a run included.
    void projectsAreNotMadeOfStrangersRuns()
    {
        for (const auto& part : fs::directory_iterator(folder() / "made/runs/0001-sft")) {
            fs::remove_all(folder() / "lone");
            fs::create_directories(folder() / "lone");
            const std::string name = part.path().filename().string();
            if (name != "run.toml" && name != "journal.jsonl" && name != "checkpoints")
                continue;
            fs::copy(part.path(), folder() / "lone" / name, fs::copy_options::recursive);
            const auto ran = run("project new lone", "");
            QVERIFY2(ran.status.code == 1 &&
                         ran.error.find("or a run that you have not made") != std::string::npos,
                     (name + ": " + ran.error).c_str());
            QVERIFY(!fs::exists(folder() / "lone/project.toml"));
        }
    }

    void ownProjectsNeedNoTrust()
    {
        auto ran = run("project new mine", "");
        QVERIFY2(ran.status.ok(), ran.error.c_str());
        ran = run("import --generate 'stencil2d(n=5,points=5)' --project mine", "");
        QVERIFY2(ran.status.ok(), ran.error.c_str());
    }
};

QTEST_GUILESS_MAIN(TestCliHostile)
#include "tst_cli_hostile.moc"
