// SPDX-License-Identifier: Apache-2.0
// What a program may still do that reads what a model's program became.
#include "base/files.h"
#include "base/subprocess.h"
#include "compile/sass.h"
#include "evaluation/runners/disassemble.h"
#include "machine/cuda_tools.h"
#include "runner/sandbox_parts.h"

#include <QTemporaryDir>
#include <QtTest>

#include <linux/landlock.h>
#include <set>
#include <sstream>
#include <sys/syscall.h>
#include <unistd.h>

using namespace sparserl;

class ToolSandboxTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void toolCanReadItsInputOnly()
    {
        const QTemporaryDir folder;
        const std::string secret = folder.filePath(QStringLiteral("secret")).toStdString();
        QVERIFY(writeFileAtomic(secret, "a secret"));
        SpawnOptions options;
        options.argv = {SPARSERL_BIN_DIR "/sparserl-runner", "--role", "disassemble", "--tool",
                        SPARSERL_TEST_DIR "/tool_prober"};
        options.output = options.error = StreamEnd::pipe();
        const auto done = runToEnd(options, secret, 20);
        QVERIFY(done);
        QVERIFY2(done->status.ok(), (done->status.sentence() + ": " + done->error).c_str());
        std::set<std::string> could;
        std::istringstream lines(done->output);
        int asked = 0;
        for (std::string line; std::getline(lines, line); ++asked)
            if (line.ends_with(": yes"))
                could.insert(line.substr(0, line.find(':')));
        QCOMPARE(asked, 12);
        if (::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) < 1)
            could.erase("secret"); // only Landlock can take that away
#if SPARSERL_SANITIZED
        could.erase("memory"); // a runner with the sanitizers sets no limit: they map terabytes
#endif
        QVERIFY2(could == std::set<std::string>{"input"}, done->output.c_str());
        QCOMPARE(readFile(secret).value_or(""), std::string("a secret"));
    }

    void whatIsNoToolIsASentence()
    {
        const auto run = [](std::vector<std::string> words) {
            SpawnOptions options;
            words.insert(words.begin(), {SPARSERL_BIN_DIR "/sparserl-runner", "--role", "disassemble"});
            options.argv = std::move(words);
            options.output = options.error = StreamEnd::pipe();
            return runToEnd(options, "x", 20);
        };
        const auto none = run({"--tool", "/nowhere/nvdisasm"});
        QVERIFY(none && none->status.code == 3);
        QVERIFY2(none->error.find("/nowhere/nvdisasm cannot be opened") != std::string::npos,
                 none->error.c_str());
        const auto text = run({"--tool", "/etc/passwd"});
        QVERIFY(text && !text->status.ok() && text->output.empty());
        const auto unnamed = run({});
        QVERIFY(unnamed && unnamed->status.code == 2);
    }

    void garbageIsRefused()
    {
        const auto tool = findCudaTool("nvdisasm");
        if (!tool)
            QSKIP(tool.error().sentence().c_str());
        for (const std::string& cubin : {std::string("no cubin"), std::string("\x7f"
                                                                              "ELF") +
                                                                      std::string(4000, '\xff')}) {
            const auto text = disassemble(SPARSERL_BIN_DIR "/sparserl-runner", cubin);
            QVERIFY(!text || readSass(*text).text.empty());
        }
    }

    // A machine without one says what to install.
    void missingToolSaysWhatToDo()
    {
        const auto tool = findCudaTool("nvdisasm-of-nobody");
        QVERIFY(!tool);
        QVERIFY2(tool.error().remedy.find("PyPI") != std::string::npos, tool.error().remedy.c_str());
    }
};

QTEST_GUILESS_MAIN(ToolSandboxTest)
#include "tool_sandbox_test.moc"
