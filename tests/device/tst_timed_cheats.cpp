// SPDX-License-Identifier: Apache-2.0
// Programs that spare themselves work when they are called again (data/cheats.cu), timed on a driver of our
// own: what they leave is found wrong, or nothing that they have stored is ever of use to them.
#include "base/rng.h"
#include "device/cuda/cuda_device.h"
#include "fake_gpu.h"
#include "harness.h"
#include "tests/drawn_share.h"

#include <QTest>
#include <string>
#include <utility>
#include <vector>

using namespace sparserl;
using namespace sparserl::harness;

namespace {

constexpr int rings[] = {8, 3};
constexpr int fewestSamples = 5; ///< As many are taken on the slowest machine, too.

struct Cheat
{
    TestMatrix matrix = randomMatrix(300, 200, 1, 9, 7);
    Bench bench{fixture("cheats.ptx")};
    std::string cubin = fixture("cheats.ptx");
    std::vector<std::vector<float>> xs;

    /// `scratch`: floats for each row. A kernel named `trusts...` runs before an honest product.
    Cheat(const std::string& kernel, bool reports, int scratch, int ring)
    {
        std::vector<BoundArgument> arguments{number(matrix.rows),
                                             number(matrix.cols),
                                             array(bench.matrix("csr.row_ptr", matrix.rowPtr)),
                                             array(bench.matrix("csr.col", matrix.col)),
                                             array(bench.matrix("csr.val", matrix.val)),
                                             array(bench.x(matrix.cols)),
                                             array(bench.y(matrix.rows))};
        const std::vector<BoundArgument> plain = arguments;
        if (scratch > 0)
            arguments.push_back(
                array(bench.buffer("s", BufferRole::Scratch, ElementType::F32, scratch * matrix.rows)));
        if (reports)
            arguments.push_back(array(bench.matrix("hits", std::vector<float>(4, 0.0f))));
        const bool before = kernel.starts_with("trusts");
        bench.launch(kernel, before ? 1 : 3, before ? 1 : 128, arguments);
        if (before)
            bench.launch("honest", 3, 128, plain);
        Rng rng(3);
        for (int k = 0; k < ring; ++k) {
            std::vector<float>& values = xs.emplace_back();
            for (int i = 0; i < matrix.cols; ++i)
                values.push_back(static_cast<float>(rng.between(1, 9)) * (rng.chance(0.5) ? 1.0f : -1.0f));
        }
    }
    MeasureRequest measurement(std::uint64_t seed)
    {
        MeasureRequest request;
        request.plan = &bench.plan;
        request.module = &bench.module;
        request.cubin = cubin;
        request.samples = fewestSamples;
        request.sampleMicroseconds = 1e9; // As many calls as fit: several rounds, on the slowest machine too.
        request.limitMicroseconds = 1e6;
        request.seed = seed;
        for (const auto& x : xs)
            request.ring.push_back(denseInput(Task::SpMV, x));
        request.compare = CompareRequest{std::make_shared<const Csr>(csrOf(matrix)), 1};
        return request;
    }
};

/// Nothing was wrong, and something was looked at.
bool allRight(const ComparedCalls& compared)
{
    return compared.calls > 0 && compared.elements > 0 && !compared.wrong;
}

} // namespace

class TestTimedCheats : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cheats_data();
    void cheats();
    void meanOfCalls();

private:
    std::unique_ptr<CudaDevice> m_device;
};

void TestTimedCheats::initTestCase()
{
    auto device = harness::fakeGpu();
    QVERIFY2(device.has_value(), device ? "" : device.error().sentence().c_str());
    m_device = std::move(*device);
}

void TestTimedCheats::cheats_data()
{
    QTest::addColumn<bool>("right");
    QTest::addColumn<bool>("reports");
    QTest::addColumn<int>("scratch");
    QTest::newRow("honest") << true << false << 0;
    QTest::newRow("keeps_numbers") << false << false << 0;
    QTest::newRow("keeps_every_other_number") << false << false << 0;
    QTest::newRow("keeps_nan") << false << false << 0;
    QTest::newRow("keeps_whole_numbers") << false << false << 0;
    QTest::newRow("skips_where_signs_differ") << false << false << 0;
    QTest::newRow("skips_by_address_of_y") << false << false << 0;
    QTest::newRow("skips_by_address_of_x") << false << false << 0;
    QTest::newRow("skips_by_first_sign") << false << false << 0;
    QTest::newRow("skips_one_row") << false << false << 0;
    QTest::newRow("trusts_some_rows") << true << true << 0;
    QTest::newRow("caches_by_address") << true << true << 3;
    QTest::newRow("caches_by_values") << true << true << 3;
    QTest::newRow("prepares_once") << true << true << 1;
}

/// The times of those that are right are those of their whole work: a hit would have been a forbidden write.
void TestTimedCheats::cheats()
{
    QFETCH(bool, right);
    QFETCH(bool, reports);
    QFETCH(int, scratch);
    // Each cheat meets one of these always, and a drawn sixth of the others.
    const std::string cheat = QTest::currentDataTag();
    const test::DrawnShare share(6);
    std::vector<std::pair<std::string, std::string>> ways;
    for (const int ring : rings)
        for (const int seed : {1, 2})
            ways.emplace_back(cheat, cheat + " " + std::to_string(ring) + " " + std::to_string(seed));
    const auto always = share.oneOfEach(ways);
    for (const int ring : rings) {
        for (std::uint64_t seed = 1; seed <= 2; ++seed) {
            const std::string way = cheat + " " + std::to_string(ring) + " " + std::to_string(seed);
            if (!share.has(way) && !always.contains(way))
                continue;
            Cheat one(QTest::currentDataTag(), reports, scratch, ring);
            MeasureRequest request = one.measurement(seed);
            request.cold = seed == 1;
            const auto result = m_device->measure(request);
            QVERIFY2(result.has_value(), result ? "" : result.error().sentence().c_str());
            QVERIFY2(!result->fault, result->fault ? result->fault->message.c_str() : "");
            QCOMPARE(allRight(result->compared), right);
            QCOMPARE(result->warm.n, fewestSamples);
            BaselineTiming against;
            against.algorithm = "CSR_ALG2";
            request.samples = 3;
            const auto both = m_device->headToHead(request, csrOf(one.matrix), 1, against);
            QVERIFY2(both.has_value(), both ? "" : both.error().sentence().c_str());
            QVERIFY2(!both->fault, both->fault ? both->fault->message.c_str() : "");
            QCOMPARE(allRight(both->compared), right);
        }
    }
}

void TestTimedCheats::meanOfCalls()
{
    Cheat one("honest", false, 0, 8);
    MeasureRequest request = one.measurement(1);
    request.mean = true;
    request.samples = 3;
    request.cold = false;
    const auto result = m_device->measure(request);
    QVERIFY(result && !result->fault);
    QCOMPARE(result->warm.n, 3 * 64);
    QVERIFY(result->warm.median > 0 && result->warm.median == result->warm.q25);
    QVERIFY(allRight(result->compared));
}

QTEST_GUILESS_MAIN(TestTimedCheats)
#include "tst_timed_cheats.moc"
