// SPDX-License-Identifier: Apache-2.0
#include "project/queries/findings.h"

#include <QTest>
#include <algorithm>

using namespace sparserl;

namespace {

/// A device with round numbers: 10 SMs at 1 GHz, so 10,000 clocks of SMs a microsecond.
DeviceModel roundModel()
{
    DeviceModel model;
    model.smCount = 10;
    model.clockGHz = 1;
    model.issuePerClock = 4;
    model.l1SectorsPerClock = 4;
    model.l2GBps = 320;  // 10,000 sectors a microsecond
    model.dramGBps = 32; // 1,000
    model.l2Bytes = 100'000;
    model.l2Share = 0.8;
    model.launchMicroseconds = 1;
    return model;
}

VerdictRecord timed(double microseconds)
{
    VerdictRecord record;
    record.verdict = Verdict::Correct;
    record.warm = Timing{microseconds, microseconds, microseconds, 5};
    record.occupancy = 1;
    return record;
}

LineCounters at(int line, std::int64_t warps, std::int64_t sectors, std::int64_t dram = 0)
{
    LineCounters counters;
    counters.line = line;
    counters.warpInstructions = warps;
    counters.threadInstructions = warps * 32;
    counters.globalSectors = sectors;
    counters.dramSectors = dram;
    return counters;
}

const Finding* find(const std::vector<Finding>& list, FindingKind kind)
{
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const Finding& f) { return f.kind == kind; });
    return found == list.end() ? nullptr : &*found;
}

} // namespace

class TestFindings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sharesOfTimeByHand()
    {
        auto record = timed(10);
        record.lines = {at(3, 200'000, 40'000), at(5, 40'000, 10'000)};
        record.lines[0].l1Hits = 10'000;
        const auto shares = timeShares(record, roundModel());
        QCOMPARE(shares[TimeLimit::Launch], 0.1); // 1 of 10 us
        QCOMPARE(shares[TimeLimit::L2], 0.4);     // 40,000 sectors at 10,000 a us
        QCOMPARE(shares[TimeLimit::L1], 0.125);   // 50,000 at 40,000 a us
        QCOMPARE(shares[TimeLimit::Issue], 0.6);  // 240,000 at 40,000 a us
        QCOMPARE(shares[TimeLimit::Dram], 0.0);   // nothing came from there
        QCOMPARE(shares[TimeLimit::Latency], 0.4);
        QVERIFY(shares.largest == TimeLimit::Issue);
        const auto list = findingsOf(record, roundModel());
        QVERIFY(list.front().kind == FindingKind::Limiter && list.front().limit == TimeLimit::Issue);
        QCOMPARE(list.front().line, 3);
        QCOMPARE(list.front().value, 0.6);
    }

    // What fits into L2 stays there between calls; what does not is paid for in each.
    void dramCountsWhereTheCacheIsTooSmall()
    {
        auto record = timed(10);
        record.lines = {at(7, 100, 2'500, 2'500)}; // 80,000 bytes: fit
        QCOMPARE(timeShares(record, roundModel())[TimeLimit::Dram], 0.0);
        record.lines = {at(7, 100, 5'000, 5'000)};
        QCOMPARE(timeShares(record, roundModel())[TimeLimit::Dram], 0.5);
        const auto list = findingsOf(record, roundModel());
        QVERIFY(list.front().limit == TimeLimit::Dram);
        QCOMPARE(list.front().line, 7);
    }

    void eachCostNamesItsLine()
    {
        auto record = timed(100);
        record.lines = {at(2, 1000, 100), at(4, 1000, 16'000, 4'000), at(6, 1000, 0)};
        record.lines[2].threadInstructions = 0; // all lanes of a third of the instructions
        record.lines[2].bankConflicts = 900;
        record.lines[0].atomics = 5;
        record.lines[0].divergentBranches = 600;
        record.localBytes = 64;
        record.occupancy = 0.25;
        record.compulsoryBytes = 64'000;
        record.setupMicroseconds = 10;
        record.baselineMicroseconds = 90;
        const auto list = findingsOf(record, roundModel());
        const auto check = [&](FindingKind kind, int line, double value) {
            const Finding* finding = find(list, kind);
            QVERIFY(finding);
            QCOMPARE(finding->line, line);
            QCOMPARE(finding->value, value);
        };
        QVERIFY(list.front().limit == TimeLimit::Latency);
        check(FindingKind::Uncoalesced, 4, 16);
        check(FindingKind::Divergence, 6, 1.0 / 3);
        check(FindingKind::BankConflicts, 6, 900);
        check(FindingKind::Atomics, 2, 5);
        check(FindingKind::DivergentBranch, 2, 600);
        check(FindingKind::Spills, 0, 64);
        check(FindingKind::LowOccupancy, 0, 0.25);
        check(FindingKind::MoreBytes, 4, 2);
        check(FindingKind::NeverPaysOff, 0, 10);
    }

    void nothingIsSaidOfWhatIsFineOrUnknown()
    {
        auto record = timed(1.25);
        auto list = findingsOf(record, roundModel()); // no counters: only what the launch costs
        QCOMPARE(list.size(), std::size_t{1});
        QVERIFY(list.front().limit == TimeLimit::Launch);
        QCOMPARE(list.front().value, 0.8);
        record.warm.reset();
        QVERIFY(findingsOf(record, roundModel()).empty());
        record.device = "simulated h200";
        QCOMPARE(deviceModelOf(record)->name, std::string("h200"));
        record.device = "NVIDIA H200 (driver 580.82)";
        QCOMPARE(deviceModelOf(record)->name, std::string("h200"));
        record.device = "NVIDIA T4";
        QVERIFY(!deviceModelOf(record));
    }

    void roofByHand()
    {
        const auto roof = rooflineOf(roundModel());
        QCOMPARE(roof.peakGflops, 10 * 1.0 * 128 * 2);
        QCOMPARE(roof.dramGBps, 32.0);
        auto model = roundModel();
        model.fp64Clocks = 0.5; // 64 lanes.
        QCOMPARE(rooflineOf(model, ElementType::F64).peakGflops, 10 * 1.0 * 64 * 2);
    }

    /// 32 consecutive doubles take eight sectors, and 16 are scattered all the same.
    void doublesTakeMoreSectors()
    {
        auto record = timed(100);
        record.target.variant.type = ElementType::F64;
        record.lines = {at(2, 1000, 8'000)};
        QVERIFY(!find(findingsOf(record, roundModel()), FindingKind::Uncoalesced));
        record.lines = {at(2, 1000, 16'000)};
        QVERIFY(find(findingsOf(record, roundModel()), FindingKind::Uncoalesced));
        record.target.variant.type = ElementType::F32;
        record.lines = {at(2, 1000, 8'000)};
        QVERIFY(find(findingsOf(record, roundModel()), FindingKind::Uncoalesced));
    }
};

QTEST_APPLESS_MAIN(TestFindings)
#include "tst_findings.moc"
