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
