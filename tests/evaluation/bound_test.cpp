// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/aligned_input.h"
#include "evaluation/cases/inputs.h"
#include "evaluation/cases/oracle.h"

#include <QTest>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <functional>

using namespace sparserl;

namespace {

/// How large the entries of a row are.
enum class Sizes
{
    Alike,     ///< In [0.5, 1.5).
    Ones,      ///< a = 1, as of many pattern matrices.
    Decaying,  ///< Over ten orders of magnitude.
    FirstLarge ///< The first product outweighs all others together.
};

struct Row
{
    Csr matrix;
    std::vector<float> x;
    double value = 0; ///< In long double, from the values themselves.
};

Row makeRow(std::int32_t length, Sizes sizes, Rng& rng)
{
    Row row;
    row.matrix.rows = 1;
    row.matrix.cols = length;
    row.matrix.rowPtr = {0, length};
    row.matrix.val = randomVector(length, rng);
    for (std::int32_t i = 0; i < length; ++i) {
        row.matrix.col.push_back(i);
        float& a = row.matrix.val[static_cast<std::size_t>(i)];
        if (sizes == Sizes::Ones)
            a = 1;
        else if (sizes == Sizes::Decaying)
            a *= static_cast<float>(std::pow(10.0, 10 * rng.uniform() - 5));
        else if (sizes == Sizes::FirstLarge && i == 0)
            a *= static_cast<float>(4 * std::sqrt(length));
    }
    row.x = randomVector(length, rng);
    long double sum = 0;
    for (std::size_t i = 0; i < row.x.size(); ++i)
        sum += static_cast<long double>(row.matrix.val[i]) * static_cast<long double>(row.x[i]);
    row.value = static_cast<double>(sum);
    return row;
}

using Sum = std::function<float(const Row&, Rng&)>;

float serial(const std::vector<float>& values)
{
    float sum = 0;
    for (const float value : values)
        sum += value;
    return sum;
}

std::vector<float> products(const Row& row)
{
    std::vector<float> out(row.x.size());
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = row.matrix.val[i] * row.x[i];
    return out;
}

float fused(const Row& row, std::size_t from, std::size_t to, std::size_t step)
{
    float sum = 0;
    for (std::size_t i = from; i < to; i += step)
        sum = std::fma(row.matrix.val[i], row.x[i], sum);
    return sum;
}

/// Sums in blocks, then the blocks.
float blocked(const Row& row, std::size_t size)
{
    std::vector<float> sums;
    for (std::size_t i = 0; i < row.x.size(); i += size)
        sums.push_back(fused(row, i, std::min(i + size, row.x.size()), 1));
    return serial(sums);
}

float pairwise(std::span<const float> values)
{
    if (values.size() < 2)
        return values.empty() ? 0 : values[0];
    return pairwise(values.first(values.size() / 2)) + pairwise(values.subspan(values.size() / 2));
}

/// 32 lanes, then a tree.
float warp(const Row& row)
{
    std::vector<float> lanes;
    for (std::size_t lane = 0; lane < 32; ++lane)
        lanes.push_back(fused(row, lane, row.x.size(), 32));
    return pairwise(lanes);
}

float atomics(const Row& row, Rng& rng)
{
    auto values = products(row);
    rng.shuffle(values);
    return serial(values);
}

/// A value with so many bits of significand, rounded to nearest: 11 of fp16 and TF32, 8 of bf16.
float keep(float value, int bits)
{
    int exponent = 0;
    const double part = std::frexp(static_cast<double>(value), &exponent);
    return static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(part, bits)), exponent - bits));
}

/// Summed without any error but what `change` does to a term; `index` counts in the row.
Sum changed(const std::function<double(double a, double x, std::size_t index, Rng& rng)>& change)
{
    return [change](const Row& row, Rng& rng) {
        double sum = 0;
        for (std::size_t i = 0; i < row.x.size(); ++i)
            sum += change(static_cast<double>(row.matrix.val[i]), static_cast<double>(row.x[i]), i, rng);
        return static_cast<float>(sum);
    };
}

} // namespace

class BoundTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void honestOrders_data();
    void honestOrders();
    void dishonestSums_data();
    void dishonestSums();
    void directionsOfRounding_data();
    void directionsOfRounding();
    void smallestNumbers();
};

void BoundTest::honestOrders_data()
{
    QTest::addColumn<int>("length");
    QTest::addColumn<Sizes>("sizes");
    const std::pair<const char*, Sizes> kinds[] = {{"alike", Sizes::Alike},
                                                   {"ones", Sizes::Ones},
                                                   {"decaying", Sizes::Decaying},
                                                   {"first large", Sizes::FirstLarge}};
    for (const auto& [name, sizes] : kinds)
        for (const int length : {1, 2, 3, 8, 32, 100, 1000, 20'000, 1'000'000})
            QTest::addRow("%s %d", name, length) << length << sizes;
}

/// Every order of single-precision sums stays well inside the bound.
void BoundTest::honestOrders()
{
    QFETCH(int, length);
    QFETCH(Sizes, sizes);
    Rng rng(static_cast<std::uint64_t>(length) + 1000 * static_cast<std::uint64_t>(sizes));
    double largest = 0;
    for (int round = 0, rounds = std::clamp(400'000 / length, 2, 5000); round < rounds; ++round) {
        const Row row = makeRow(length, sizes, rng);
        const Reference expected = reference(row.matrix, row.x, 1);
        QVERIFY(std::abs(expected.values[0] - row.value) <= 1e-3 * expected.bounds[0]);
        for (const float sum : {serial(products(row)), fused(row, 0, row.x.size(), 1), blocked(row, 256),
                                pairwise(products(row)), warp(row), atomics(row, rng)}) {
            const Comparison compared = compare(std::vector<float>{sum}, expected, Tolerance::Bound);
            QVERIFY(!compared.wrong);
            largest = std::max(largest, compared.boundShare);
        }
    }
    qInfo("largest share of the bound %.3f", largest);
    QVERIFY(largest <= 0.6);
}

void BoundTest::dishonestSums_data()
{
    QTest::addColumn<int>("length");
    QTest::addColumn<int>("rows"); // Of which one must be found.
    QTest::addColumn<Sum>("sum");
    const auto row = [](const char* name, int length, int rows, const Sum& sum) {
        QTest::newRow(name) << length << rows << sum;
    };
    const auto keptX = [](int bits) {
        return changed([bits](double a, double x, std::size_t, Rng&) {
            return a * static_cast<double>(keep(static_cast<float>(x), bits));
        });
    };
    row("a row left out", 70'000, 1, [](const Row&, Rng&) { return 0.0f; });
    row("a row left out, of a million", 1'000'000, 1, [](const Row&, Rng&) { return 0.0f; });
    row("a row of one left out", 1, 1, [](const Row&, Rng&) { return 0.0f; });
    row("x in fp16", 1, 5, keptX(11));
    row("x in fp16, rows of 50", 50, 1, keptX(11));
    row("x in fp16, rows of 5000", 5000, 2, keptX(11));
    row("x in fp16, rows of 70,000", 70'000, 10, keptX(11));
    row("x in bf16, a row of a million", 1'000'000, 1, keptX(8));
    row("x with 16 bits, rows of 20", 20, 10, keptX(16));
    row("both in TF32", 1000, 1, changed([](double a, double x, std::size_t, Rng&) {
            return static_cast<double>(keep(static_cast<float>(a), 11)) *
                   static_cast<double>(keep(static_cast<float>(x), 11));
        }));
    row("sums kept in fp16", 20, 1, [](const Row& r, Rng&) {
        float sum = 0;
        for (std::size_t i = 0; i < r.x.size(); ++i)
            sum = keep(std::fma(r.matrix.val[i], r.x[i], sum), 11);
        return sum;
    });
    row("2 % of the terms dropped", 70'000, 1,
        changed([](double a, double x, std::size_t, Rng& rng) { return rng.below(50) == 0 ? 0 : a * x; }));
    row("2 % of a million dropped", 1'000'000, 1,
        changed([](double a, double x, std::size_t, Rng& rng) { return rng.below(50) == 0 ? 0 : a * x; }));
    const Sum last = [](const Row& r, Rng&) { return fused(r, 0, r.x.size() - 1, 1); };
    row("the last term of 10", 10, 1, last);
    row("the last term of 1000", 1000, 1, last);
    row("the last term of 70,000", 70'000, 1, last);
    row("one term twice", 5000, 1,
        changed([](double a, double x, std::size_t i, Rng&) { return i == 17 ? 2 * a * x : a * x; }));
    row("terms below a hundredth", 500, 1,
        changed([](double a, double x, std::size_t i, Rng&) { return i % 7 == 0 ? 0 : a * x; }));
    row("a constant factor", 200, 10,
        changed([](double a, double x, std::size_t, Rng&) { return 1.0001 * a * x; }));
}

void BoundTest::dishonestSums()
{
    QFETCH(int, length);
    QFETCH(int, rows);
    QFETCH(Sum, sum);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Rng rng(seed);
        bool found = false;
        for (int i = 0; i < rows; ++i) {
            const Row row = makeRow(length, Sizes::Alike, rng);
            const Reference expected = reference(row.matrix, row.x, 1);
            found |= firstWrong(std::vector<float>{sum(row, rng)}, expected, Tolerance::Bound).has_value();
        }
        QVERIFY(found);
        if (length >= 1'000'000 && seed >= 1)
            break;
    }
}

void BoundTest::directionsOfRounding_data()
{
    QTest::addColumn<int>("length");
    for (const int length : {101, 201, 401, 4001, 65'001})
        QTest::addRow("%d", length) << length;
}

/// Of products of one sign, every order that rounds to nearest stays inside the bound, whatever the values;
/// what rounds in one direction does not.
void BoundTest::directionsOfRounding()
{
    QFETCH(int, length);
    Rng rng(static_cast<std::uint64_t>(length));
    const auto directed = [](const Row& row, int direction, bool fusedToo) {
        const int before = std::fegetround();
        std::fesetround(direction);
        volatile float sum = 0; // Keeps the compiler from computing with another rounding.
        for (std::size_t i = 0; i < row.x.size(); ++i) {
            volatile float a = row.matrix.val[i], product = a * row.x[i];
            sum = fusedToo ? std::fma(float(a), row.x[i], float(sum)) : sum + product;
        }
        std::fesetround(before);
        return float(sum);
    };
    double largest = 0;
    for (int round = 0, rounds = std::clamp(400'000 / length, 4, 2000); round < rounds; ++round) {
        for (const Sizes sizes : {Sizes::Alike, Sizes::Ones, Sizes::Decaying}) {
            Row row = makeRow(length, sizes, rng);
            row.x = alignedInput(InputRange::of(row.matrix), 1, rng).x.floats();
            const Reference expected = reference(row.matrix, row.x, 1, Signs::Same);
            const auto compared = [&](float sum) {
                return compare(std::vector<float>{sum}, expected, Tolerance::Bound);
            };
            for (const float sum : {serial(products(row)), fused(row, 0, row.x.size(), 1), blocked(row, 256),
                                    pairwise(products(row)), warp(row), atomics(row, rng)}) {
                QVERIFY(!compared(sum).wrong);
                largest = std::max(largest, compared(sum).boundShare);
            }
            for (const bool fusedToo : {false, true})
                for (const int direction : {FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD})
                    QVERIFY(compared(directed(row, direction, fusedToo)).wrong);
        }
    }
    qInfo("largest share of the bound %.3f", largest);
    QVERIFY(largest <= 0.7);
}

/// Float atomics flush what is no normal number: where products are so small, that is allowed and no more.
void BoundTest::smallestNumbers()
{
    Csr matrix;
    matrix.rows = 1;
    matrix.cols = 2;
    matrix.rowPtr = {0, 2};
    matrix.col = {0, 1};
    matrix.val = {0x1p-100f, 0x1p-100f};
    const Reference tiny = reference(matrix, std::vector<float>{0x1p-30f, -0x1p-29f}, 1);
    QVERIFY(!firstWrong(std::vector<float>{0}, tiny, Tolerance::Flushed));
    QVERIFY(firstWrong(std::vector<float>{0x1p-124f}, tiny, Tolerance::Flushed));
    QVERIFY(firstWrong(std::vector<float>{0}, tiny, Tolerance::Bound)); // Without float atomics nothing does.
    QVERIFY(!firstWrong(std::vector<float>{-0x1p-130f}, tiny, Tolerance::Bound));
    const Reference normal = reference(matrix, std::vector<float>{0x1p-10f, -0x1p-9f}, 1);
    QVERIFY(firstWrong(std::vector<float>{0}, normal, Tolerance::Flushed));
    QVERIFY(!firstWrong(std::vector<float>{-0x1p-110f}, normal, Tolerance::Bound));
}

QTEST_GUILESS_MAIN(BoundTest)
#include "bound_test.moc"
