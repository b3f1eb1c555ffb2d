// SPDX-License-Identifier: Apache-2.0
// Parts of the judge that only a GPU needs, without one.
#include "compile/program_compiler.h"
#include "evaluation/cases/sparse_checks.h"
#include "evaluation/judge/make_judge.h"
#include "evaluation/protocol/gpu_jobs.h"
#include "evaluation/steps/baseline_book.h"
#include "evaluation/steps/quarantine.h"
#include "whole_numbers.h"

#include <QTest>

using namespace sparserl;

class GpuPartsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void gpuFloor();
    void gpuNames();
    void surprises();
    void baselinesDrift();
    void workOfSimulating();
    void gpuJobsRoundTrip();
    void assembling();
};

void GpuPartsTest::gpuFloor()
{
    GpuInfo info;
    info.smCount = 100;
    info.clockGHz = 1;
    info.memoryClockGHz = 2;
    info.memoryBusBits = 4096;
    info.l2Bytes = 1'000'000;
    GpuFloor floor = GpuFloor::of(info);
    QCOMPARE(floor.l2GBps, 6400.0);   // 64 bytes x 100 SMs x 1 GHz.
    QCOMPARE(floor.dramGBps, 2048.0); // 2 transfers x 2 GHz x 512 bytes.
    floor.launchMicroseconds = 0.5;
    floor.nextLaunchMicroseconds = 0.25;
    QCOMPARE(floor.microseconds(1, 0), 0.5);
    QCOMPARE(floor.microseconds(3, 0), 1.0);
    QCOMPARE(floor.microseconds(1, 640'000), 0.5 + 0.1);
    // A million bytes out of L2, the rest from memory.
    QCOMPARE(floor.microseconds(1, 1'000'000 + 2'048'000), 0.5 + 0.15625 + 1.0);
}

void GpuPartsTest::gpuNames()
{
    QCOMPARE(*gpuNumbers("0"), std::vector<int>{0});
    QCOMPARE(*gpuNumbers("3,0"), (std::vector<int>{3, 0}));
    for (const char* bad : {"", ",", "0,", "a", "-1", "0 1", "1,1", "0x2"})
        QVERIFY2(!gpuNumbers(bad), bad);
}

void GpuPartsTest::surprises()
{
    SpeedFacts facts;
    facts.floorMicroseconds = 1;
    facts.baselineMicroseconds = 10;
    facts.bestVerifiedMicroseconds = 10;
    const auto at = [&](double time) {
        facts.microseconds = time;
        return surprising(facts).has_value();
    };
    QVERIFY(!at(20) && !at(10) && !at(7.8)); // Not 1.3 times faster.
    QVERIFY(at(7.6));
    QVERIFY(!impossible(facts));
    facts.bestVerifiedMicroseconds = 3.2;
    QVERIFY(!at(3.4) && !at(3.1)); // 3.2 times the baseline, but somebody was there already.
    QVERIFY(at(2.9));              // Between: more than 3 times the baseline, and clearly a new best.
    facts.bestVerifiedMicroseconds = 0.9;
    QVERIFY(!at(0.96));
    QVERIFY(at(0.94));
    QVERIFY(impossible(facts)->find("less than the device") != std::string::npos);
    facts.clocksAgree = false;
    QVERIFY(at(5) && impossible(facts));
}

void GpuPartsTest::baselinesDrift()
{
    const auto timings = [](double csr, double fallback) {
        std::vector<BaselineTiming> list(3);
        list[0].algorithm = "SELL";
        list[0].warm.median = 0.1 * csr;
        list[1].algorithm = "CSR_ALG2";
        list[1].csr = true;
        list[1].warm.median = csr;
        list[2].algorithm = "DEFAULT";
        list[2].warm.median = fallback;
        return list;
    };
    using Outcome = BaselineBook::Outcome;
    BaselineBook book;
    QVERIFY(!book.known());
    QCOMPARE(book.add(timings(10, 12)), Outcome::First);
    QCOMPARE(book.best().algorithm, std::string("CSR_ALG2")); // Not the faster one of another format.
    QCOMPARE(book.defaultRoutine(), 12.0);
    QCOMPARE(book.bestRoutine(), 10.0);
    for (int i = 1; i < 50; ++i)
        QVERIFY(!book.count());
    QVERIFY(book.count());
    QVERIFY(!book.count());
    QCOMPARE(book.add(timings(10.29, 12)), Outcome::Stable);
    QCOMPARE(book.best().warm.median, 10.0);
    // One odd measurement, then the old time again.
    QCOMPARE(book.add(timings(11, 12)), Outcome::Again);
    QCOMPARE(book.add(timings(10.1, 12)), Outcome::Stable);
    QCOMPARE(book.epoch(), 0);
    QCOMPARE(book.add(timings(11, 12)), Outcome::Again);
    QCOMPARE(book.add(timings(11.1, 12)), Outcome::Drifted);
    QCOMPARE(book.best().warm.median, 11.1);
    QCOMPARE(book.bestRoutine(), 11.1);
    QCOMPARE(book.epoch(), 1);
    QCOMPARE(book.add({}), Outcome::Stable);
    BaselineBook paper(true);
    QCOMPARE(paper.add(timings(10, 12)), Outcome::First);
    QCOMPARE(paper.best().warm.median, 12.0);
    QCOMPARE(paper.bestRoutine(), 10.0); // Both are known, whichever is the baseline.
    QVERIFY(!chooseBaseline({}, true));
}

void GpuPartsTest::workOfSimulating()
{
    Csr matrix;
    matrix.col.resize(1000);
    QCOMPARE(simulationWork(matrix, 1), std::int64_t(1000));
    QCOMPARE(simulationWork(matrix, 4), std::int64_t(1000));
    QCOMPARE(simulationWork(matrix, 32), std::int64_t(8000));
}

void GpuPartsTest::gpuJobsRoundTrip()
{
    GpuJob job;
    job.program = "p";
    job.ptx = "q";
    job.cubin = std::string("\0\x7f"
                            "ELF\xff",
                            6);
    job.variant.columns = 8;
    job.take = {"m", "inputs/a"};
    job.before = {{"m", "inputs/a", {{{{0, 4}}, {{64, 5}}, {}}}, 7}};
    job.timing.emplace();
    job.timing->contents = "m";
    job.timing->inputsKey = "inputs/a";
    job.timing->ring = {{{0, 4}}, {{64, 4}}};
    job.timing->meanCalls = 1000;
    const auto read = gpuJobFromJson(toJson(job));
    QVERIFY(read.has_value());
    QCOMPARE(read->cubin, job.cubin);
    QCOMPARE(QString::fromStdString(toJson(*read).dump()), QString::fromStdString(toJson(job).dump()));
    GpuAnswer answer;
    answer.before.resize(2);
    answer.before[1].fault = Fault{FaultKind::Timeout, "m", "k", 3, {}, {}};
    answer.poisoned = true;
    answer.timing.emplace();
    answer.timing->warm = {1.5, 1.25, 1.75, 30};
    answer.timing->occupancy = {{4, 0.5, "registers"}};
    const auto back = gpuAnswerFromJson(toJson(answer));
    QVERIFY(back.has_value() && back->poisoned && back->timing->occupancy.size() == 1);
    QCOMPARE(back->before[1].fault->kind, FaultKind::Timeout);
    QCOMPARE(back->timing->warm.q75, 1.75);
    QVERIFY(!gpuAnswerFromJson({{"type", "ran"}}).has_value());
    QVERIFY(!gpuAnswerFromJson({{"type", "simulated"}}).has_value());
    auto wraps = tests::placeThatWraps(toJson(job), [](const nlohmann::json& json) {
        const auto changed = gpuJobFromJson(json);
        return changed ? toJson(*changed) : nlohmann::json();
    });
    QVERIFY2(wraps.empty(), wraps.c_str());
    wraps = tests::placeThatWraps(toJson(answer), [](const nlohmann::json& json) {
        const auto changed = gpuAnswerFromJson(json);
        return changed ? toJson(*changed) : nlohmann::json();
    });
    QVERIFY2(wraps.empty(), wraps.c_str());
    auto json = toJson(job);
    json["cubin"] = "not base64!";
    QVERIFY(!gpuJobFromJson(json).has_value());
}

/// What is compiled without assembling and assembled later is what one step gives.
void GpuPartsTest::assembling()
{
    const auto compiler = ProgramCompiler::create();
    QVERIFY2(compiler.has_value(), compiler ? "" : compiler.error().sentence().c_str());
    CompileRequest request{"extern \"C\" __global__ void k(float* y) { y[threadIdx.x] = 1; }", {}, {"k"}};
    const auto whole = compiler->compile(request);
    request.assemble = false;
    const auto first = compiler->compile(request);
    QVERIFY(whole && *whole && first && *first);
    QVERIFY((*first)->cubin.empty() && (*first)->resources.empty());
    QCOMPARE((*first)->ptx, (*whole)->ptx);
    const auto second = compiler->assemble({(*first)->ptx, {"k"}, "sm_90"});
    QVERIFY(second && *second);
    QCOMPARE((*second)->cubin, (*whole)->cubin);
    QCOMPARE((*second)->resources.size(), std::size_t(1));
    // The gate stands before the assembler too.
    const auto other = compiler->assemble({(*first)->ptx, {"elsewhere"}, "sm_90"});
    QVERIFY(other && !*other);
    QCOMPARE(other->error().kind, CompileFailure::Kind::Rejected);
}

QTEST_GUILESS_MAIN(GpuPartsTest)
#include "gpu_parts_test.moc"
