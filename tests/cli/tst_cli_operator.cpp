// SPDX-License-Identifier: Apache-2.0
// Folders of tasks, imported as users do: no task takes the place of another, what an earlier import wrote
// goes, and nothing else is touched.
#include "programs.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <set>

using namespace sparserl;
using namespace sparserl::test;
namespace fs = std::filesystem;

namespace {

std::string task(const std::string& result)
{
    return "import torch\n\nN = 128\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        "
           "return " +
           result +
           "\n\ndef get_inputs():\n    return [torch.rand(N, N)]\n\ndef get_init_inputs():\n    return []\n";
}

} // namespace

class TestCliOperator : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        if (!shell(folder(), "/usr/bin/python3 -c 'import torch'", 120).status.ok())
            QSKIP("/usr/bin/python3 has no PyTorch (python3-torch)");
    }

    void foldersKeepTasksApart()
    {
        QVERIFY(writeFileAtomic(folder() / "tasks/a.py", task("torch.relu(x)")));
        QVERIFY(writeFileAtomic(folder() / "tasks/sub/a.py", task("torch.tanh(x)")));
        fs::create_directory_symlink("..", folder() / "tasks/sub/up"); // leads back
        const auto first = import("tasks --out graphs");
        QVERIFY2(first.status.ok(), first.error.c_str());
        QCOMPARE(names("graphs"), (std::set<std::string>{"a", "sub__a"}));
        QVERIFY(readFile(folder() / "graphs/a/base.json")->find("relu") != std::string::npos);
        QVERIFY(readFile(folder() / "graphs/sub__a/base.json")->find("tanh") != std::string::npos);
        QVERIFY(fs::exists(folder() / "graphs/a/odd1.json"));

        // The task is another now, and has one size.
        std::string smaller = task("x * 2");
        smaller.replace(smaller.find("N = 128"), 7, "N = 7");
        QVERIFY(writeFileAtomic(folder() / "tasks/a.py", smaller));
        QVERIFY(import("tasks/a.py --out graphs").status.ok());
        QVERIFY(readFile(folder() / "graphs/a/base.json")->find("mul") != std::string::npos);
        QVERIFY(!fs::exists(folder() / "graphs/a/odd1.json"));
    }

    void otherFoldersAreLeftAlone()
    {
        QVERIFY(writeFileAtomic(folder() / "one.py", task("torch.relu(x)")));
        fs::create_directories(folder() / "victim");
        fs::create_directories(folder() / "linked");
        fs::create_directory_symlink("../victim", folder() / "linked/one");
        QCOMPARE(import("one.py --out linked").status.code, 1);
        QVERIFY(names("victim").empty());
        QVERIFY(writeFileAtomic(folder() / "own/one/notes.txt", "mine"));
        const auto refused = import("one.py --out own");
        QCOMPARE(refused.status.code, 1);
        QVERIFY2(refused.error.find("no earlier import") != std::string::npos, refused.error.c_str());
        QCOMPARE(names("own/one"), std::set<std::string>{"notes.txt"});
    }

    /// The graph is run once, and compared with what the task returned.
    void comparedWithTheTask()
    {
        QVERIFY(writeFileAtomic(folder() / "deaf.py", task("torch.relu(x - 9)")));
        const auto flagged = import("deaf.py --out flagged");
        QVERIFY2(flagged.status.ok(), flagged.error.c_str());
        QVERIFY2(flagged.output.find("All elements of out are equal: a constant would pass.") !=
                     std::string::npos,
                 flagged.output.c_str());
        QVERIFY2(flagged.output.find("No output reacts to the values of x") != std::string::npos,
                 flagged.output.c_str());
        const auto lies = import(SPARSERL_SOURCE_DIR "/tests/operator/tasks/lies.py --out lies");
        QCOMPARE(lies.status.code, 1);
        QVERIFY2(lies.error.find("does not compute what the task returned: out differs by 0.5 of its largest "
                                 "magnitude (size base)") != std::string::npos,
                 lies.error.c_str());
        QVERIFY(!fs::exists(folder() / "lies/lies"));
    }

    /// Of a checkout, only the tasks are imported, in the order of their numbers; what else lies there is not
    /// run.
    void checkoutsOfKernelBench()
    {
        for (const char* name : {"1_relu", "2_tanh", "10_abs"}) {
            const std::string op = std::string(name).substr(std::string(name).find('_') + 1);
            QVERIFY(writeFileAtomic(folder() / "kb/KernelBench/level1" / (std::string(name) + ".py"),
                                    task("torch." + op + "(x)")));
        }
        QVERIFY(writeFileAtomic(folder() / "kb/KernelBench/level2/1_sum.py", task("torch.relu(x).sum()")));
        QVERIFY(writeFileAtomic(folder() / "kb/KernelBench/changelog/old.py", "no task"));
        QVERIFY(writeFileAtomic(folder() / "kb/scripts/eval.py", "no task"));
        const auto all = import("kb --out kbg");
        QVERIFY2(all.status.ok(), (all.output + all.error).c_str());
        QCOMPARE(names("kbg"), (std::set<std::string>{"level1__1_relu", "level1__2_tanh", "level1__10_abs",
                                                      "level2__1_sum"}));
        const auto two = all.output.find("2_tanh"), ten = all.output.find("10_abs");
        QVERIFY(two != std::string::npos && ten != std::string::npos && two < ten);
        QVERIFY2(all.output.find("level1: 3 of 3 tasks imported") != std::string::npos, all.output.c_str());
        QVERIFY2(all.output.find("level2: 1 of 1 task imported") != std::string::npos, all.output.c_str());
        const auto second = import("kb --level 2 --out kb2");
        QVERIFY2(second.status.ok(), second.error.c_str());
        QCOMPARE(names("kb2"), std::set<std::string>{"level2__1_sum"});
        const auto none = import("kb --level 3 --out kb3");
        QVERIFY(none.status.code == 1 && none.error.find("there is no task") != std::string::npos);
        const auto other = import("kb/scripts --level 1 --out kb4");
        QVERIFY2(other.status.code == 1 &&
                     other.error.find("no checkout of KernelBench") != std::string::npos,
                 other.error.c_str());
    }

    void tasksInYml()
    {
        const auto one = import(SPARSERL_SOURCE_DIR "/tests/operator/tasks/scaled_sum/task.yml --out yml");
        QVERIFY2(one.status.ok(), (one.output + one.error).c_str());
        QCOMPARE(names("yml"), std::set<std::string>{"scaled_sum"});
        QVERIFY(names("yml/scaled_sum").contains("full.json"));
        // Beside such files lie parts of tasks, which are none.
        fs::create_directories(folder() / "yml-set");
        fs::copy(SPARSERL_SOURCE_DIR "/tests/operator/tasks/scaled_sum", folder() / "yml-set/scaled_sum",
                 fs::copy_options::recursive);
        QVERIFY(writeFileAtomic(folder() / "yml-set/eval.py", "no task"));
        const auto set = import("yml-set --out yml2");
        QVERIFY2(set.status.ok(), (set.output + set.error).c_str());
        QCOMPARE(names("yml2"), std::set<std::string>{"scaled_sum"});
    }

    void madeTasks()
    {
        const auto made = shell(folder(), "$SPARSERL --quiet operator synthesize made -n 3 --seed 5", 120);
        QVERIFY2(made.status.ok(), (made.output + made.error).c_str());
        QVERIFY2(made.output.find("      3 kept\n") != std::string::npos, made.output.c_str());
        QCOMPARE(names("made").size(), std::size_t(3));
        for (const std::string& one : names("made")) {
            const auto ran =
                shell(folder(), "$SPARSERL operator run made/" + one + "/odd3.json --seed 8", 60);
            QVERIFY2(ran.status.ok(), ran.error.c_str());
        }
        // The same tasks again, whatever time they took; with these held out, others.
        QVERIFY(
            shell(folder(), "$SPARSERL --quiet operator synthesize again -n 3 --seed 5", 120).status.ok());
        QVERIFY(shell(folder(), "diff -r -x task.json made again", 20).status.ok());
        const auto others = shell(
            folder(), "$SPARSERL --quiet operator synthesize others -n 2 --seed 5 --held-out own=made", 120);
        QVERIFY2(others.output.find(" too similar to a task of own\n") != std::string::npos,
                 others.output.c_str());
        for (const char* wrong : {"--mixture 1,2", "--mixture 0,0,0,0,0", "--least-ms 5 --most-ms 1", "-n 0",
                                  "--mixture 1,1,1,1,-1"})
            QCOMPARE(
                shell(folder(), std::string("$SPARSERL operator synthesize wrong ") + wrong, 20).status.code,
                2);
        const auto impossible = shell(
            folder(), "$SPARSERL --quiet operator synthesize none -n 1 --least-ms 1e8 --most-ms 1e9", 60);
        QVERIFY2(impossible.status.code == 1 &&
                     impossible.error.find("only 0 of 1 task passed") != std::string::npos,
                 impossible.error.c_str());
    }

private:
    fs::path folder() const { return m_dir.path().toStdString(); }
    RunOutput import(const std::string& words) const
    {
        return shell(folder(), "$SPARSERL --quiet operator import " + words, 120);
    }
    std::set<std::string> names(const std::string& place) const
    {
        std::set<std::string> all;
        for (const auto& entry : fs::directory_iterator(folder() / place))
            all.insert(entry.path().filename().string());
        return all;
    }

    QTemporaryDir m_dir;
};

QTEST_GUILESS_MAIN(TestCliOperator)
#include "tst_cli_operator.moc"
