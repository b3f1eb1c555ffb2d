// SPDX-License-Identifier: Apache-2.0
// y = alpha A x + beta y: what it is, how far programs may be from it, and the calls that they meet.
#include "evaluation/cases/inputs.h"
#include "evaluation/cases/scaled_calls.h"
#include "evaluation/cases/scaled_reference.h"

#include <QTest>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

using namespace sparserl;

namespace {

/// Rows of 0, 1, 2 and 3 entries.
Csr handMade(ElementType type)
{
    Csr m;
    m.rows = 4;
    m.cols = 3;
    m.rowPtr = {0, 0, 1, 3, 6};
    m.col = {1, 0, 2, 0, 1, 2};
    m.val = {2, 3, -1, 0.5f, 4, -8};
    return type == ElementType::F32 ? m : inType(m, type);
}

Numbers numbers(ElementType type, const std::vector<double>& values)
{
    Numbers made(type, values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        made.set(i, values[i]);
    return made;
}

/// As programs do it, in T: everything that a call of one row has.
template <typename T>
struct Call
{
    std::vector<T> a, x;
    T alpha, beta, old;
    T product() const
    {
        T sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i)
            sum += a[i] * x[i];
        return sum;
    }
};
template <typename T>
using Program = std::function<T(const Call<T>&)>;

template <typename T>
struct Named
{
    const char* name;
    Program<T> program;
};

template <typename T>
std::vector<Named<T>> rightOnes()
{
    using C = Call<T>;
    const auto old = [](const C& c) { return c.beta == 0 ? T(0) : c.beta * c.old; };
    return {
        {"alpha times the sum", [=](const C& c) { return c.alpha * c.product() + old(c); }},
        {"fused",
         [=](const C& c) {
             return c.beta == 0 ? c.alpha * c.product() : std::fma(c.beta, c.old, c.alpha * c.product());
         }},
        {"alpha times x",
         [=](const C& c) {
             T sum = old(c);
             for (std::size_t i = 0; i < c.a.size(); ++i)
                 sum += c.a[i] * (c.alpha * c.x[i]);
             return sum;
         }},
        {"alpha times a, the old one last",
         [=](const C& c) {
             T sum = 0;
             for (std::size_t i = c.a.size(); i-- > 0;)
                 sum += c.alpha * c.a[i] * c.x[i];
             return sum + old(c);
         }},
    };
}

/// Sizes at which wrong programs begin to treat factors in another way.
template <typename T>
constexpr T small = std::is_same_v<T, double> ? T(1e-9) : T(1e-6);
template <typename T>
constexpr T tiny = std::is_same_v<T, double> ? T(1e-200) : T(1e-25);

template <typename T>
std::vector<Named<T>> wrongOnes()
{
    using C = Call<T>;
    const auto old = [](const C& c) { return c.beta == 0 ? T(0) : c.beta * c.old; };
    return {
        {"without beta", [](const C& c) { return c.alpha * c.product(); }},
        {"without alpha", [=](const C& c) { return c.product() + old(c); }},
        {"reads y where beta is 0", [](const C& c) { return c.alpha * c.product() + c.beta * c.old; }},
        {"beta is 1", [](const C& c) { return c.alpha * c.product() + (c.beta == 0 ? 0 : c.old); }},
        {"twice", [=](const C& c) { return c.alpha * c.product() + 2 * old(c); }},
        {"alpha of both", [=](const C& c) { return c.alpha * (c.product() + old(c)); }},
        {"alpha positive", [=](const C& c) { return std::abs(c.alpha) * c.product() + old(c); }},
        {"right of whole numbers",
         [=](const C& c) {
             const T a = c.alpha == std::floor(c.alpha) ? c.alpha : 1;
             return a * c.product() + old(c);
         }},
        {"alpha below a size is 0",
         [=](const C& c) { return (std::abs(c.alpha) < tiny<T> ? 0 : c.alpha) * c.product() + old(c); }},
        {"a large alpha is clamped",
         [=](const C& c) { return std::min(c.alpha, 1 / small<T>) * c.product() + old(c); }},
        {"alpha near 1 is 1",
         [=](const C& c) { return (std::abs(c.alpha - 1) < T(1e-3) ? 1 : c.alpha) * c.product() + old(c); }},
        {"beta below a size is 0",
         [](const C& c) {
             return c.alpha * c.product() + (std::abs(c.beta) < small<T> ? 0 : c.beta * c.old);
         }},
        {"a huge beta is clamped",
         [](const C& c) {
             return c.alpha * c.product() + (c.beta == 0 ? 0 : std::min(c.beta, 1 / tiny<T>) * c.old);
         }},
        {"a subnormal beta is 0",
         [](const C& c) {
             return c.alpha * c.product() +
                    (std::abs(c.beta) < std::numeric_limits<T>::min() ? 0 : c.beta * c.old);
         }},
        {"a subnormal y is 0",
         [](const C& c) {
             const bool lost = std::abs(c.old) < std::numeric_limits<T>::min();
             return c.alpha * c.product() + (c.beta == 0 || lost ? 0 : c.beta * c.old);
         }},
    };
}

} // namespace

class ScaledTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void byHand_data() { types(); }
    void byHand();
    void whereBetaIsZeroTheOldIsNotRead_data() { types(); }
    void whereBetaIsZeroTheOldIsNotRead();
    void programs_data();
    void programs();
    void exactCalls_data() { types(); }
    void exactCalls();
    void numbersAreNoList();
    void kindsOfWhatAProgramTakes();
    void valuesAtTheEndOfTheType_data() { types(); }
    void valuesAtTheEndOfTheType();
    void halfOfOtherCallsGetFactors();

private:
    static void types()
    {
        QTest::addColumn<int>("type");
        QTest::newRow("f32") << static_cast<int>(ElementType::F32);
        QTest::newRow("f64") << static_cast<int>(ElementType::F64);
    }
    static ElementType type()
    {
        QFETCH(int, type);
        return static_cast<ElementType>(type);
    }
    template <typename T>
    void programsOf(const std::string& sizes);
};

void ScaledTest::byHand()
{
    const Csr m = handMade(type());
    const Numbers x = numbers(type(), {1, 10, 100}), before = numbers(type(), {7, -5, 3, 0.25});
    // A x = 0, 20, -97, -759.5.
    const Reference scaled = scaledReference(m, x, 1, Signs::Any, {-2, 4}, before);
    QCOMPARE(scaled.values, (std::vector<double>{28, -60, 206, 1520}));
    QCOMPARE(scaled.lengths, (std::vector<std::int32_t>{1, 2, 3, 4})); // The old one is a summand.
    QCOMPARE(scaled.bounds.at(0), 0.0); // One product that is a number of the type.
    // Rows with a product and an old element: (p + 4) u sum and u of both products and their sum.
    const double u = NumberFormat::of(type()).unitRoundoff();
    const double expected = u * (2 + 4) * (40 + 20) + u * (40 + 20 + 60);
    QVERIFY(std::abs(scaled.bounds.at(1) / expected - 1) < 1e-9);
    const double longest = u * (4 + 4) * (1 + 80 + 1600 + 1) + u * (1519 + 1 + 1520);
    QVERIFY(std::abs(scaled.bounds.at(3) / longest - 1) < 1e-9);
    QCOMPARE(magnitudesOf(m, x, 1), (std::vector<double>{0, 20, 103, 840.5}));
    // Two columns of B.
    const Numbers b = numbers(type(), {1, -1, 10, -10, 100, -100}),
                  old = numbers(type(), {7, 1, -5, 1, 3, 1, 0.25, 1});
    QCOMPARE(scaledReference(m, b, 2, Signs::Any, {-2, 4}, old).values,
             (std::vector<double>{28, 4, -60, 44, 206, -190, 1520, -1515}));
    // alpha = 0: what the row's products are does not matter, and y is the type's.
    const Reference kept = scaledReference(m, x, 1, Signs::Any, {0, 1}, before);
    QCOMPARE(kept.values, (std::vector<double>{7, -5, 3, 0.25}));
    QCOMPARE(kept.bounds, (std::vector<double>{0, 0, 0, 0}));
    // Where alpha and beta are 1 and 0, it is the reference of before.
    const Reference plain = reference(m, x, 1, Signs::Any);
    QCOMPARE(scaledReference(m, x, 1, Signs::Any, {1, 0}, {}).values, plain.values);
}

void ScaledTest::whereBetaIsZeroTheOldIsNotRead()
{
    const Csr m = handMade(type());
    const Numbers x = numbers(type(), {1, 10, 100});
    const double nan = std::nan("");
    const Reference scaled =
        scaledReference(m, x, 1, Signs::Any, {3, 0}, numbers(type(), {nan, nan, nan, nan}));
    QCOMPARE(scaled.values, (std::vector<double>{0, 60, -291, -2278.5}));
    for (const double bound : scaled.bounds)
        QVERIFY(std::isfinite(bound));
}

void ScaledTest::programs_data()
{
    QTest::addColumn<int>("type");
    QTest::addColumn<QString>("sizes");
    for (const char* sizes : {"alike", "ones", "wide"})
        for (const ElementType type : {ElementType::F32, ElementType::F64})
            QTest::addRow("%s, %s", std::string(nameOf(type)).c_str(), sizes)
                << static_cast<int>(type) << QString::fromLatin1(sizes);
}

/// Whatever the kinds of alpha and beta, right programs stay within the bound on every row, and each wrong
/// one leaves it in some call.
template <typename T>
void ScaledTest::programsOf(const std::string& sizes)
{
    constexpr ElementType elements = std::is_same_v<T, double> ? ElementType::F64 : ElementType::F32;
    Rng rng(7);
    Csr m;
    m.rows = 0;
    m.cols = 400;
    for (std::int32_t length : {0, 1, 1, 2, 3, 5, 17, 64, 200, 400}) {
        for (std::int32_t i = 0; i < length; ++i)
            m.col.push_back(i);
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
        ++m.rows;
    }
    m.val = randomVector(m.nnz(), rng);
    if (elements == ElementType::F64)
        m = inType(m, elements);
    for (std::size_t i = 0; i < static_cast<std::size_t>(m.nnz()); ++i)
        m.setValue(i, sizes == "ones"   ? 1
                      : sizes == "wide" ? std::ldexp(m.value(i), static_cast<int>(rng.between(-30, 30)))
                                        : m.value(i));
    const InputRange range = InputRange::of(m);
    const FactorUse use{true, true};
    std::set<std::string> found;
    for (int round = 0; round < 20; ++round)
        for (const FactorKind kind : factorKinds(use)) {
            Input input = timedInput(range, 1, rng);
            const ScaledInput one = scaledInput(kind, use, m, std::move(input), 1, rng);
            QCOMPARE(one.by, use.of(one.by));
            Numbers y(elements, static_cast<std::size_t>(m.rows));
            const auto run = [&](const Program<T>& program) {
                for (std::size_t row = 0; row < y.size(); ++row) {
                    Call<T> call{{},
                                 {},
                                 static_cast<T>(one.by.alpha),
                                 static_cast<T>(one.by.beta),
                                 static_cast<T>(one.before[row])};
                    for (auto at = static_cast<std::size_t>(m.rowPtr[row]);
                         at < static_cast<std::size_t>(m.rowPtr[row + 1]); ++at) {
                        call.a.push_back(static_cast<T>(m.value(at)));
                        call.x.push_back(static_cast<T>(one.input.x[static_cast<std::size_t>(m.col[at])]));
                    }
                    y.set(row, static_cast<double>(program(call)));
                }
                return compare(y, *one.expected, Tolerance::Bound);
            };
            for (const auto& [name, program] : rightOnes<T>()) {
                const Comparison compared = run(program);
                QVERIFY2(!compared.wrong,
                         qPrintable(
                             QStringLiteral(
                                 "%1, kind %2, alpha %3, beta %4: row %5 is %6, not %7 within %8, being %9")
                                 .arg(QString::fromLatin1(name))
                                 .arg(static_cast<int>(kind))
                                 .arg(one.by.alpha)
                                 .arg(one.by.beta)
                                 .arg(compared.wrong ? compared.wrong->row : 0)
                                 .arg(compared.wrong ? compared.wrong->got : 0)
                                 .arg(compared.wrong ? compared.wrong->expected : 0)
                                 .arg(compared.wrong ? compared.wrong->bound : 0)
                                 .arg(compared.wrong ? compared.wrong->got - compared.wrong->expected : 0)));
            }
            for (const auto& [name, program] : wrongOnes<T>())
                if (run(program).wrong)
                    found.insert(name);
            // A program that meets a call of Drawn alone is not paid either.
            if (kind == FactorKind::Drawn)
                for (const char* name : {"without beta", "without alpha", "beta is 1", "twice",
                                         "alpha of both", "right of whole numbers"})
                    QVERIFY2(found.contains(name), name);
            for (const double bound : one.expected->bounds)
                QVERIFY(std::isfinite(bound));
        }
    QCOMPARE(found.size(), wrongOnes<T>().size());
}

void ScaledTest::programs()
{
    QFETCH(QString, sizes);
    if (type() == ElementType::F64)
        programsOf<double>(sizes.toStdString());
    else
        programsOf<float>(sizes.toStdString());
}

/// Small integers and powers of two: no order rounds anything, also in long rows.
void ScaledTest::exactCalls()
{
    Rng rng(3);
    Csr pattern;
    pattern.rows = 3;
    pattern.cols = 70000;
    for (const std::int32_t length : {70000, 1, 9}) {
        for (std::int32_t i = 0; i < length; ++i)
            pattern.col.push_back(i);
        pattern.rowPtr.push_back(static_cast<std::int32_t>(pattern.col.size()));
    }
    pattern.val = randomVector(pattern.nnz(), rng);
    if (type() == ElementType::F64)
        pattern = inType(pattern, type());
    const Csr m = withSmallIntegers(pattern, rng);
    for (const FactorUse use : {FactorUse{true, true}, {true, false}, {false, true}})
        for (int round = 0; round < 30; ++round) {
            const ScaledInput one = exactScaledInput(use, m, 1, rng);
            Numbers y(type(), 3);
            for (std::size_t row = 0; row < 3; ++row) {
                // In the type itself, backwards, alpha inside, the old element in the middle.
                const auto begin = static_cast<std::size_t>(m.rowPtr[row]),
                           end = static_cast<std::size_t>(m.rowPtr[row + 1]);
                Numbers sum(type(), 1);
                for (std::size_t at = end; at-- > begin;) {
                    sum.set(0, sum[0] + one.by.alpha * m.value(at) *
                                            one.input.x[static_cast<std::size_t>(m.col[at])]);
                    if (at == begin + (end - begin) / 2 && one.by.beta != 0)
                        sum.set(0, sum[0] + one.by.beta * one.before[row]);
                }
                y.set(row, sum[0]);
            }
            QVERIFY(!compare(y, *one.expected, Tolerance::Exact).wrong);
        }
}

/// No two calls have the same factors, but where a kind says so.
void ScaledTest::numbersAreNoList()
{
    const Csr m = handMade(ElementType::F32);
    Rng rng(1);
    std::set<double> alphas, betas;
    for (int i = 0; i < 200; ++i) {
        const Input input{InputKind::Random, numbers(ElementType::F32, {1, 2, 3}), Signs::Any};
        const ScaledInput one = scaledInput(FactorKind::Drawn, {true, true}, m, input, 1, rng);
        QVERIFY(std::abs(one.by.alpha) >= 1.0 / 16 && std::abs(one.by.alpha) < 12);
        QVERIFY(static_cast<double>(static_cast<float>(one.by.alpha)) == one.by.alpha);
        alphas.insert(one.by.alpha);
        betas.insert(one.by.beta);
    }
    QVERIFY(alphas.size() > 190 && betas.size() > 190);
}

void ScaledTest::kindsOfWhatAProgramTakes()
{
    const Csr m = handMade(ElementType::F64);
    Rng rng(1);
    const Input input{InputKind::Random, numbers(ElementType::F64, {1, 2, 3}), Signs::Any};
    for (const FactorUse use : {FactorUse{true, true}, {true, false}, {false, true}})
        for (const FactorKind kind : factorKinds(use)) {
            const ScaledInput one = scaledInput(kind, use, m, input, 1, rng);
            QVERIFY(one.by != CallFactors{} || std::signbit(one.by.beta));
            QVERIFY(use.alpha || one.by.alpha == 1);
            QVERIFY(use.beta || one.by.beta == 0);
        }
    QVERIFY(factorKinds({}).empty() && drawnFactorKinds({}, 3, rng).empty());
    QCOMPARE(drawnFactorKinds({true, true}, 2, rng).size(), std::size_t(3));
    QVERIFY(drawnFactorKinds({true, true}, 2, rng).front() == FactorKind::Drawn);
}

/// Alpha is smaller where values leave no room for it, so that every element is judged.
void ScaledTest::valuesAtTheEndOfTheType()
{
    const NumberFormat& format = NumberFormat::of(type());
    Csr m = handMade(type());
    for (std::size_t i = 0; i < static_cast<std::size_t>(m.nnz()); ++i)
        m.setValue(i, std::ldexp(m.value(i), format.highest - 10));
    Rng rng(2);
    for (int round = 0; round < 20; ++round)
        for (const FactorKind kind : factorKinds({true, true})) {
            const Input input{InputKind::Random, numbers(type(), {1, -1, 2}), Signs::Any};
            const ScaledInput one = scaledInput(kind, {true, true}, m, input, 1, rng);
            for (const double bound : one.expected->bounds)
                QVERIFY(std::isfinite(bound));
        }
}

/// The other half keep alpha = 1 and beta = 0 with what they should give, and a y that nobody may read.
void ScaledTest::halfOfOtherCallsGetFactors()
{
    const Csr m = handMade(ElementType::F32);
    Rng rng(5);
    const Numbers x = numbers(ElementType::F32, {1, 2, 3});
    const auto plain = std::make_shared<const Reference>(reference(m, x, 1, Signs::Any));
    int scaled = 0;
    std::set<std::pair<double, double>> factors;
    for (int i = 0; i < 400; ++i) {
        const ScaledInput one =
            perhapsScaled({true, true}, m, {InputKind::Random, x, Signs::Any}, plain, 1, rng);
        QCOMPARE(one.before.size(), std::size_t(4));
        if (one.by == CallFactors{} && one.expected == plain)
            continue;
        ++scaled;
        factors.insert({one.by.alpha, one.by.beta});
        QVERIFY(one.expected != plain);
    }
    QVERIFY2(scaled > 150 && scaled < 250, qPrintable(QString::number(scaled)));
    QVERIFY(factors.size() > 100);
}

QTEST_GUILESS_MAIN(ScaledTest)
#include "scaled_test.moc"
