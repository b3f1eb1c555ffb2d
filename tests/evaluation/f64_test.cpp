// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/exact_values.h"
#include "evaluation/cases/input_kinds.h"
#include "evaluation/cases/inputs.h"
#include "evaluation/cases/oracle.h"
#include "evaluation/cases/value_changes.h"
#include "evaluation/cases/value_kinds.h"
#include "matrix/generate.h"

#include <QTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

using namespace sparserl;

namespace {

using Product = std::function<double(double a, double x)>;

Csr pattern(const char* spec = "random(rows=150,cols=140,mean=12)")
{
    return inType(*generate(spec), ElementType::F64);
}

Csr row(std::vector<double> values)
{
    Csr m;
    m.type = ElementType::F64;
    m.rows = 1;
    m.cols = static_cast<std::int32_t>(values.size());
    for (std::int32_t column = 0; column < m.cols; ++column)
        m.col.push_back(column);
    m.rowPtr = {0, m.cols};
    m.val64 = std::move(values);
    return m;
}

/// y = A x, terms of a row in random order, each product as `product` makes it, sums in `Sum`.
template <typename Sum>
std::vector<double> multiply(const Csr& m, const std::vector<double>& x, Rng& rng,
                             const Product& product = {})
{
    std::vector<double> y;
    std::vector<std::size_t> order;
    for (std::int32_t r = 0; r < m.rows; ++r) {
        order.clear();
        for (auto at = m.rowPtr[static_cast<std::size_t>(r)]; at < m.rowPtr[static_cast<std::size_t>(r) + 1];
             ++at)
            order.push_back(static_cast<std::size_t>(at));
        rng.shuffle(order);
        Sum sum = 0;
        for (const std::size_t at : order) {
            const double a = m.val64[at], b = x[static_cast<std::size_t>(m.col[at])];
            if (product)
                sum += static_cast<Sum>(product(a, b));
            else
                sum = rng.next() & 1 ? std::fma(static_cast<Sum>(a), static_cast<Sum>(b), sum)
                                     : sum + static_cast<Sum>(a) * static_cast<Sum>(b);
        }
        y.push_back(static_cast<double>(sum));
    }
    return y;
}

double asFloat(double value)
{
    return static_cast<double>(static_cast<float>(value));
}

/// The lower half of a double left out.
double upperHalf(double value)
{
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & 0xffffffff00000000u);
}

std::string nameOfPair(InputKind kind, ValueKind values)
{
    return std::string(nameOf(kind)) + ", values " + std::string(nameOf(values));
}

} // namespace

class F64Test : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void formats();
    void oracleByHand();
    void oracleAgainstQuadruple();
    void exactInEveryOrder();
    void kindsStayInRange();
    void honestSumsFit();
    void changesAreFound();
    void whatIsWrong_data();
    void whatIsWrong();
};

void F64Test::formats()
{
    const NumberFormat& f32 = NumberFormat::of(ElementType::F32);
    const NumberFormat& f64 = NumberFormat::of(ElementType::F64);
    QCOMPARE(f32.largest(), static_cast<double>(std::numeric_limits<float>::max()));
    QCOMPARE(f64.largest(), std::numeric_limits<double>::max());
    QCOMPARE(f32.unitRoundoff(), 0x1p-24);
    QCOMPARE(f64.unitRoundoff(), 0x1p-53);
    QCOMPARE(f32.rounded(1 + 0x1p-30), 1.0);
    QCOMPARE(f64.rounded(1 + 0x1p-30), 1 + 0x1p-30);
    QCOMPARE(std::ldexp(1.0, f64.lowest), std::numeric_limits<double>::denorm_min());
    QCOMPARE(std::ldexp(1.0, f64.lowestNormal), std::numeric_limits<double>::min());
    // To float32 and back, a matrix loses what a float cannot hold, and nothing else.
    const Csr m = row({1.5, 1 + 0x1p-40, -0.0});
    QVERIFY(m.valid());
    const Csr back = inType(inType(m, ElementType::F32), ElementType::F64);
    QCOMPARE(back.val64, (std::vector<double>{1.5, 1, -0.0}));
    QVERIFY(digest(back) != digest(m) && digest(inType(m, ElementType::F32)) != digest(back));
}

void F64Test::oracleByHand()
{
    // What is left of 1 + 2^-60 - 1: sums in double lose it, so a bound allows for it.
    const std::vector<double> ones(3, 1);
    const Reference small = reference(row({1, 0x1p-60, -1}), ones, 1, Signs::Any);
    QCOMPARE(small.values.at(0), 0x1p-60);
    QCOMPARE(small.bounds.at(0), 0x1p-53 * 7 * (2 + 0x1p-60) + 3 * 0x1p-1074);
    QVERIFY(!firstWrong(std::vector<double>{0}, small, Tolerance::Bound));
    QVERIFY(firstWrong(std::vector<double>{0}, small, Tolerance::Exact));
    QVERIFY(firstWrong(std::vector<double>{0x1p-49}, small, Tolerance::Bound));
    // A row with one product is right to its last bits: the rest of it is known.
    const double a = 1 + 0x1p-52, x = 1 + 0x1p-8;
    const std::vector<double> xs{x};
    const Reference one = reference(row({a}), xs, 1);
    QCOMPARE(one.values.at(0), a * x);
    QCOMPARE(one.rests.at(0), 0x1p-60); // (1 + 2^-52)(1 + 2^-8) = 1 + 2^-8 + 2^-52 + 2^-60
    QVERIFY(!firstWrong(std::vector<double>{a * x}, one, Tolerance::Bound));
    QVERIFY(firstWrong(std::vector<double>{a * x + 0x1p-49}, one, Tolerance::Bound));
    const std::vector<double> exactly{1};
    QVERIFY(firstWrong(exactly, reference(row({1 + 0x1p-30}), exactly, 1), Tolerance::Bound)); // As a float.
    // A single product that is a number of the type is that number.
    const std::vector<double> half{0.5, 3}, third{0.5, 0};
    QCOMPARE(reference(row({a, 0}), half, 1).bounds.at(0), 0.0);
    QCOMPARE(reference(row({a, 7}), third, 1).bounds.at(0), 0.0);
    QVERIFY(firstWrong(std::vector<double>{0.5}, reference(row({a, 0}), half, 1), Tolerance::Bound));
    QVERIFY(reference(row({a, 7}), half, 1).bounds.at(0) > 0 && one.bounds.at(0) > 0);
    // Atomics of doubles flush nothing: a product below 2^-126 counts.
    const std::vector<double> tiny{0x1p-200};
    const Reference low = reference(row({1}), tiny, 1);
    QVERIFY(firstWrong(std::vector<double>{0}, low, Tolerance::Flushed));
    // Where a sum may leave the type, no order is right; NaN, which poison is, fits there only.
    const std::vector<double> huge(2, 0x1p1023);
    QVERIFY(std::isinf(reference(row({1, 1}), huge, 1).bounds.at(0)));
    QVERIFY(firstWrong(std::vector<double>{NAN}, low, Tolerance::Bound));
}

void F64Test::oracleAgainstQuadruple()
{
    Rng rng(5);
    for (std::size_t i = 1; i < valueKindCount; ++i) {
        const Csr m = withValues(pattern(), static_cast<ValueKind>(i), rng);
        const Numbers x = makeInput(InputKind::Wide, InputRange::of(m), 1, rng).x;
        const Reference found = reference(m, x, 1);
        for (std::int32_t r = 0; r < m.rows; ++r) {
            const auto y = static_cast<std::size_t>(r);
            __extension__ __float128 sum = 0, size = 0;
            for (auto at = static_cast<std::size_t>(m.rowPtr[y]);
                 at < static_cast<std::size_t>(m.rowPtr[y + 1]); ++at) {
                __extension__ const __float128 product =
                    static_cast<__float128>(m.val64[at]) * x[static_cast<std::size_t>(m.col[at])];
                sum += product;
                size += product < 0 ? -product : product;
            }
            __extension__ const __float128 off = sum - found.values[y] - found.rests[y];
            QVERIFY((off < 0 ? -off : off) <= size * (m.rowLength(r) + 1) * 0x1p-63);
        }
    }
}

void F64Test::exactInEveryOrder()
{
    for (const char* spec : {"banded(n=301,band=3,fill=0.9)", "random(rows=300,cols=200,mean=10)",
                             "random(rows=3,cols=5000,mean=4000)"})
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            Rng rng(seed);
            const Csr of = pattern(spec);
            const auto plain = ExactValues::make(of, rng);
            QVERIFY(plain.matrix().valid() && plain.matrix().type == ElementType::F64);
            const Numbers x = plain.vector(1, rng);
            const Reference expected = reference(plain.matrix(), x, 1);
            for (int order = 0; order < 3; ++order)
                QVERIFY(!firstWrong(multiply<double>(plain.matrix(), x.doubles(), rng), expected,
                                    Tolerance::Exact));
            for (const Product& wrong : {Product([](double a, double b) { return asFloat(a) * b; }),
                                         Product([](double a, double b) { return a * asFloat(b); }),
                                         Product([](double a, double b) { return asFloat(a * b); }),
                                         Product([](double a, double b) { return a * upperHalf(b); })})
                QVERIFY(firstWrong(multiply<double>(plain.matrix(), x.doubles(), rng, wrong), expected,
                                   Tolerance::Exact));
            QVERIFY(
                firstWrong(multiply<float>(plain.matrix(), x.doubles(), rng), expected, Tolerance::Exact));
            const auto linear = ExactValues::make(of, rng, ExactValues::Kind::Linear);
            const auto vectors = linear.linearVectors(1, rng);
            std::array<std::vector<double>, 3> y;
            for (std::size_t i = 0; i < 3; ++i) {
                y[i] = multiply<double>(linear.matrix(), vectors[i].doubles(), rng);
                QVERIFY(!firstWrong(y[i], reference(linear.matrix(), vectors[i], 1), Tolerance::Exact));
            }
            QVERIFY(!firstNonLinear(y[0], y[1], y[2], 2, -3, 1));
            y[2].back() = std::nextafter(y[2].back() + 1, 1e300);
            QVERIFY(firstNonLinear(y[0], y[1], y[2], 2, -3, 1));
        }
}

/// Whatever the values, no partial sum of a row comes near infinity, and x is finite.
void F64Test::kindsStayInRange()
{
    Rng rng(3);
    for (std::size_t v = 0; v < valueKindCount; ++v) {
        const Csr m = withValues(pattern(), static_cast<ValueKind>(v), rng);
        QVERIFY(m.valid());
        const InputRange range = InputRange::of(m);
        std::vector<Input> inputs = everySpecialInput(range, 1, rng);
        for (const InputKind kind : timedKinds)
            inputs.push_back(makeInput(kind, range, 1, rng));
        for (const Input& input : inputs) {
            QVERIFY(input.x.type() == ElementType::F64 && input.x.size() == 140);
            for (const double number : input.x.doubles())
                QVERIFY(std::isfinite(number));
            const Reference y = reference(m, input.x, 1, input.signs);
            for (std::size_t i = 0; i < y.values.size(); ++i)
                QVERIFY2(std::isfinite(y.bounds[i]) && std::isfinite(y.values[i]),
                         nameOfPair(input.kind, static_cast<ValueKind>(v)).c_str());
        }
    }
    // Its range is that of doubles: beyond it on both sides of float32.
    const InputRange range = InputRange::of(withValues(pattern(), ValueKind::Random, rng));
    const auto all = [&](InputKind kind, const auto& holds) {
        const auto input = makeInput(kind, range, 1, rng, Disguise::Never);
        return std::all_of(input.x.doubles().begin(), input.x.doubles().end(), holds);
    };
    QVERIFY(all(InputKind::Huge, [](double x) { return std::abs(x) > 1e290; }));
    QVERIFY(all(InputKind::Tiny, [](double x) { return std::abs(x) < 1e-290; }));
    QVERIFY(all(InputKind::Subnormal, [](double x) { return x != 0 && std::abs(x) < 0x1p-1022; }));
    QVERIFY(!all(InputKind::Random, [](double x) { return asFloat(x) == x; }));
}

/// Sums in double precision, whatever the order, values and vector, stay within the bound.
void F64Test::honestSumsFit()
{
    Rng rng(50);
    double largest = 0;
    for (std::size_t v = 0; v < valueKindCount; ++v) {
        const Csr m =
            withValues(pattern("random(rows=40,cols=3000,mean=400)"), static_cast<ValueKind>(v), rng);
        const InputRange range = InputRange::of(m);
        for (std::size_t k = 0; k < inputKindCount; ++k) {
            const Input input = makeInput(static_cast<InputKind>(k), range, 1, rng);
            const auto compared = compare(multiply<double>(m, input.x.doubles(), rng),
                                          reference(m, input.x, 1, input.signs), Tolerance::Bound);
            QVERIFY2(!compared.wrong, nameOfPair(input.kind, static_cast<ValueKind>(v)).c_str());
            largest = std::max(largest, compared.boundShare);
        }
    }
    QVERIFY2(largest > 0.01 && largest < 0.9, std::to_string(largest).c_str());
}

/// Values nearly the target's own differ somewhere, in bits that a float does not hold as well.
void F64Test::changesAreFound()
{
    Rng rng(9);
    const Csr m = withValues(pattern(), ValueKind::Random, rng);
    for (std::size_t i = 0; i < valueChangeCount; ++i) {
        const Csr changed = withChangedValues(m, static_cast<ValueChange>(i), rng);
        QVERIFY(changed.valid() && changed.val.empty() && changed.val64 != m.val64);
    }
    const Csr low = withChangedValues(m, ValueChange::LowerHalves, rng);
    for (std::size_t k = 0; k < m.val64.size(); ++k)
        QCOMPARE(upperHalf(low.val64[k]), upperHalf(m.val64[k]));
}

void F64Test::whatIsWrong_data()
{
    QTest::addColumn<Product>("product");
    const auto add = [](const char* name, const Product& product) { QTest::addRow("%s", name) << product; };
    add("a as float", [](double a, double x) { return asFloat(a) * x; });
    add("x as float", [](double a, double x) { return a * asFloat(x); });
    add("products as float", [](double a, double x) { return asFloat(a * x); });
    add("half of a", [](double a, double x) { return upperHalf(a) * x; });
    add("half of x", [](double a, double x) { return a * upperHalf(x); });
    add("40 bits of x", [](double a, double x) {
        int exponent = 0;
        const double part = std::frexp(x, &exponent);
        return a * std::ldexp(std::nearbyint(std::ldexp(part, 40)), exponent - 40);
    });
    add("48 bits of a", [](double a, double x) {
        int exponent = 0;
        const double part = std::frexp(a, &exponent);
        return std::ldexp(std::nearbyint(std::ldexp(part, 48)), exponent - 48) * x;
    });
    add("small products dropped", [](double a, double x) { return std::abs(a * x) < 1e-12 ? 0 : a * x; });
    add("what float32 cannot hold is zero", [](double a, double x) { return asFloat(x) == 0 ? 0 : a * x; });
    add("clamped to float32", [](double a, double x) { return std::clamp(a * x, -3e38, 3e38); });
}

/// What a program may do to save bits shows with some kind of x and some kind of values, every time.
void F64Test::whatIsWrong()
{
    QFETCH(Product, product);
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        Rng rng(seed);
        bool found = false;
        for (const ValueKind values : {ValueKind::Random, ValueKind::Lone, ValueKind::Selection}) {
            const Csr m = withValues(pattern(), values, rng);
            for (const Input& input : everySpecialInput(InputRange::of(m), 1, rng))
                found = found || firstWrong(multiply<double>(m, input.x.doubles(), rng, product),
                                            reference(m, input.x, 1, input.signs), Tolerance::Bound);
        }
        QVERIFY(found);
    }
}

QTEST_GUILESS_MAIN(F64Test)
#include "f64_test.moc"
