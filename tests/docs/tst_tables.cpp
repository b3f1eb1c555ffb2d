// SPDX-License-Identifier: Apache-2.0
// Tables of docs/ that come from declarations in the code. With SPARSERL_UPDATE_DOCS=1 in the environment
// they are written instead of compared.
#include "base/files.h"
#include "project/metrics.h"
#include "training/stage_parameters.h"

#include <QTest>
#include <cstdlib>

using namespace sparserl;

namespace {

void compareOrWrite(const std::string& name, const std::string& text)
{
    const std::string file = SPARSERL_SOURCE_DIR "/docs/" + name;
    if (std::getenv("SPARSERL_UPDATE_DOCS") != nullptr)
        QVERIFY(writeFileAtomic(file, text));
    const auto written = readFile(file);
    QVERIFY2(written, "run this test with SPARSERL_UPDATE_DOCS=1 to write the file");
    QVERIFY2(*written == text, ("docs/" + name +
                                " is not what the code declares; write it with "
                                "SPARSERL_UPDATE_DOCS=1 and this test")
                                   .c_str());
}

} // namespace

class TablesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void parameters();
    void metrics();
};

void TablesTest::parameters()
{
    std::string text =
        "# Parameters\n\nEvery parameter of every stage, from the declarations in "
        "`core/training/stage_parameters.cpp`; `sparserl train\nPRESET --parameters` prints the same. "
        "`run.toml` stores them, `--set KEY=VALUE` sets them, and those whose effect is not\n"
        "*restart* can be changed during a run.\n";
    for (const auto kind : stageKinds())
        text +=
            "\n## Stage `" + std::string(nameOf(kind)) + "`\n\n" + stageParameters(kind).describeMarkdown();
    compareOrWrite("parameters.md", text);
}

void TablesTest::metrics()
{
    compareOrWrite(
        "metrics.md",
        "# Metrics\n\nEvery metric that a stage writes into its journal, from the declarations in "
        "`core/project/metrics.def`. A run has those of\nits stage and algorithm; each is of the split "
        "*train* or *held-out*. *Reward* is the reward preset's value for a verdict;\na KL penalty is "
        "subtracted only in `critic/rewards` and similar metrics.\n" +
            describeMetricsMarkdown());
}

QTEST_GUILESS_MAIN(TablesTest)
#include "tst_tables.moc"
