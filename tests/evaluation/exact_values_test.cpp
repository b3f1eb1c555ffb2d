// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/exact_values.h"
#include "evaluation/cases/inputs.h"
#include "evaluation/cases/oracle.h"
#include "matrix/generate.h"

#include <QTest>
#include <cmath>
#include <functional>

using namespace sparserl;

namespace {

Csr fullRows(std::int32_t rows, std::int32_t cols)
{
    Csr m;
    m.rows = rows;
    m.cols = cols;
    for (std::int32_t row = 0; row < rows; ++row) {
        for (std::int32_t column = 0; column < cols; ++column)
            m.col.push_back(column);
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    m.val.assign(m.col.size(), 1.0f);
    return m;
}

std::vector<std::pair<std::string, Csr>> patterns()
{
    std::vector<std::pair<std::string, Csr>> out;
    for (const char* spec :
         {"banded(n=401,band=3,fill=0.9)", "random(rows=500,cols=300,mean=10)", "rmat(scale=8,degree=5)"})
        out.emplace_back(spec, *generate(spec));
    for (const auto& shape : batteryShapes(3))
        out.emplace_back(shape.name, shape.matrix);
    out.emplace_back("long rows", fullRows(3, 70'000));
    out.emplace_back("a row of a million", fullRows(1, 1'000'000));
    return out;
}

/// y = A x in single precision, the terms of each row in random order, in fused and in separate steps.
std::vector<float> multiply(const Csr& m, const std::vector<float>& x, std::int64_t columns, Rng& rng,
                            const std::function<float(float)>& ofA = {},
                            const std::function<float(float)>& ofX = {})
{
    std::vector<float> y;
    std::vector<std::size_t> order;
    for (std::int32_t row = 0; row < m.rows; ++row) {
        order.clear();
        for (auto at = m.rowPtr[static_cast<std::size_t>(row)];
             at < m.rowPtr[static_cast<std::size_t>(row) + 1]; ++at)
            order.push_back(static_cast<std::size_t>(at));
        rng.shuffle(order);
        for (std::int64_t j = 0; j < columns; ++j) {
            float sum = 0;
            for (const std::size_t at : order) {
                float a = m.val[at];
                float b = x[static_cast<std::size_t>(m.col[at] * columns + j)];
                a = ofA ? ofA(a) : a;
                b = ofX ? ofX(b) : b;
                const float product = a * b;
                sum = rng.next() & 1 ? std::fma(a, b, sum) : sum + product;
            }
            y.push_back(sum);
        }
    }
    return y;
}

bool subnormal(float value)
{
    return value != 0 && std::abs(value) < 0x1p-126f;
}

int significandBits(float value)
{
    int exponent = 0;
    double part = std::abs(std::frexp(static_cast<double>(value), &exponent));
    int bits = 0;
    for (; part != 0; ++bits)
        part = 2 * part - std::floor(2 * part);
    return bits;
}

} // namespace

class ExactValuesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyOrderIsExact_data();
    void everyOrderIsExact();
    void whatTheValuesHold();
    void whatPassedBefore_data();
    void whatPassedBefore();
    void wideValues_data() { everyOrderIsExact_data(); }
    void wideValues();
};

void ExactValuesTest::everyOrderIsExact_data()
{
    QTest::addColumn<int>("pattern");
    int i = 0;
    for (const auto& [name, matrix] : patterns())
        QTest::addRow("%s", name.c_str()) << i++;
}

void ExactValuesTest::everyOrderIsExact()
{
    QFETCH(int, pattern);
    const Csr matrix = patterns()[static_cast<std::size_t>(pattern)].second;
    const std::uint64_t seeds = matrix.nnz() > 100'000 ? 2 : 10;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        Rng rng(seed);
        const std::int64_t columns = 1 + static_cast<std::int64_t>(seed % 2) * 3;
        const auto plain = ExactValues::make(matrix, rng);
        QVERIFY(plain.matrix().col == matrix.col && plain.matrix().valid());
        for (const float a : plain.matrix().val)
            QVERIFY(std::isfinite(a));
        const std::vector<float> x = plain.vector(columns, rng).floats();
        QCOMPARE(x.size(), static_cast<std::size_t>(columns * matrix.cols));
        const Reference expected = reference(plain.matrix(), x, columns);
        for (int order = 0; order < 3; ++order)
            QVERIFY(!firstWrong(multiply(plain.matrix(), x, columns, rng), expected, Tolerance::Exact));
        const auto linear = ExactValues::make(matrix, rng, ExactValues::Kind::Linear);
        const auto vectors = linear.linearVectors(columns, rng);
        std::array<std::vector<float>, 3> y;
        for (std::size_t i = 0; i < 3; ++i) {
            y[i] = multiply(linear.matrix(), vectors[i].floats(), columns, rng);
            QVERIFY(!firstWrong(y[i], reference(linear.matrix(), vectors[i], columns), Tolerance::Exact));
        }
        QVERIFY(!firstNonLinear(y[0], y[1], y[2], 2, -3, columns));
    }
}

/// Nothing that a program could rely on: no integers, no range, no sign of zero, no normal numbers only.
void ExactValuesTest::whatTheValuesHold()
{
    Rng rng(4);
    const Csr pattern = *generate("random(rows=2000,cols=2000,mean=12)");
    const auto values = ExactValues::make(pattern, rng);
    const auto check = [](const std::vector<float>& numbers, bool all) {
        int zeros = 0, negativeZeros = 0, tiny = 0, large = 0, small = 0, longs = 0, negative = 0;
        for (const float v : numbers) {
            zeros += v == 0;
            negativeZeros += v == 0 && std::signbit(v);
            tiny += subnormal(v);
            large += std::abs(v) > 0x1p28f;
            small += v != 0 && std::abs(v) < 0x1p-28f;
            longs += significandBits(v) == 24;
            negative += v < 0;
        }
        const auto n = static_cast<int>(numbers.size());
        QVERIFY(negativeZeros > n / 200 && zeros - negativeZeros > n / 200);
        QVERIFY(tiny > n / 500);
        QVERIFY(large > n / 50 && small > n / 50);
        QVERIFY(longs > n / 50);
        QVERIFY(!all || zeros < n / 3);
        QVERIFY(negative > n / 4 && negative < 3 * n / 4);
    };
    check(values.matrix().val, false);
    check(values.vector(1, rng).floats(), true);
    // Every result but few is something.
    const std::vector<float> x = values.vector(1, rng).floats();
    // A look at the beginning or at the end sees what timed runs have, with one matrix or another.
    int begins = 0, ends = 0;
    for (int i = 0; i < 40; ++i) {
        const std::vector<float> one = ExactValues::make(pattern, rng).vector(1, rng).floats();
        const auto plain = [](float v) { return std::abs(v) >= 0.5f && std::abs(v) < 1.5f; };
        const bool first = std::all_of(one.begin(), one.begin() + 60, plain);
        const bool last = std::all_of(one.end() - 60, one.end(), plain);
        QVERIFY(first || last);
        begins += first;
        ends += last;
    }
    QVERIFY(begins > 15 && begins < 40 && ends > 15 && ends < 40);
    const Reference y = reference(values.matrix(), x, 1);
    QVERIFY(std::count(y.values.begin(), y.values.end(), 0.0) < 100);
    // Vectors differ.
    QVERIFY(values.vector(1, rng).floats() != x);
}

void ExactValuesTest::whatPassedBefore_data()
{
    using Change = std::function<float(float)>;
    QTest::addColumn<Change>("ofA");
    QTest::addColumn<Change>("ofX");
    const auto kept = [](int bits) {
        return [bits](float v) {
            int exponent = 0;
            const double part = std::frexp(static_cast<double>(v), &exponent);
            return static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(part, bits)), exponent - bits));
        };
    };
    const auto row = [](const char* name, const Change& a, const Change& x) {
        QTest::newRow(name) << a << x;
    };
    row("small values are pruned", [](float v) { return std::abs(v) < 0.01f ? 0 : v; }, {});
    row("tiny values are pruned", [](float v) { return std::abs(v) < 1e-20f ? 0 : v; }, {});
    row("x in fixed point", {}, [](float v) {
        return static_cast<float>(std::nearbyint(std::clamp(v, -120.0f, 120.0f) * 8388608.0f)) * 0x1p-23f;
    });
    row("x is clamped", {}, [](float v) { return std::clamp(v, -1e6f, 1e6f); });
    row("a is clamped", [](float v) { return std::clamp(v, -1e6f, 1e6f); }, {});
    row("a over the reciprocal of x", {}, [](float v) { return 1 / (1 / v); });
    row("integers only", {}, [](float v) { return v == std::rint(v) ? v : 0; });
    row("subnormal x flushed", {}, [](float v) { return subnormal(v) ? 0 : v; });
    row("subnormal a flushed", [](float v) { return subnormal(v) ? 0 : v; }, {});
    for (const int bits : {8, 11, 16, 22, 23}) {
        QTest::addRow("a with %d bits", bits) << Change(kept(bits)) << Change();
        QTest::addRow("x with %d bits", bits) << Change() << Change(kept(bits));
    }
    row("absolute x", {}, [](float v) { return std::abs(v); });
}

/// Programs that got by with numbers in [0.5, 1.5) and small integers are found on matrices of any size; a
/// few kinds of values are so rare that one set of them in twelve may be without.
void ExactValuesTest::whatPassedBefore()
{
    using Change = std::function<float(float)>;
    QFETCH(Change, ofA);
    QFETCH(Change, ofX);
    for (const auto& matrix : {*generate("random(rows=500,cols=300,mean=10)"), fullRows(40, 5000)}) {
        int found = 0;
        for (std::uint64_t seed = 0; seed < 12; ++seed) {
            Rng rng(seed);
            const auto values = ExactValues::make(matrix, rng);
            const std::vector<float> x = values.vector(1, rng).floats();
            found += firstWrong(multiply(values.matrix(), x, 1, rng, ofA, ofX),
                                reference(values.matrix(), x, 1), Tolerance::Exact)
                         .has_value();
        }
        QVERIFY(found >= 11);
    }
}

/// Products of a row are alike in size, whatever a and x are, so that each of them counts.
void ExactValuesTest::wideValues()
{
    QFETCH(int, pattern);
    const Csr plain = patterns()[static_cast<std::size_t>(pattern)].second;
    Rng rng(9);
    const Scaling scaling = Scaling::make(plain, rng);
    const Csr matrix = withWideValues(plain, scaling, rng);
    const std::vector<float> x = wideVector(scaling, 1, rng).floats();
    const Reference expected = reference(matrix, x, 1);
    const Comparison compared = compare(multiply(matrix, x, 1, rng), expected, Tolerance::Bound);
    QVERIFY(!compared.wrong);
    for (std::int32_t row = 0; row < matrix.rows; ++row)
        for (auto at = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row)]);
             at < static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row) + 1]); ++at) {
            const double product = static_cast<double>(matrix.val[at]) *
                                   static_cast<double>(x[static_cast<std::size_t>(matrix.col[at])]);
            if (product == 0)
                continue;
            QVERIFY(std::abs(product) >= 0x1p-126);
            const int unit = scaling.row[static_cast<std::size_t>(row)];
            QVERIFY(std::abs(product) >= std::ldexp(0.2, unit) && std::abs(product) <= std::ldexp(3.1, unit));
        }
}

QTEST_GUILESS_MAIN(ExactValuesTest)
#include "exact_values_test.moc"
