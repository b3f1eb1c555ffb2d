// SPDX-License-Identifier: Apache-2.0
// What a judge remembers: a wrong program never inherits the verdict of a right one that looks like it.
#include "evaluation/cases/inputs.h"
#include "evaluation/judge/make_judge.h"
#include "judge_one.h"
#include "judge_programs.h"

#include <QTest>
#include <algorithm>
#include <sys/resource.h>

using namespace sparserl;
using namespace sparserl::tests;

class MemoryTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void wrongSiblings_data();
    void wrongSiblings();
    void manyMatrices();

private:
    VerdictRecord judgeOne(const std::string& program)
    {
        JudgeRequest request;
        request.program = program;
        request.target.matrix = m_matrix;
        request.target.id.contents = digest(*m_matrix);
        request.target.id.name = "test";
        return sparserl::tests::judgeOne(*m_judge, request);
    }

    std::unique_ptr<Judge> m_judge;
    std::shared_ptr<const Csr> m_matrix;
};

void MemoryTest::initTestCase()
{
    JudgeOptions options;
    options.secretSeed = 1;
    options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
    options.everyKind = false; // What is remembered is the same.
    auto judge = makeSimulatorJudge(options);
    QVERIFY2(judge.has_value(), judge ? "" : judge.error().sentence().c_str());
    m_judge = std::move(*judge);
    Rng rng(3);
    Csr m;
    m.rows = m.cols = 300;
    for (int row = 0; row < m.rows; ++row) {
        for (int c = row % 7; c < m.cols; c += 23 + row % 5)
            m.col.push_back(c);
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    m.val = randomVector(m.nnz(), rng);
    m_matrix = std::make_shared<const Csr>(std::move(m));
}

void MemoryTest::wrongSiblings_data()
{
    QTest::addColumn<QByteArray>("right");
    QTest::addColumn<QByteArray>("wrong");
    QTest::addColumn<bool>("mayBeRefused"); // The right one, as code that only an attack writes.
    const auto row = [](const char* name, const std::string& right, const std::string& wrong, bool refused) {
        QTest::newRow(name) << QByteArray::fromStdString(right) << QByteArray::fromStdString(wrong)
                            << refused;
    };
    const auto with = [](std::string text, const std::string& mark, const std::string& by) {
        text.replace(text.find(mark), mark.size(), by);
        return text;
    };
    const auto hidden = [](const std::string& before, const char* factor) {
        return threadPerRow("    asm volatile(\"" + before + " mul.f32 %0, %0, " + factor +
                            ";\" : \"+f\"(s)); if (row < rows) y[row] = s;");
    };
    for (const char* before :
         {".loc 1 1 1", ".loc 1 1 1 /* */", ".loc 1 1 1\\r", ".loc 1 1 1, function_name $x, inlined_at 1 1 1",
          ".file 9 \\\"x\\\"", ".loc 1 1 1 .loc 1 2 1", "// nothing\\n", "/* nothing */"})
        row(before, hidden(before, "0f3F800000"), hidden(before, "0f00000000"), true);
    // Atomics need a zeroed output; without the line nothing else changes.
    const std::string atomic = R"(//! task spmv
//! format coo
@//! launch k<<<ceil_div(nnz, 128), 128>>>(nnz, coo.row, coo.col, coo.val, x, y)
extern "C" __global__ void k(int nnz, const int* r, const int* c, const float* v, const float* x, float* y) {
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < nnz) atomicAdd(&y[r[i]], v[i] * x[c[i]]);
}
)";
    for (const char* blank : {"", " ", "\t", "\f", "\v", "\f\v \t"})
        row(("zero behind " + std::string(blank) + ".").c_str(),
            with(atomic, "@", std::string(blank) + "//! zero y\n"), with(atomic, "@", "//\n"), false);
    // A launch more: the second adds everything again.
    for (const char* blank : {"", "\f", "\v"}) {
        const std::string zeroed = with(atomic, "@", "//! zero y\n");
        const std::string launch =
            "//! launch k<<<ceil_div(nnz, 128), 128>>>(nnz, coo.row, coo.col, coo.val, x, y)\n";
        row(("launch behind " + std::string(blank) + ".").c_str(), zeroed,
            with(zeroed, "extern", blank + launch + "extern"), false);
    }
    // Another number in the plan, the same code.
    const std::string good = threadPerRow("    if (row < rows) y[row] = s;");
    row("smaller grid", good, with(good, "ceil_div(rows, 64)", "rows/64"), false);
    row("other argument", good, with(good, "csr.val, x, y", "csr.val, csr.val, y"), false);
}

void MemoryTest::wrongSiblings()
{
    QFETCH(QByteArray, right);
    QFETCH(QByteArray, wrong);
    QFETCH(bool, mayBeRefused);
    // Twice, so that everything that can be remembered is.
    for (int round = 0; round < 2; ++round) {
        const auto first = judgeOne(right.toStdString());
        QVERIFY2(first.correct() || (mayBeRefused && !isCompiled(first.verdict)),
                 (std::string(nameOf(first.verdict)) + ": " + first.message).c_str());
        const auto second = judgeOne(wrong.toStdString());
        QVERIFY2(!second.correct() && !second.warm, wrong.constData());
    }
}

/// Matrices hold files open: a batch over many of them must not run out.
void MemoryTest::manyMatrices()
{
    rlimit limit{};
    QCOMPARE(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = limit.rlim_max = std::min<rlim_t>(limit.rlim_max, 900);
    QCOMPARE(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    std::vector<JudgeRequest> requests;
    for (int i = 0; i < 200; ++i) {
        Csr m;
        m.rows = m.cols = 3;
        m.rowPtr = {0, 1, 2, 3};
        m.col = {0, 1, i % 3};
        m.val = {1.0f + static_cast<float>(i), 0.5f, 0.25f};
        JudgeRequest request;
        request.program = threadPerRow("    if (row < rows) y[row] = s + undeclared;");
        if (i % 2 == 0) // A right one: it has a baseline, too.
            request.program = threadPerRow("    if (row < rows) y[row] = s;");
        request.target.id.contents = digest(m);
        request.target.matrix = std::make_shared<const Csr>(std::move(m));
        request.target.id.name = "many";
        requests.push_back(std::move(request));
    }
    const auto records = m_judge->judge(requests, {});
    QVERIFY2(records.has_value(), records ? "" : records.error().sentence().c_str());
    QVERIFY(records->at(180).correct());
}

QTEST_GUILESS_MAIN(MemoryTest)
#include "memory_test.moc"
