// SPDX-License-Identifier: Apache-2.0
// Tasks as programs are judged on them: which graphs of a folder are read.
#include "base/files.h"
#include "graph_texts.h"
#include "operator/import/operator_task.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <set>
#include <string>

using namespace sparserl;
using namespace sparserl::tests;
namespace fs = std::filesystem;

namespace {

std::string relu(const std::string& size, const std::string& shape = "[2, 3]", const std::string& input = "x")
{
    auto graph = oneNode("relu", R"([{"v": 0}])", shape, shape);
    graph["size"] = size;
    graph["inputs"][0]["name"] = input;
    return graph.dump();
}

std::set<std::string> othersOf(const OperatorTask& task)
{
    std::set<std::string> names;
    for (const OperatorSize& other : task.others)
        names.insert(other.graph.size);
    return names;
}

} // namespace

class TestOperatorTask : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void foldersOfTasks()
    {
        write("task/base.json", relu("base"));
        write("task/odd1.json", relu("odd1", "[3, 4]"));
        write("task/full.json", relu("full", "[2000, 3000]"));
        write("task/other.json", relu("other", "[3, 4]", "y"));
        write("task/flat.json", relu("flat", "[3]"));
        write("task/task.json", "{}");
        const auto task = readOperatorTask(m_folder / "task");
        QVERIFY2(task.has_value(), task ? "" : task.error().sentence().c_str());
        QCOMPARE(task->own.graph.size, std::string("base"));
        QCOMPARE(othersOf(*task), std::set<std::string>{"odd1"});
        const auto one = readOperatorTask(m_folder / "task/odd1.json");
        QVERIFY(one && one->own.graph.size == "odd1");
        QCOMPARE(othersOf(*one), std::set<std::string>{"base"});
        fs::remove(m_folder / "task/task.json"); // These graphs may have nothing to do with each other.
        const auto alone = readOperatorTask(m_folder / "task/odd1.json");
        QVERIFY(alone && alone->others.empty());
    }

    void storedTensors()
    {
        HostTensor two = emptyTensor({TensorElement::F32, {2, 3}, {}});
        setElement(two, 4, 2);
        write("stored/own.json", relu("own"));
        write("stored/own.safetensors", formatTensors({{"x", two}}));
        const auto task = readOperatorTask(m_folder / "stored");
        QVERIFY2(task.has_value(), task ? "" : task.error().sentence().c_str());
        QCOMPARE(elementOf(task->own.stored.at("x"), 4), 2.0);
        write("stored/own.safetensors", "no tensors");
        const auto damaged = readOperatorTask(m_folder / "stored");
        QVERIFY(!damaged && damaged.error().sentence().find("own.safetensors") != std::string::npos);
    }

    void whatIsNoTask_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("reason");
        QTest::newRow("empty") << "none"
                               << "has no graph of an operator task";
        QTest::newRow("several") << "several"
                                 << "has several graphs, and none is base.json";
        QTest::newRow("many") << "many"
                              << "more graphs than a task has sizes";
        QTest::newRow("missing") << "nowhere.json"
                                 << "nowhere.json";
        QTest::newRow("text") << "text/base.json"
                              << "text/base.json";
    }
    void whatIsNoTask()
    {
        write("none/task.json", "{}");
        for (const char* name : {"a", "b"})
            write(std::string("several/") + name + ".json", relu(name));
        for (int i = 0; i < 9; ++i)
            write("many/" + std::to_string(i) + ".json", relu("s"));
        write("text/base.json", "no graph");
        QFETCH(const QString, path);
        QFETCH(const QString, reason);
        const auto task = readOperatorTask(m_folder / path.toStdString());
        QVERIFY(!task);
        QVERIFY2(QString::fromStdString(task.error().sentence()).contains(reason),
                 task.error().sentence().c_str());
    }

private:
    void write(const std::string& file, const std::string& text) const
    {
        fs::create_directories((m_folder / file).parent_path());
        if (const auto written = writeFileAtomic(m_folder / file, text); !written)
            qFatal("%s", written.error().sentence().c_str());
    }

    const QTemporaryDir m_made;
    const fs::path m_folder{m_made.path().toStdString()};
};

QTEST_GUILESS_MAIN(TestOperatorTask)
#include "tst_task.moc"
