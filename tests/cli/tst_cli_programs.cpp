// SPDX-License-Identifier: Apache-2.0
// The two programs of the command line: sparserl starts without LibTorch and becomes sparserl-training for
// the commands that need it, and the caller does not notice.
#include "base/json.h"
#include "programs.h"

#include <QTest>
#include <csignal>
#include <fmt/format.h>
#include <set>
#include <sstream>
#include <thread>

using namespace sparserl;
using namespace sparserl::test;
namespace fs = std::filesystem;

namespace {

struct TrainingCommand
{
    const char* name;
    const char* description;
};

constexpr TrainingCommand trainingCommands[] = {
#define SPARSERL_COMMAND(NAME)
#define SPARSERL_TRAINING_COMMAND(NAME, DESCRIPTION) {#NAME, DESCRIPTION},
#include "app/cli/commands.def"
#include "tests/patience.h"
#undef SPARSERL_COMMAND
#undef SPARSERL_TRAINING_COMMAND
};

constexpr const char* training = SPARSERL_BIN_DIR "/sparserl-training";

/// Text with each run of white space as one blank: CLI11 breaks lines.
std::string words(const std::string& text)
{
    std::istringstream in(text);
    std::string all;
    for (std::string word; in >> word;)
        all += (all.empty() ? "" : " ") + word;
    return all;
}

} // namespace

class TestCliPrograms : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_dir = std::make_unique<TempDir>(std::move(*TempDir::create("programs")));
        QVERIFY(writeFileAtomic(folder() / "small.mtx", "%%MatrixMarket matrix coordinate real general\n"
                                                        "3 3 3\n1 1 1\n2 2 2\n3 3 3\n"));
    }

    /// The command that tests/tools/compare_tokenizers.py compares, with the tokens of the fixture.
    void countsTokens()
    {
        const fs::path published = SPARSERL_SOURCE_DIR "/tests/policy/fixtures/published";
        fs::create_directories(folder() / "model");
        fs::copy_file(published / "qwen2.json", folder() / "model/tokenizer.json");
        QVERIFY(writeJson(folder() / "model/tokenizer_config.json", {{"eos_token", "<|im_end|>"}}));
        const auto texts = readJson(published / "texts.json"),
                   rows = readJson(published / "qwen2_encoded.json");
        QVERIFY(texts && rows);
        std::string lines;
        for (const auto& text : *texts)
            lines += dumpJson(text) + "\n";
        QVERIFY(writeFileAtomic(folder() / "lines", lines));
        for (const bool named : {false, true}) {
            const auto output = shell(folder(), std::string("$SPARSERL policy tokens model lines --lines") +
                                                    (named ? " --names" : ""));
            std::istringstream in(output.output);
            std::string line;
            std::size_t count = 0;
            for (; std::getline(in, line); ++count) {
                const auto& row = (*rows)[count];
                QVERIFY2(line == dumpJson(row[named && row.contains("named") ? "named" : "ids"]),
                         line.c_str());
            }
            QCOMPARE(count, texts->size());
        }
        const auto whole = shell(folder(), "printf 'a b' >text; $SPARSERL policy tokens model text");
        QVERIFY2(whole.output.starts_with("text: 3 tokens of ") && whole.output.ends_with(" for 3 bytes\n"),
                 whole.output.c_str());
        const auto wrong =
            shell(folder(), "printf '\"a\"\\n7\\n' >text; $SPARSERL policy tokens model text --lines");
        QVERIFY2(wrong.error.starts_with("sparserl: text:2: this line is not a JSON string"),
                 wrong.error.c_str());
    }

    void refusalsLeaveNoFolder_data()
    {
        QTest::addColumn<QString>("words");
        // Names that cannot be on the list of trusted projects or are too long, matrices and policies that
        // cannot be read, words that are refused.
        for (const char* words :
             {"project new $'new/line\\nbreak'", "project new new/$LONG",
              "specialise --policy policy --matrix small.mtx --out $'new/a\\nb'",
              "specialise --policy policy --matrix bad.mtx --out new/specialised",
              "specialise --policy policy --matrix nothing --out new/specialised",
              "policy import small --out new/policy",
              "policy import " SPARSERL_SOURCE_DIR "/tests/policy/fixtures/codet5/tied --out new/$LONG",
              "train quickstart-sft --project none --run new/runs/r", "export bad.mtx --out new/bundle",
              "export --program bad.mtx --matrix small.mtx --out new/bundle",
              "generate --policy none --matrix small.mtx -n 1 --out new/programs",
              "generate --policy policy --matrix bad.mtx -n 1 --no-judge --out new/programs",
              "corpus sample --family none --out new/programs", "corpus sample --out new/$LONG",
              "pack bad.mtx --out new/one/pack.bin", "pack small.mtx --out new/$LONG",
              "corpus scan small.mtx --out new/texts", "bench --matrix bad.mtx --out new/winners",
              "search bad.mtx --out new/records"})
            QTest::newRow(words) << words;
    }

    /// What a command makes for something that is then refused goes again.
    void refusalsLeaveNoFolder()
    {
        QFETCH(QString, words);
        if (!fs::exists(folder() / "policy")) {
            const auto made = shell(folder(), "$SPARSERL policy import " SPARSERL_SOURCE_DIR
                                              "/tests/policy/fixtures/codet5/tied --out policy");
            QVERIFY2(made.status.ok(), made.error.c_str());
        }
        fs::remove_all(folder() / "new");
        QVERIFY(
            writeFileAtomic(folder() / "bad.mtx", "%%MatrixMarket matrix coordinate real general\n9 9 9\n"));
        const auto output = shell(folder(), "unset SPARSERL_TRUST; export XDG_CONFIG_HOME=$PWD/config; "
                                            "LONG=$(printf 'x%.0s' {1..300}); $SPARSERL " +
                                                words.toStdString());
        QVERIFY(!output.status.ok());
        QVERIFY2(!output.error.empty(), output.output.c_str());
        QVERIFY2(!fs::exists(folder() / "new"), output.error.c_str());
    }

    /// What the loader maps before main(), of the program and of all that its libraries need.
    /// One habit for wrong names in a list: nothing starts, and everything that is wrong is named.
    void wrongNamesInLists_data()
    {
        QTest::addColumn<QString>("words");
        for (const char* words :
             {"features good%sgoood%snosuch", "judge k.cu --matrix good%sgoood%snosuch",
              "bench good%sgoood%snosuch --csv new.csv", "pack good%sgoood%snosuch --out new.pack",
              "search good%sgoood%snosuch --run new", "corpus recommend good%sgoood%snosuch --out new",
              "project matrices --held-out good%sgoood%snosuch",
              "evaluate --policy policy --matrices good%sgoood%snosuch --run new"})
            for (const char* between : {" ", ","})
                QTest::addRow("%s", qPrintable(QString::fromLatin1(words).replace(QLatin1String("%s"),
                                                                                  QLatin1String(between))))
                    << QString::fromLatin1(words).replace(QLatin1String("%s"), QLatin1String(between));
    }
    void wrongNamesInLists()
    {
        QFETCH(QString, words);
        const fs::path project = folder() / "lists";
        if (!fs::exists(project)) {
            const auto made = shell(folder(), "cp small.mtx good.mtx; $SPARSERL project new lists && "
                                              "cd lists && $SPARSERL import ../good.mtx --project . && "
                                              "printf 'int x;' >k.cu");
            QVERIFY2(fs::exists(project / "project.toml"), made.error.c_str());
        }
        const std::string before = *readFile(project / "project.toml");
        const auto said = shell(project, "$SPARSERL " + words.toStdString());
        QVERIFY2(said.error.find("good") != std::string::npos &&
                     said.error.find("nosuch") != std::string::npos,
                 said.error.c_str());
        QVERIFY2(said.error.find("Did you mean good?") != std::string::npos, said.error.c_str());
        QVERIFY2(said.output.empty(), said.output.c_str());
        QVERIFY(!fs::exists(project / "new") && !fs::exists(project / "new.csv"));
        QCOMPARE(*readFile(project / "project.toml"), before);
    }

    void namesMayBeSeparatedByCommas()
    {
        const auto both = shell(folder(), "$SPARSERL features small.mtx,'stencil2d(n=3,points=5)'");
        QVERIFY2(both.output.find("small.mtx") != std::string::npos &&
                     both.output.find("stencil2d(n=3,points=5)") != std::string::npos,
                 both.error.c_str());
        fs::copy_file(folder() / "small.mtx", folder() / "a,b.mtx");
        const auto whole = shell(folder(), "$SPARSERL features a,b.mtx");
        QVERIFY2(whole.output.find("a,b.mtx") != std::string::npos, whole.error.c_str());
    }

    void startsWithoutLibTorch()
    {
        const auto listed = [&](const char* program) {
            const auto output = shell(folder(), fmt::format("LD_TRACE_LOADED_OBJECTS=1 {}", program));
            return output.status.ok() ? output.output : std::string();
        };
        const std::string light = listed("$SPARSERL");
        QVERIFY2(light.find("libc.so") != std::string::npos, light.c_str()); // it is what it seems to be
        // Not gomp: Debian's muParser needs it, as LibTorch does.
        for (const char* library :
             {"torch", "libc10", "libcuda", "libcublas", "libcusparse", "libcudnn", "libnv", "Qt"})
            QVERIFY2(light.find(library) == std::string::npos, light.c_str());
        QVERIFY(listed(training).find("libtorch_cpu.so") != std::string::npos);
    }

    /// Nor is anything opened by name later.
    void featuresOpensNoLibrary()
    {
        const auto output =
            shell(folder(), "LD_DEBUG=files LD_DEBUG_OUTPUT=loader $SPARSERL features small.mtx && "
                            "cat loader.*");
        QVERIFY2(output.status.ok(), output.error.c_str());
        QVERIFY(output.output.find("calling init") != std::string::npos);
        QVERIFY2(output.output.find("dynamically loaded by") == std::string::npos, output.output.c_str());
    }

    void helpListsEveryCommand()
    {
        const auto help = shell(folder(), "$SPARSERL --help");
        QCOMPARE(help.status.code, 0);
        const std::string text = words(help.output.substr(help.output.find("Subcommands:")));
        for (const TrainingCommand& command : trainingCommands)
            QVERIFY2(text.find(fmt::format(" {} {}", command.name, command.description)) != std::string::npos,
                     command.name);
        const auto direct = shell(folder(), std::string(training) + " --help");
        QCOMPARE(direct.status.code, 0);
        for (const TrainingCommand& command : trainingCommands)
            QVERIFY2(words(direct.output).find(fmt::format(" {} {}", command.name, command.description)) !=
                         std::string::npos,
                     command.name);
        QVERIFY(direct.output.find("\n  features ") == std::string::npos);
    }

    void everyTrainingCommandHelps_data()
    {
        QTest::addColumn<int>("command");
        for (int i = 0; i < static_cast<int>(std::size(trainingCommands)); ++i)
            QTest::newRow(trainingCommands[i].name) << i;
    }

    void everyTrainingCommandHelps()
    {
        QFETCH(int, command);
        const auto [name, description] = trainingCommands[command];
        const auto help = shell(folder(), fmt::format("$SPARSERL {} --help", name));
        QCOMPARE(help.status.code, 0);
        QCOMPARE(help.error, std::string());
        QVERIFY2(
            words(help.output).starts_with(fmt::format("{} Usage: sparserl {} [OPTIONS]", description, name)),
            help.output.c_str());
        QCOMPARE(shell(folder(), fmt::format("{} {} --help", training, name)).output, help.output);
        QCOMPARE(shell(folder(), fmt::format("$SPARSERL --help {}", name)).output, help.output);
        const auto json =
            parseJson(shell(folder(), fmt::format("$SPARSERL --quiet {} --json --help", name)).output);
        QVERIFY(json && (*json)["help"] == help.output);
    }

    /// Wherever the options stand that all commands have.
    void globalOptions()
    {
        const auto plain = shell(folder(), "$SPARSERL train --list");
        QCOMPARE(plain.status.code, 0);
        QVERIFY(plain.output.find("quickstart-sft") != std::string::npos);
        const auto json = shell(folder(), "$SPARSERL --json train --list");
        QCOMPARE(json.status.code, 0);
        QVERIFY2(json.output.starts_with("{\"description\":"), json.output.c_str());
        for (const char* line : {"--quiet --json train --list", "train --json --list", "train --list --json",
                                 "--json --quiet train --list", "train --quiet --list --json"})
            QCOMPARE(shell(folder(), std::string("$SPARSERL ") + line).output, json.output);
        for (const char* line : {"--quiet train --list", "train --list --quiet"})
            QCOMPARE(shell(folder(), std::string("$SPARSERL ") + line).output, plain.output);
        const auto version = shell(folder(), "$SPARSERL --version");
        QCOMPARE(shell(folder(), "$SPARSERL train --version").output, version.output);
    }

    void statusesAndErrorsPassThrough_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("contains");
        const auto row = [](const char* arguments, int status, const char* contains) {
            QTest::newRow(arguments) << QString::fromLatin1(arguments) << status
                                     << QString::fromLatin1(contains);
        };
        row("train no-such-preset --parameters", 1, "no-such-preset");
        row("train --nproc many", 2, "--nproc");
        row("train --no-such-option", 2, "--no-such-option");
        row("worker", 2, "RUNDIR is required");
        row("judge --matrix small.mtx b.cu --device sim", 1, "cannot read the file"); // no b.cu is there
        row("worker nowhere", 1, "nowhere");
        row("policy", 2, "subcommand is required");
        row("generate --policy nowhere --matrix small.mtx", 1, "nowhere");
        row("ablate table-none", 1, "table-none");
        // The first word that is a command decides, as long as all of it is one.
        row("oddity train --list", 2, "oddity");
        row("-- train --list", 2, "subcommand is required");
        row("tra --list", 2, "Did you mean train?");
        row("control pasue", 2, "Did you mean pause?");
        row("pause x", 2, "`sparserl control` has it");
        row("generate --policy defualt --matrix small.mtx", 1, "Did you mean default?");
    }

    void statusesAndErrorsPassThrough()
    {
        QFETCH(QString, arguments);
        QFETCH(int, status);
        QFETCH(QString, contains);
        const std::string line = arguments.toStdString(), said = contains.toStdString();
        const auto plain = shell(folder(), "$SPARSERL " + line);
        QVERIFY2(plain.status.code == status && plain.error.find(said) != std::string::npos,
                 (plain.status.sentence() + "\n" + plain.output + plain.error).c_str());
        QCOMPARE(plain.output, std::string());
        const auto json = shell(folder(), "$SPARSERL --json " + line);
        QCOMPARE(json.status.code, status);
        const auto read = parseJson(json.output);
        QVERIFY2(read && !(*read)["error"]["what"].get<std::string>().empty() &&
                     json.output.find(said) != std::string::npos,
                 json.output.c_str());
    }

    void whereTheFolderIsGone()
    {
        const auto output =
            shell(folder(), "mkdir gone && cd gone && rmdir ../gone && $SPARSERL --json train --list");
        QCOMPARE(output.status.code, 1);
        QVERIFY(output.error.find("working folder") != std::string::npos);
        QVERIFY(parseJson(output.output).has_value());
    }

    /// The sentence where the other program is missing or cannot be started; all other commands go on.
    void withoutTheTrainingProgram()
    {
        const fs::path bin = folder() / "bin";
        fs::create_directories(bin);
        fs::copy_file(SPARSERL_BIN_DIR "/sparserl", bin / "sparserl");
        const auto missing = shell(folder(), "bin/sparserl train --list");
        QCOMPARE(missing.status.code, 1);
        QCOMPARE(missing.output, std::string());
        QVERIFY2(missing.error.find(
                     "sparserl: " + (bin / "sparserl-training").string() +
                     ": the program sparserl-training, which runs `sparserl train`, is not next to this "
                     "one. Build the target sparserl-training, or reinstall the package\n") == 0,
                 missing.error.c_str());
        const auto json = shell(folder(), "bin/sparserl worker x --json 2>/dev/null");
        QCOMPARE(json.status.code, 1);
        const auto read = parseJson(json.output);
        QVERIFY2(read && (*read)["error"]["what"].get<std::string>().find("`sparserl worker`") !=
                             std::string::npos,
                 json.output.c_str());
        QVERIFY(shell(folder(), "bin/sparserl features small.mtx && bin/sparserl --help").status.ok());
        const auto doctor = shell(folder(), "bin/sparserl doctor");
        QVERIFY2(
            doctor.output.find("missing  LibTorch: The program sparserl-training is not beside this one") !=
                std::string::npos,
            doctor.output.c_str());

        QVERIFY(writeFileAtomic(bin / "sparserl-training", "#!/bin/sh\nexit 7\n"));
        const auto refused = shell(folder(), "bin/sparserl train --list");
        QCOMPARE(refused.status.code, 1);
        QVERIFY2(refused.error.find("cannot be started: Permission denied") != std::string::npos,
                 refused.error.c_str());
        const auto other = shell(folder(), "chmod 755 bin/sparserl-training; bin/sparserl train --list");
        QCOMPARE(other.status.code, 7);
        const auto broken = shell(folder(), "bin/sparserl doctor");
        QVERIFY2(broken.output.find("broken   LibTorch: The training program does not start") !=
                     std::string::npos,
                 broken.output.c_str());
    }

    /// A link somewhere else does not lose the way.
    void throughALink()
    {
        const auto output = shell(folder(), "ln -s $SPARSERL linked && ./linked train --list");
        QVERIFY2(output.status.ok(), output.error.c_str());
    }

    void doctorNamesLibTorch()
    {
        std::istringstream lines(shell(folder(), "$SPARSERL --json doctor").output);
        int found = 0;
        for (std::string line; std::getline(lines, line);) {
            const auto json = parseJson(line);
            QVERIFY2(json.has_value(), line.c_str());
            if ((*json)["key"] != "libtorch")
                continue;
            ++found;
            QCOMPARE((*json)["level"].get<std::string>(), std::string("ok"));
            QVERIFY2((*json)["detail"].get<std::string>().ends_with("/libtorch_cpu.so"), line.c_str());
            QVERIFY(fs::exists((*json)["detail"].get<std::string>()));
        }
        QCOMPARE(found, 1);
    }

    void signalsWhileItBecomesTheOther_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("SIGINT") << SIGINT;
        QTest::newRow("SIGTERM") << SIGTERM;
        QTest::newRow("SIGHUP") << SIGHUP;
    }

    /// While the loader still reads LibTorch, before any code of ours runs: it waits, and then ends with 130.
    void signalsWhileItBecomesTheOther()
    {
        QFETCH(int, signal);
        int early = 0;
        for (int round = 0; round < 6; ++round) {
            auto process = started("exec $SPARSERL train --list >listed");
            const auto status = signalledAsTraining(process, signal, std::chrono::milliseconds(4 * round));
            QVERIFY2(!status.signalled && (status.code == 130 || status.code == 0),
                     status.sentence().c_str());
            early += status.code == 130 ? 1 : 0;
            if (round == 0)
                QCOMPARE(status.code, 130);
        }
        QVERIFY(early >= 3);
    }

    /// What the caller ignores stays ignored, as nohup wants it.
    void nohupHolds()
    {
        auto process = started("trap '' HUP; exec $SPARSERL train --list >listed");
        const auto status = signalledAsTraining(process, SIGHUP, {});
        QVERIFY2(status.ok(), status.sentence().c_str());
    }

    /// What it starts itself does not inherit what was for it alone.
    void leavesNoTraceInTheEnvironment()
    {
        const fs::path bin = folder() / "traced";
        fs::create_directories(bin);
        fs::copy_file(SPARSERL_BIN_DIR "/sparserl", bin / "sparserl");
        QVERIFY(writeFileAtomic(bin / "sparserl-training", "#!/bin/sh\nenv\n"));
        const auto before = shell(folder(), "chmod 755 traced/*; traced/sparserl train");
        QVERIFY(before.output.find("SPARSERL_HELD_SIGNALS=2 15 1 \n") != std::string::npos);
        QVERIFY(writeFileAtomic(bin / "sparserl-runner", "#!/bin/sh\nenv >told\nexit 1\n"));
        const auto after = shell(folder(), "rm traced/sparserl-training; chmod 755 traced/*; "
                                           "SPARSERL_HELD_SIGNALS='2 ' traced/sparserl doctor; cat told");
        QVERIFY(after.output.find("PATH=") != std::string::npos);
        QVERIFY2(after.output.find("SPARSERL_HELD_SIGNALS") == std::string::npos, after.output.c_str());
    }

private:
    Subprocess started(const std::string& line) const { return startShell(folder(), line); }

    /// Signals a process `delay` after it has become the training program; how it ended.
    static ExitStatus signalledAsTraining(Subprocess& process, int signal, std::chrono::milliseconds delay)
    {
        const std::string link = fmt::format("/proc/{}/exe", process.pid());
        std::error_code ignored;
        while (fs::read_symlink(link, ignored).filename() != "sparserl-training" && !process.poll())
            std::this_thread::yield();
        std::this_thread::sleep_for(delay);
        ::kill(process.pid(), signal);
        const auto status = process.wait(test::patienceSeconds());
        if (!status)
            qFatal("it does not end");
        return *status;
    }

    const fs::path& folder() const { return m_dir->path(); }
    std::unique_ptr<TempDir> m_dir;
};

QTEST_GUILESS_MAIN(TestCliPrograms)
#include "tst_cli_programs.moc"
