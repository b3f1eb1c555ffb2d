// SPDX-License-Identifier: Apache-2.0
#include "base/secret.h"
#include "evaluation/cases/input_kinds.h"
#include "evaluation/cases/input_recipes.h"
#include "evaluation/cases/inputs.h"
#include "evaluation/cases/relatives.h"
#include "evaluation/cases/target_context.h"
#include "evaluation/cases/value_kinds.h"
#include "matrix/generate.h"

#include <QTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

using namespace sparserl;

namespace {

std::vector<InputKind> everyKind()
{
    std::vector<InputKind> kinds;
    for (std::size_t i = 0; i < inputKindCount; ++i)
        kinds.push_back(static_cast<InputKind>(i));
    return kinds;
}

std::vector<ValueKind> everyValueKind()
{
    std::vector<ValueKind> kinds;
    for (std::size_t i = 0; i < valueKindCount; ++i)
        kinds.push_back(static_cast<ValueKind>(i));
    return kinds;
}

/// A row of so many entries.
Csr oneRow(std::int32_t length)
{
    Csr m;
    m.rows = 1;
    m.cols = length;
    for (std::int32_t i = 0; i < length; ++i)
        m.col.push_back(i);
    m.rowPtr = {0, length};
    m.val.assign(static_cast<std::size_t>(length), 1.0f);
    return m;
}

/// Single-precision sums of the first row, in several orders, fused and in separate steps.
std::vector<float> sums(const Csr& m, const std::vector<float>& x, Rng& rng)
{
    std::vector<float> products;
    float fused = 0;
    for (std::size_t i = 0; i < m.val.size(); ++i) {
        products.push_back(m.val[i] * x[static_cast<std::size_t>(m.col[i])]);
        fused = std::fma(m.val[i], x[static_cast<std::size_t>(m.col[i])], fused);
    }
    const auto serial = [](const std::vector<float>& values) {
        float sum = 0;
        for (const float value : values)
            sum += value;
        return sum;
    };
    std::vector<float> out{serial(products), fused};
    std::vector<float> tree = products;
    while (tree.size() > 1) {
        std::vector<float> half((tree.size() + 1) / 2);
        for (std::size_t i = 0; i < tree.size(); ++i)
            half[i / 2] += tree[i];
        tree.swap(half);
    }
    out.push_back(tree.empty() ? 0 : tree[0]);
    std::vector<float> lanes(32);
    for (std::size_t i = 0; i < products.size(); ++i)
        lanes[i % 32] += products[i];
    out.push_back(serial(lanes));
    std::sort(products.begin(), products.end(), [](float a, float b) { return std::abs(a) < std::abs(b); });
    out.push_back(serial(products));
    std::reverse(products.begin(), products.end());
    out.push_back(serial(products));
    rng.shuffle(products);
    out.push_back(serial(products));
    return out;
}

} // namespace

class InputKindsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sumsStayInRange_data();
    void sumsStayInRange();
    void kindsAreWhatTheySay();
    void honestSumsFit_data();
    void honestSumsFit();
    void equalProductsErrAlike();
    void whatPassedBefore_data();
    void whatPassedBefore();
    void productsAreNormalWhereTheyCanBe();
    void allKindsAreDrawnAlike();
    void disguised();
    void patternsAreWhatTheySay();
    void columnsAreRelated();
    void elementsReachTheEnd();
    void recipesAreWhatTheySay();
    void recipesOfColumns();
    void longRowsMeetSingleTerms();
    void orderWithinRows();
    void changedValues_data();
    void changedValues();
    void whatIsChangedShows();
    void extremesAreAlone();
    void brimIsTheContracts();
    void vectorsOfTheMatrix();
    void smallOnesAreAlone();
    void valuesOfKinds();
    void relativesKeepValues();
    void secretsDiffer();
    void inputsOfATarget();
};

void InputKindsTest::sumsStayInRange_data()
{
    QTest::addColumn<int>("values");
    for (const ValueKind kind : everyValueKind())
        QTest::addRow("%s", std::string(nameOf(kind)).c_str()) << static_cast<int>(kind);
    QTest::addRow("one entry of 3.4e38") << -1;
    QTest::addRow("1e-38 beside 1e38") << -2;
}

/// Whatever the values, no partial sum of a row comes near infinity, and x is finite.
void InputKindsTest::sumsStayInRange()
{
    QFETCH(int, values);
    Rng rng(3);
    Csr m = *generate("random(rows=200,cols=170,mean=12)");
    if (values >= 0)
        m = withValues(m, static_cast<ValueKind>(values), rng);
    if (values == -1)
        m.val[m.val.size() / 2] = 3.4e38f;
    for (std::size_t i = 0; values == -2 && i < m.val.size(); ++i)
        m.val[i] = i % 2 ? 1e-38f : 1e38f;
    const InputRange range = InputRange::of(m);
    for (const InputKind kind : everyKind())
        for (const std::int64_t columns : {1, 3})
            for (int round = 0; round < 4; ++round) {
                const Input input = makeInput(kind, range, columns, rng);
                QCOMPARE(input.x.size(), static_cast<std::size_t>(columns * m.cols));
                for (const float v : input.x.floats())
                    QVERIFY(std::isfinite(v));
                const Reference y = reference(m, input.x, columns, input.signs);
                for (std::size_t i = 0; i < y.values.size(); ++i)
                    QVERIFY2(std::isfinite(y.bounds[i]) && std::abs(y.values[i]) < 1.8e38,
                             std::string(nameOf(kind)).c_str());
            }
}

void InputKindsTest::kindsAreWhatTheySay()
{
    Rng rng(4);
    const Csr m = withRandomValues(*generate("random(rows=600,cols=500,mean=12)"), rng);
    const InputRange range = InputRange::of(m);
    QCOMPARE(range.shift(), 0);
    // Half of most kinds have a region of ordinary numbers: what holds of those without it.
    const auto whole = [&](InputKind kind, const auto& holds) {
        int found = 0;
        for (int i = 0; i < 40; ++i) {
            const auto x = makeInput(kind, range, 1, rng).x.floats();
            found += std::all_of(x.begin(), x.end(), holds);
        }
        return found;
    };
    QCOMPARE(whole(InputKind::Random, [](float v) { return std::abs(v) >= 0.5f && std::abs(v) < 1.5f; }), 40);
    for (int i = 0; i < 40; ++i) { // No element is lost beside others.
        const auto x = makeInput(InputKind::Octaves, range, 1, rng).x.floats();
        const auto [least, most] = std::minmax_element(
            x.begin(), x.end(), [](float a, float b) { return std::abs(a) < std::abs(b); });
        QVERIFY(std::abs(*most / *least) <= 24 && std::abs(*most / *least) > 3);
    }
    const int positive = whole(InputKind::Positive, [](float v) { return v >= 0.5f && v < 1.5f; });
    QVERIFY(positive >= 8 && positive <= 32);
    const int tiny = whole(InputKind::Tiny, [](float v) { return std::abs(v) < 1e-33f; });
    QVERIFY(tiny >= 8 && tiny <= 32);
    const int huge = whole(InputKind::Huge, [](float v) { return std::abs(v) > 1e34f; });
    QVERIFY(huge >= 8 && huge <= 32);
    const int subnormal =
        whole(InputKind::Subnormal, [](float v) { return v != 0 && std::abs(v) < 1.1754944e-38f; });
    QVERIFY(subnormal >= 8 && subnormal <= 32);
    QCOMPARE(whole(InputKind::Ones, [](float v) { return v == 1; }), 40);
    int constant = 0, sparse = 0, zeros = 0, negativeZeros = 0;
    for (int i = 0; i < 40; ++i) {
        const auto x = makeInput(InputKind::Constant, range, 1, rng).x.floats();
        constant += std::all_of(x.begin(), x.end(), [&](float v) { return v == x[0]; });
        const auto unit = makeInput(InputKind::Unit, range, 2, rng).x.floats();
        QCOMPARE(std::count(unit.begin(), unit.end(), 0.0f), std::ptrdiff_t(998));
        const auto thin = makeInput(InputKind::Sparse, range, 1, rng).x.floats();
        sparse += std::count(thin.begin(), thin.end(), 0.0f) > 400;
        const auto half = makeInput(InputKind::Zeros, range, 1, rng).x.floats();
        zeros += std::count(half.begin(), half.end(), 0.0f) > 200;
        negativeZeros +=
            std::count_if(half.begin(), half.end(), [](float v) { return v == 0 && std::signbit(v); }) > 80;
        const auto alike = makeInput(InputKind::AlikeColumns, range, 4, rng).x.floats();
        for (std::size_t k = 0; k < alike.size(); ++k)
            QCOMPARE(alike[k], alike[k / 4 * 4]);
    }
    QVERIFY(constant > 8 && constant < 32);
    QVERIFY(sparse > 8 && zeros > 8 && negativeZeros > 8);
}

void InputKindsTest::honestSumsFit_data()
{
    QTest::addColumn<int>("kind");
    for (const InputKind kind : everyKind())
        QTest::addRow("%s", std::string(nameOf(kind)).c_str()) << static_cast<int>(kind);
}

/// Sums in single precision, whatever the order, values and vector, stay within the bound.
void InputKindsTest::honestSumsFit()
{
    QFETCH(int, kind);
    Rng rng(static_cast<std::uint64_t>(kind) + 50);
    double largest = 0;
    for (const std::int32_t length : {1, 2, 3, 5, 9, 32, 100, 1000, 20'000})
        for (const ValueKind values : everyValueKind())
            for (int round = 0; round < std::clamp(4000 / length, 1, 60); ++round) {
                const Csr m = withValues(oneRow(length), values, rng);
                const Input input = makeInput(static_cast<InputKind>(kind), InputRange::of(m), 1, rng);
                const Reference expected = reference(m, input.x, 1, input.signs);
                for (const float sum : sums(m, input.x.floats(), rng)) {
                    const auto compared = compare(std::vector<float>{sum}, expected, Tolerance::Bound);
                    QVERIFY2(!compared.wrong,
                             qPrintable(QStringLiteral("%1 entries, values %2: %3 instead of %4 within %5")
                                            .arg(length)
                                            .arg(QString::fromStdString(std::string(nameOf(values))))
                                            .arg(static_cast<double>(sum))
                                            .arg(expected.values[0])
                                            .arg(expected.bounds[0])));
                    largest = std::max(largest, compared.boundShare);
                }
            }
    qInfo("largest share of the bound %.3f", largest);
    QVERIFY(largest <= 0.9);
}

/// Why the bound with random signs is no bound for vectors without: the roundings of a serial sum of equal
/// numbers are all alike.
void InputKindsTest::equalProductsErrAlike()
{
    Rng rng(1);
    const Csr m = oneRow(200'000);
    const std::vector<float> x(200'000, 1.1f);
    const float serial = sums(m, x, rng)[0];
    const auto share = [&](Signs signs) {
        const Reference y = reference(m, x, 1, signs);
        return std::abs(static_cast<double>(serial) - y.values[0]) / y.bounds[0];
    };
    QVERIFY(share(Signs::Random) > 3);
    QVERIFY(share(Signs::Any) < 1);
}

void InputKindsTest::whatPassedBefore_data()
{
    using Change = std::function<double(double a, double x)>;
    QTest::addColumn<int>("values");
    QTest::addColumn<Change>("product");
    const auto row = [](const char* name, ValueKind values, const Change& change) {
        QTest::newRow(name) << static_cast<int>(values) << change;
    };
    row("values below a billionth dropped", ValueKind::TwoSizes,
        [](double a, double x) { return std::abs(a) < 1e-8 ? 0 : a * x; });
    row("small values dropped", ValueKind::Decaying,
        [](double a, double x) { return std::abs(a) < 1e-8 ? 0 : a * x; });
    row("x clamped", ValueKind::Random, [](double a, double x) { return a * std::clamp(x, -2.0, 2.0); });
    row("x in 16 bits of fixed point", ValueKind::Random,
        [](double a, double x) { return a * std::nearbyint(x * 65536) / 65536; });
    row("small x dropped", ValueKind::Random,
        [](double a, double x) { return std::abs(x) < 0.25 ? 0 : a * x; });
    row("products above 1e36", ValueKind::Random,
        [](double a, double x) { return std::clamp(a * x, -1e36, 1e36); });
    row("products below 1e-36", ValueKind::Random,
        [](double a, double x) { return std::abs(a * x) < 1e-36 ? 0 : a * x; });
}

/// Right for numbers in +-[0.5, 1.5), wrong for the contract's: some special kind shows it, every time.
void InputKindsTest::whatPassedBefore()
{
    using Change = std::function<double(double a, double x)>;
    QFETCH(int, values);
    QFETCH(Change, product);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        Rng rng(seed);
        const Csr m =
            withValues(*generate("random(rows=300,cols=280,mean=12)"), static_cast<ValueKind>(values), rng);
        const auto multiply = [&](const std::vector<float>& x) {
            std::vector<float> y;
            for (std::int32_t row = 0; row < m.rows; ++row) {
                double sum = 0;
                for (auto at = m.rowPtr[static_cast<std::size_t>(row)];
                     at < m.rowPtr[static_cast<std::size_t>(row) + 1]; ++at)
                    sum += product(static_cast<double>(m.val[static_cast<std::size_t>(at)]),
                                   static_cast<double>(
                                       x[static_cast<std::size_t>(m.col[static_cast<std::size_t>(at)])]));
                y.push_back(static_cast<float>(sum));
            }
            return y;
        };
        const InputRange range = InputRange::of(m);
        bool found = false;
        for (const Input& input : specialInputs(inputKindCount, range, 1, rng))
            found = found || firstWrong(multiply(input.x.floats()), reference(m, input.x, 1, input.signs),
                                        Tolerance::Bound);
        QVERIFY(found);
    }
}

/// Zero is no right answer where values are tiny: vectors are as large as that takes.
void InputKindsTest::productsAreNormalWhereTheyCanBe()
{
    Rng rng(8);
    const Csr pattern = *generate("random(rows=200,cols=170,mean=12)");
    for (int round = 0; round < 20; ++round) {
        Csr m = pattern;
        for (float& value : m.val)
            value = std::ldexp(static_cast<float>(rng.uniform(0.5, 1)), -128);
        const Input input = timedInput(InputRange::of(m), 1, rng);
        const Reference y = reference(m, input.x, 1);
        const std::vector<float> zeros(static_cast<std::size_t>(m.rows));
        QVERIFY(firstWrong(zeros, y, Tolerance::Bound));
        QVERIFY(firstWrong(zeros, y, Tolerance::Flushed));
    }
}

void InputKindsTest::allKindsAreDrawnAlike()
{
    Rng rng(2);
    std::map<InputKind, int> first, timed;
    const InputRange range = InputRange::of(oneRow(3));
    for (int i = 0; i < 1600; ++i) {
        const auto kinds = specialKinds(4, rng);
        QCOMPARE(kinds.size(), inputKindCount - timedKinds.size());
        QCOMPARE(std::set(kinds.begin(), kinds.end()).size(), kinds.size());
        ++first[kinds[0]];
        ++timed[timedInput(range, 1, rng).kind];
        QCOMPARE(specialKinds(1, rng).size(), kinds.size() - 1); // One column is like itself.
    }
    for (const auto& [kind, count] : first)
        QVERIFY(count > 80 && count < 170);
    QCOMPARE(timed.size(), timedKinds.size());
    for (const auto& [kind, count] : timed)
        QVERIFY(count > 700 && count < 900);
}

/// What a program reads at some places says nothing about the others.
void InputKindsTest::disguised()
{
    Rng rng(6);
    const InputRange range = InputRange::of(withRandomValues(oneRow(1000), rng));
    const auto ordinary = [](float v) { return std::abs(v) > 1e-8f; }; // As in timed calls, not tiny.
    int begins = 0, ends = 0, nowhere = 0;
    for (int i = 0; i < 400; ++i) {
        const auto x = makeInput(InputKind::Tiny, range, 1, rng).x.floats();
        const bool first = std::all_of(x.begin(), x.begin() + 1, ordinary);
        const bool last = std::all_of(x.end() - 1, x.end(), ordinary);
        begins += first;
        ends += last;
        nowhere += std::none_of(x.begin(), x.end(), ordinary);
        QVERIFY(std::any_of(x.begin(), x.end(), [](float v) { return std::abs(v) < 1e-33f; }));
    }
    QVERIFY(begins > 80 && ends > 60 && nowhere > 140);
}

void InputKindsTest::patternsAreWhatTheySay()
{
    Rng rng(14);
    const Csr m = withRandomValues(*generate("random(rows=600,cols=500,mean=12)"), rng);
    const InputRange range = InputRange::of(m);
    const auto all = [](const std::vector<float>& x, const auto& holds) {
        return std::all_of(x.begin(), x.end(), holds);
    };
    const auto distinct = [](const std::vector<float>& x) { return std::set(x.begin(), x.end()).size(); };
    const auto zeros = [](const std::vector<float>& x) { return std::count(x.begin(), x.end(), 0.0f); };
    for (int round = 0; round < 20; ++round) {
        const auto of = [&](InputPattern pattern) {
            return patternedVector(pattern, range, 1, rng).floats();
        };
        QVERIFY(all(of(InputPattern::Nothing), [](float v) { return v == 0; }));
        QVERIFY(all(of(InputPattern::Negative), [](float v) { return v <= -0.5f && v > -1.5f; }));
        const auto mask = of(InputPattern::Mask);
        QVERIFY(distinct(mask) == 2 && all(mask, [](float v) { return v == 0 || v == 1; }));
        const auto signs = of(InputPattern::Signs);
        QVERIFY(distinct(signs) == 2 &&
                all(signs, [&](float v) { return std::abs(v) == std::abs(signs[0]); }));
        const auto few = distinct(of(InputPattern::FewValues));
        QVERIFY(few == 2 || few == 3);
        const auto repeated = of(InputPattern::Repeated);
        bool repeats = false;
        for (std::size_t period = 2; period <= 16; ++period)
            repeats = repeats || std::equal(repeated.begin() + static_cast<std::ptrdiff_t>(period),
                                            repeated.end(), repeated.begin());
        QVERIFY(repeats && distinct(repeated) > 1);
        const auto steps = of(InputPattern::Steps);
        int alike = 0;
        for (std::size_t i = 1; i < steps.size(); ++i)
            alike += steps[i] == steps[i - 1];
        QVERIFY(alike > 250 && distinct(steps) > 5);
        const auto up = of(InputPattern::Ascending), down = of(InputPattern::Descending);
        QVERIFY(std::is_sorted(up.begin(), up.end()) && std::is_sorted(down.rbegin(), down.rend()));
        QVERIFY(distinct(up) > 400 && distinct(down) > 400);
        const auto counting = of(InputPattern::Counting);
        for (std::size_t i = 2; i < counting.size(); ++i)
            QCOMPARE(counting[i] - counting[i - 1], counting[1] - counting[0]);
        QVERIFY(counting[1] != counting[0]);
        const auto integers = of(InputPattern::Integers);
        QVERIFY(distinct(integers) > 100 && zeros(integers) == 0 &&
                all(integers, [](float v) { return std::abs(v) < 100 && v == std::rint(v); }));
        const auto exception = of(InputPattern::Exception);
        QVERIFY(distinct(exception) == 2);
        QVERIFY(std::count(exception.begin(), exception.end(), exception[0]) % 498 == 1);
        const auto outlier = of(InputPattern::Outlier);
        QCOMPARE(std::count_if(outlier.begin(), outlier.end(), [](float v) { return std::abs(v) > 1e30f; }),
                 std::ptrdiff_t(1));
        const auto peak = of(InputPattern::Peak);
        const Reference y = reference(m, peak, 1, Signs::Any);
        QCOMPARE(zeros(peak), std::ptrdiff_t(499));
        QVERIFY(std::any_of(y.values.begin(), y.values.end(),
                            [](double v) { return std::abs(v) >= 0x1p126 && std::abs(v) < 0x1p127; }));
        const auto alternating = of(InputPattern::Alternating);
        for (std::size_t i = 1; i < alternating.size(); ++i)
            QVERIFY(alternating[i] * alternating[i - 1] < 0);
        QCOMPARE(zeros(of(InputPattern::EverySecond)), std::ptrdiff_t(250));
        const auto some = zeros(of(InputPattern::EveryKth));
        QVERIFY((some > 60 && some < 170) || (some > 330 && some < 440));
        const auto run = of(InputPattern::ZeroRun);
        const auto first = std::find(run.begin(), run.end(), 0.0f);
        QVERIFY(zeros(run) > 125 && zeros(run) < 380);
        QVERIFY(std::all_of(first, first + zeros(run), [](float v) { return v == 0; }));
    }
}

/// Columns of B are not always of one kind.
void InputKindsTest::columnsAreRelated()
{
    Rng rng(15);
    const Csr m = withRandomValues(*generate("random(rows=90,cols=80,mean=9)"), rng);
    const InputRange range = InputRange::of(m);
    QCOMPARE(inputPatterns(1).size() + 4, inputPatterns(8).size());
    for (int round = 0; round < 20; ++round) {
        std::map<InputPattern, std::vector<float>> made;
        for (const InputPattern pattern : inputPatterns(8))
            made[pattern] = patternedVector(pattern, range, 8, rng).floats();
        std::vector<double> largest(8);
        int missing = 0;
        for (std::size_t j = 0; j < 8; ++j) {
            bool none = true;
            for (std::size_t row = 0; row < 80; ++row) {
                largest[j] = std::max(
                    largest[j], std::abs(static_cast<double>(made[InputPattern::ColumnSizes][8 * row + j])));
                none = none && made[InputPattern::ColumnsMissing][8 * row + j] == 0;
                const auto& copied = made[InputPattern::ColumnsCopied];
                const auto& opposite = made[InputPattern::ColumnsOpposite];
                QCOMPARE(copied[8 * row + j], copied[8 * row + j / 2 * 2]);
                if (j % 2 == 1)
                    QCOMPARE(opposite[8 * row + j], -opposite[8 * row + j - 1]);
            }
            missing += none;
        }
        QVERIFY(missing > 0 && missing < 8);
        std::sort(largest.begin(), largest.end());
        for (std::size_t j = 1; j < 8; ++j)
            QVERIFY(largest[j] > 1000 * largest[j - 1]);
    }
}

/// x is any finite number, also where no exponent is left, as long as no row leaves float32 by it.
void InputKindsTest::elementsReachTheEnd()
{
    Rng rng(16);
    const Csr tiny = withValues(*generate("random(rows=90,cols=80,mean=9)"), ValueKind::Tiny, rng);
    Csr unused = withRandomValues(*generate("random(rows=90,cols=80,mean=9)"), rng);
    ++unused.cols;
    for (const Csr& m : {tiny, unused}) {
        const Input input = patternedInput(InputPattern::LastOctave, InputRange::of(m), 1, rng);
        QVERIFY(std::any_of(input.x.floats().begin(), input.x.floats().end(),
                            [](float v) { return std::abs(v) > 1.8e38f; }));
        QVERIFY(std::all_of(input.x.floats().begin(), input.x.floats().end(),
                            [](float v) { return std::isfinite(v); }));
    }
}

/// Each choice alone makes what its name says; nothing leaves the range, whatever is combined.
void InputKindsTest::recipesAreWhatTheySay()
{
    Rng rng(21);
    const Csr m = withRandomValues(*generate("random(rows=500,cols=400,mean=9)"), rng);
    const InputRange range = InputRange::of(m);
    const auto all = [](const std::vector<float>& x, const auto& holds) {
        return std::all_of(x.begin(), x.end(), holds);
    };
    const auto whole = [](float v) { return v == std::rint(v); };
    using R = InputRecipe;
    std::size_t checked = 0;
    for (const InputRecipe& recipe : singleRecipes(1)) {
        const auto x = recipeVector(recipe, range, 1, rng).floats();
        const std::size_t n = x.size();
        QCOMPARE(n, std::size_t(400));
        QVERIFY(all(x, [](float v) { return std::isfinite(v); }));
        const auto zeros = std::count(x.begin(), x.end(), 0.0f);
        const auto is = [&](auto InputRecipe::*choice, auto value) {
            const bool so = recipe.*choice == value;
            checked += so;
            return so;
        };
        if (is(&R::sizes, R::Sizes::Uniform))
            QVERIFY(all(x, [](float v) { return std::abs(v) <= 1; }) &&
                    std::any_of(x.begin(), x.end(), [](float v) { return std::abs(v) < 0.1f; }));
        if (is(&R::sizes, R::Sizes::Normal))
            QVERIFY(std::any_of(x.begin(), x.end(), [](float v) { return std::abs(v) > 2; }) &&
                    std::any_of(x.begin(), x.end(), [](float v) { return std::abs(v) < 0.05f; }));
        if (is(&R::sizes, R::Sizes::Powers))
            QVERIFY(all(x, [](float v) {
                int e = 0;
                return std::abs(std::frexp(v, &e)) == 0.5f;
            }));
        if (is(&R::sizes, R::Sizes::Counts))
            QVERIFY(all(x, whole) && all(x, [](float v) { return std::abs(v) <= 5; }) && zeros > 20);
        if (is(&R::sizes, R::Sizes::Thousands))
            QVERIFY(all(x, whole) && std::any_of(x.begin(), x.end(), [](float v) { return v > 5000; }));
        if (is(&R::sizes, R::Sizes::Ranks)) {
            std::set<float> ranks;
            for (const float v : x)
                ranks.insert(std::abs(v));
            QVERIFY(ranks.size() == n && *ranks.begin() == 1 && *ranks.rbegin() == static_cast<float>(n));
        }
        if (is(&R::sizes, R::Sizes::Harmonic))
            for (std::size_t i = 0; i < n; ++i)
                QCOMPARE(std::abs(x[i]) * static_cast<float>(i + 1), std::abs(x[0]));
        if (is(&R::sizes, R::Sizes::Halving))
            for (std::size_t i = 1; i < n; ++i)
                QVERIFY(i % 101 == 0 || std::abs(x[i]) == 0.5f * std::abs(x[i - 1]));
        if (is(&R::place, R::Place::ZeroGroups)) {
            double sum = 0;
            int zeroSums = 0;
            for (const float v : x) {
                sum += static_cast<double>(v);
                zeroSums += sum == 0;
            }
            QVERIFY(zeroSums >= static_cast<int>(n) / 8 && sum == 0);
        }
        if (is(&R::place, R::Place::AscendingRuns)) {
            int falls = 0;
            for (std::size_t i = 1; i < n; ++i)
                falls += x[i] < x[i - 1];
            QVERIFY(falls >= 3 && falls < static_cast<int>(n) / 16);
        }
        if (is(&R::sizes, R::Sizes::OneOrNothing))
            QVERIFY(all(x, [](float v) { return v == 0 || std::abs(v) == 1; }));
        if (is(&R::signs, R::SignRule::Positive))
            QVERIFY(all(x, [](float v) { return v >= 0; }));
        if (is(&R::zeros, R::ZeroRule::One))
            QCOMPARE(zeros, std::ptrdiff_t(1));
        if (is(&R::zeros, R::ZeroRule::Few))
            QVERIFY(zeros >= 4 && zeros <= 82);
        if (is(&R::zeros, R::ZeroRule::Rectified))
            QVERIFY(zeros > 100 && zeros < 300 && all(x, [](float v) { return v >= 0; }));
        if (is(&R::zeros, R::ZeroRule::LastHalf))
            QCOMPARE(zeros, std::ptrdiff_t(200));
        if (is(&R::zeros, R::ZeroRule::AllButTwo))
            QVERIFY(zeros >= 398);
        for (std::size_t i = 0; i < n; ++i) {
            if (recipe.place == R::Place::Mirrored || recipe.place == R::Place::Antisymmetric)
                QCOMPARE(x[n - 1 - i], recipe.place == R::Place::Mirrored ? x[i] : -x[i]);
            if (i % 2 == 1 && (recipe.place == R::Place::Pairs || recipe.place == R::Place::OppositePairs))
                QCOMPARE(x[i], recipe.place == R::Place::Pairs ? x[i - 1] : -x[i - 1]);
            if (i > 0 && recipe.place == R::Place::Decaying)
                QVERIFY(std::abs(x[i]) < std::abs(x[i - 1]));
        }
        if (is(&R::scale, R::Scale::Hundreds))
            QVERIFY(all(x, [](float v) { return v > 250 && v < 350; }));
        if (is(&R::scale, R::Scale::Normalised)) {
            double squares = 0;
            for (const float v : x)
                squares += static_cast<double>(v) * static_cast<double>(v);
            QVERIFY(std::abs(squares - 1) < 1e-4);
        }
        const std::uint32_t beyond = is(&R::digits, R::Digits::Brain) ? 0xffff : 0x1fff;
        if (recipe.digits != R::Digits::All)
            QVERIFY(all(x, [&](float v) { return (std::bit_cast<std::uint32_t>(v) & beyond) == 0; }));
    }
    QVERIFY(checked >= 15);
    std::vector<std::ptrdiff_t> shares; // In parts: no large gap between them.
    for (const InputRecipe& recipe : everyRecipe(1))
        if (recipe.zeros == R::ZeroRule::Few) {
            const auto x = recipeVector(recipe, range, 1, rng).floats();
            shares.push_back(std::count(x.begin(), x.end(), 0.0f));
        }
    QCOMPARE(shares.size(), std::size_t(6));
    for (std::size_t i = 1; i < shares.size(); ++i)
        QVERIFY(shares[i] >= shares[i - 1] && shares[i] <= 3 * shares[i - 1]);
    for (const ValueKind values : everyValueKind()) {
        const Csr other = withValues(m, values, rng);
        for (int i = 0; i < 40; ++i) {
            const auto x = recipeVector(drawRecipe(3, rng), InputRange::of(other), 3, rng).floats();
            const Reference y = reference(other, x, 3, Signs::Any);
            for (std::size_t at = 0; at < y.values.size(); ++at)
                QVERIFY(std::isfinite(y.bounds[at]) && std::abs(y.values[at]) < 1.8e38);
        }
    }
}

void InputKindsTest::recipesOfColumns()
{
    Rng rng(22);
    const Csr m = withRandomValues(*generate("random(rows=90,cols=80,mean=9)"), rng);
    using C = InputRecipe::Columns;
    std::set<C> seen;
    for (const InputRecipe& recipe : singleRecipes(6)) {
        if (recipe.columns == C::Own)
            continue;
        seen.insert(recipe.columns);
        const auto x = recipeVector(recipe, InputRange::of(m), 6, rng).floats();
        int empty = 0;
        std::set<std::vector<float>> columns;
        for (std::size_t j = 0; j < 6; ++j) {
            std::vector<float> column;
            for (std::size_t row = 0; row < 80; ++row)
                column.push_back(x[6 * row + j]);
            columns.insert(column);
        }
        for (std::size_t row = 0; row < 80; ++row) {
            const auto from = x.begin() + static_cast<std::ptrdiff_t>(6 * row);
            const auto zeros = std::count(from, from + 6, 0.0f);
            empty += zeros == 6;
            if (recipe.columns == C::OneHot)
                QVERIFY(zeros == 5 && std::accumulate(from, from + 6, 0.0f) == 1);
            if (recipe.columns == C::OnesFirst)
                QCOMPARE(*from, 1.0f);
            if (recipe.columns == C::AlikeInRows)
                QVERIFY(std::all_of(from, from + 6, [&](float v) { return v == *from; }));
        }
        if (recipe.columns == C::ZeroRow)
            QVERIFY(empty >= 1 && empty <= 3);
        if (recipe.columns == C::CopiedFar)
            QVERIFY(columns.size() >= 2 && columns.size() < 6);
        for (std::size_t row = 0; row < 80 && recipe.columns == C::ScaledCopies; ++row)
            QVERIFY(x[6 * row + 2] == 4 * x[6 * row] || x[6 * row + 2] == 0.25f * x[6 * row]);
    }
    QCOMPARE(seen.size(), std::size_t(17));
}

/// A term of a row much longer than the others stands alone in some vector: that it is left out shows.
void InputKindsTest::longRowsMeetSingleTerms()
{
    Rng rng(23);
    Csr m = withRandomValues(*generate("random(rows=4000,cols=4000,mean=4)"), rng);
    for (std::int32_t column = 0; column < 3000; ++column) { // One more row.
        m.col.push_back(column);
        m.val.push_back(1);
    }
    ++m.rows;
    m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    const InputRange range = InputRange::of(m);
    QCOMPARE(range.longest(), 3000);
    int few = 0;
    for (int i = 0; i < 60; ++i) {
        const auto x = makeInput(InputKind::Sparse, range, 1, rng, Disguise::Never).x.floats();
        const auto terms = 3000 - std::count(x.begin(), x.begin() + 3000, 0.0f);
        few += terms > 0 && terms < 12;
    }
    QVERIFY(few >= 10);
}

/// Neither the set of all values, nor that of a row, nor its sum says what stands where.
void InputKindsTest::orderWithinRows()
{
    Rng rng(24);
    const Csr m = withRandomValues(*generate("random(rows=300,cols=300,mean=12)"), rng);
    const auto sorted = [](std::vector<float> values) {
        std::sort(values.begin(), values.end());
        return values;
    };
    for (const ValueChange change :
         {ValueChange::Exchanged, ValueChange::WithinRows, ValueChange::WithinARow}) {
        const Csr changed = withChangedValues(m, change, rng);
        QVERIFY(changed.val != m.val && sorted(changed.val) == sorted(m.val));
        int rows = 0;
        for (std::int32_t row = 0; row < m.rows; ++row) {
            const auto from = m.rowPtr[static_cast<std::size_t>(row)];
            const auto part = [&](const Csr& of) {
                return std::vector<float>(of.val.begin() + from, of.val.begin() + from + of.rowLength(row));
            };
            rows += part(changed) != part(m);
            if (change != ValueChange::Exchanged)
                QVERIFY(sorted(part(changed)) == sorted(part(m)));
        }
        QVERIFY(change == ValueChange::WithinARow ? rows == 1 : rows > 200);
    }
}

void InputKindsTest::changedValues_data()
{
    QTest::addColumn<int>("change");
    for (std::size_t i = 0; i < valueChangeCount; ++i)
        QTest::addRow("%s", std::string(nameOf(static_cast<ValueChange>(i))).c_str()) << static_cast<int>(i);
}

/// Something is changed, whatever the values are, and nothing becomes infinite.
void InputKindsTest::changedValues()
{
    QFETCH(int, change);
    Rng rng(9);
    const Csr m = withRandomValues(*generate("random(rows=900,cols=900,mean=12)"), rng);
    const Csr one = oneRow(1);
    for (int i = 0; i < 40; ++i) {
        Csr before = i % 2 ? withDrawnValues(m, rng) : i % 4 == 0 ? m : one;
        if (i % 8 == 1)
            std::fill(before.val.begin(), before.val.end(), 3.4028234e38f);
        const Csr changed = withChangedValues(before, static_cast<ValueChange>(change), rng);
        QVERIFY(changed.col == before.col && changed.rowPtr == before.rowPtr);
        QVERIFY(changed.val != before.val);
        for (const float value : changed.val)
            QVERIFY(std::isfinite(value));
    }
    QVERIFY(withChangedValues(Csr(), static_cast<ValueChange>(change), rng).val.empty());
}

/// Who looks at a part of the values finds some change in what is left out.
void InputKindsTest::whatIsChangedShows()
{
    Rng rng(19);
    const Csr m = withRandomValues(*generate("random(rows=900,cols=900,mean=12)"), rng);
    const std::size_t count = m.val.size();
    const auto places = [&](ValueChange change) {
        const Csr changed = withChangedValues(m, change, rng);
        std::set<std::size_t> found;
        for (std::size_t at = 0; at < count; ++at)
            if (changed.val[at] != m.val[at])
                found.insert(at);
        return found;
    };
    int kept = 0;
    for (int i = 0; i < 40; ++i) {
        const auto few = places(ValueChange::Few);
        QVERIFY(few.size() >= 2 && few.size() <= 80);
        QCOMPARE(places(ValueChange::One).size(), std::size_t(1));
        QVERIFY(*places(ValueChange::Beginning).rbegin() < 16);
        QVERIFY(*places(ValueChange::End).begin() >= count - 16);
        const auto range = places(ValueChange::Range);
        QCOMPARE(*range.rbegin() - *range.begin() + 1, range.size());
        QCOMPARE(places(ValueChange::Even).size(), (count + 1) / 2);
        QCOMPARE(places(ValueChange::Odd).size(), count / 2);
        QVERIFY(places(ValueChange::FirstsOfRows).size() > 200);
        const Csr again = withChangedValues(m, ValueChange::Few, rng);
        kept +=
            std::multiset(again.val.begin(), again.val.end()) == std::multiset(m.val.begin(), m.val.end());
        const Csr halves = withChangedValues(m, ValueChange::LowerHalves, rng),
                  last = withChangedValues(m, ValueChange::LastBits, rng),
                  units = withChangedValues(m, ValueChange::LastUnits, rng),
                  signs = withChangedValues(m, ValueChange::Signs, rng);
        std::size_t moved = 0;
        for (std::size_t at = 0; at < count; ++at) {
            QVERIFY(std::abs(halves.val[at] / m.val[at] - 1) < 0.008f);
            QVERIFY(last.val[at] != m.val[at] && std::abs(last.val[at] / m.val[at] - 1) < 1e-6f);
            QVERIFY(std::abs(std::bit_cast<std::int32_t>(units.val[at]) -
                             std::bit_cast<std::int32_t>(m.val[at])) <= 1);
            moved += units.val[at] != m.val[at];
            QCOMPARE(std::abs(signs.val[at]), std::abs(m.val[at]));
        }
        QVERIFY(moved > count / 20);
        const Csr ones = withValues(m, ValueKind::Ones, rng),
                  sum = withChangedValues(ones, ValueChange::Sum, rng);
        QCOMPARE(std::accumulate(sum.val.begin(), sum.val.end(), 0.0), static_cast<double>(count));
    }
    QVERIFY(kept > 8 && kept < 32); // Some keep the distribution of values, some do not.
}

/// A single value that is much smaller than all others is alone in its row: whether it is there shows.
void InputKindsTest::extremesAreAlone()
{
    Rng rng(23);
    Csr m = withRandomValues(*generate("random(rows=400,cols=400,mean=8)"), rng);
    const std::size_t tiny = 1234;
    m.val[tiny] = 0x1p-30f;
    Csr without = m;
    without.val[tiny] = 0;
    int shown = 0;
    for (int i = 0; i < 20; ++i) {
        const Input input = patternedInput(InputPattern::Extremes, InputRange::of(m), 1, rng);
        const Reference right = reference(m, input.x, 1, input.signs),
                        wrong = reference(without, input.x, 1, input.signs);
        bool seen = false;
        for (std::size_t row = 0; row < right.values.size(); ++row)
            seen = seen || std::abs(right.values[row] - wrong.values[row]) > right.bounds[row];
        shown += seen;
    }
    QVERIFY2(shown >= 18, qPrintable(QString::number(shown)));
}

/// The row of the largest sum of magnitudes fills the format, and no row leaves it, whatever the values are.
void InputKindsTest::brimIsTheContracts()
{
    Rng rng(29);
    const Csr pattern = *generate("rmat(scale=8,degree=9)");
    for (const ElementType type : {ElementType::F32, ElementType::F64}) {
        const NumberFormat& format = NumberFormat::of(type);
        const long double most = std::ldexp(1.0L, format.highest);
        for (const ValueKind kind :
             {ValueKind::Ones, ValueKind::Uniform, ValueKind::Bytes, ValueKind::Tiny, ValueKind::Ascending}) {
            const Csr m = withValues(inType(pattern, type), kind, rng);
            const InputRange range = InputRange::of(m);
            for (const InputPattern of : {InputPattern::Brim, InputPattern::ColumnBrim}) {
                const Input input = patternedInput(of, range, 1, rng);
                long double largest = 0;
                bool infinite = false, top = false;
                for (std::size_t row = 0; row + 1 < m.rowPtr.size(); ++row) {
                    long double sum = 0;
                    for (auto at = std::size_t(m.rowPtr[row]); at < std::size_t(m.rowPtr[row + 1]); ++at)
                        sum +=
                            std::abs(static_cast<long double>(m.value(at)) * input.x[std::size_t(m.col[at])]);
                    largest = std::max(largest, sum);
                }
                for (std::size_t i = 0; i < input.x.size(); ++i) {
                    infinite = infinite || !std::isfinite(input.x[i]);
                    top = top || std::abs(input.x[i]) >= format.largest() / 4;
                }
                QVERIFY(!infinite && largest < most);
                // Where values are small x ends before sums do.
                QVERIFY2(largest >= most / 8 || top, nameOf(of).data());
            }
        }
    }
}

/// What users take from a matrix is what x holds, to the last bit where it is in the range.
void InputKindsTest::vectorsOfTheMatrix()
{
    Rng rng(37);
    for (const ElementType type : {ElementType::F32, ElementType::F64}) {
        const Csr m = withValues(inType(*generate("stencil2d(n=9,points=9)"), type), ValueKind::Random, rng);
        const InputRange range = InputRange::of(m);
        const auto x = [&](InputPattern pattern) { return patternedInput(pattern, range, 1, rng).x; };
        const Numbers diagonal = x(InputPattern::Diagonal), inverse = x(InputPattern::InverseDiagonal),
                      first = x(InputPattern::ValuesInOrder), sums = x(InputPattern::RowSums),
                      inverseSums = x(InputPattern::InverseRowSums);
        const double unit = std::ldexp(1.0, -NumberFormat::of(type).digits + 2);
        for (std::int32_t row = 0; row < m.rows; ++row) {
            const auto i = static_cast<std::size_t>(row);
            double sum = 0, magnitudes = 0;
            for (auto at = std::size_t(m.rowPtr[i]); at < std::size_t(m.rowPtr[i + 1]); ++at) {
                sum += m.value(at);
                magnitudes += std::abs(m.value(at));
                if (m.col[at] == row) {
                    QCOMPARE(diagonal[i], m.value(at));
                    QVERIFY(std::abs(inverse[i] * m.value(at) - 1) <= unit);
                }
            }
            QCOMPARE(first[i], m.value(i));
            QVERIFY(std::abs(sums[i] - sum) <= unit * magnitudes);
            // Of a sum that is nearly zero the inverse is large, and all is scaled by a power of two.
            int exponent = 0;
            const double share = std::abs(std::frexp(inverseSums[i] * sums[i], &exponent));
            QVERIFY(std::abs(share - 0.5) < 1e-5 || std::abs(share - 1) < 1e-5);
        }
        std::set<std::size_t> rows;
        for (int i = 0; i < 30; ++i) {
            const Numbers row = x(InputPattern::RowOfMatrix);
            for (const std::int32_t one : {0, 10, m.rows - 1}) {
                const auto from = std::size_t(m.rowPtr[std::size_t(one)]),
                           to = std::size_t(m.rowPtr[std::size_t(one) + 1]);
                std::size_t alike = 0;
                for (std::size_t at = from; at < to; ++at)
                    alike += row[std::size_t(m.col[at])] == m.value(at);
                if (alike == to - from)
                    rows.insert(from);
            }
        }
        QCOMPARE(rows.size(), std::size_t(3));
        // Whatever the values are, nothing leaves the range.
        std::vector<Csr> others;
        for (const ValueKind kind : everyValueKind())
            others.push_back(withValues(m, kind, rng));
        const NumberFormat format = NumberFormat::of(type);
        for (const double end :
             {format.largest(), std::ldexp(1.0, format.lowest), -std::ldexp(1.5, format.highest)}) {
            others.push_back(m); // All at an end of the type, and of both signs.
            for (std::size_t at = 0; at < m.col.size(); ++at)
                others.back().setValue(at, at % 3 == 0 ? -end : end);
        }
        for (const Csr& other : others) {
            for (auto i = static_cast<int>(InputPattern::Diagonal);
                 i <= static_cast<int>(InputPattern::InverseRowSums); ++i) {
                const Input input =
                    patternedInput(static_cast<InputPattern>(i), InputRange::of(other), 3, rng);
                const Reference y = reference(other, input.x, 3, input.signs);
                for (std::size_t at = 0; at < input.x.size(); ++at)
                    QVERIFY(std::isfinite(input.x[at]));
                for (std::size_t at = 0; at < y.values.size(); ++at)
                    QVERIFY(std::isfinite(y.bounds[at]) && std::isfinite(y.values[at]));
            }
        }
    }
}

/// Elements that are small enough show whether small products are there, each alone.
void InputKindsTest::smallOnesAreAlone()
{
    Rng rng(31);
    const Csr m = withRandomValues(*generate("random(rows=400,cols=400,mean=8)"), rng);
    int subnormal = 0, alone = 0;
    for (int i = 0; i < 20; ++i) {
        const Input input = patternedInput(InputPattern::LoneSmall, InputRange::of(m), 1, rng);
        const Reference right = reference(m, input.x, 1, input.signs);
        for (std::size_t row = 0; row < right.values.size(); ++row) {
            int products = 0;
            for (auto at = std::size_t(m.rowPtr[row]); at < std::size_t(m.rowPtr[row + 1]); ++at)
                products += input.x[std::size_t(m.col[at])] != 0;
            alone += products == 1;
            subnormal += right.values[row] != 0 && std::abs(right.values[row]) < 0x1p-126;
            QVERIFY(std::abs(right.values[row]) < 0x1p-90);
        }
    }
    QVERIFY2(alone > 400 && subnormal > 200, qPrintable(QStringLiteral("%1 %2").arg(alone).arg(subnormal)));
}

void InputKindsTest::valuesOfKinds()
{
    Rng rng(20);
    const Csr m = *generate("random(rows=90,cols=80,mean=9)");
    const auto of = [&](ValueKind kind) { return withValues(m, kind, rng); };
    const auto all = [](const Csr& csr, const auto& holds) {
        return std::all_of(csr.val.begin(), csr.val.end(), holds);
    };
    QVERIFY(all(of(ValueKind::Negative), [](float v) { return v <= -0.5f; }));
    QVERIFY(all(of(ValueKind::Signs), [](float v) { return std::abs(v) == 1; }));
    QVERIFY(all(of(ValueKind::Zeros), [](float v) { return v == 0; }));
    const Csr sorted = of(ValueKind::Ascending);
    QVERIFY(std::is_sorted(sorted.val.begin(), sorted.val.end()));
    QVERIFY(all(of(ValueKind::Uniform), [](float v) { return v >= 0 && v <= 1; }));
    QVERIFY(all(of(ValueKind::Bytes), [](float v) { return v >= 0 && v <= 255 && v == std::rint(v); }));
    QVERIFY(all(of(ValueKind::Brain),
                [](float v) { return v != 0 && (std::bit_cast<std::uint32_t>(v) & 0xffff) == 0; }));
    const Csr zeroSums = of(ValueKind::ZeroSums), overLength = of(ValueKind::OverLength);
    for (std::int32_t row = 0; row < m.rows; ++row) {
        double sum = 0, ones = 0;
        for (auto at = m.rowPtr[static_cast<std::size_t>(row)];
             at < m.rowPtr[static_cast<std::size_t>(row) + 1]; ++at) {
            sum += static_cast<double>(zeroSums.val[static_cast<std::size_t>(at)]);
            ones += static_cast<double>(overLength.val[static_cast<std::size_t>(at)]);
        }
        QVERIFY(m.rowLength(row) < 2 || std::abs(sum) < 1e-5);
        QVERIFY(m.rowLength(row) == 0 || std::abs(ones - 1) < 1e-5);
    }
    const Csr selection = of(ValueKind::Selection), lone = of(ValueKind::Lone),
              ofRows = of(ValueKind::OfRows), ofColumns = of(ValueKind::OfColumns);
    std::map<std::int32_t, float> columns;
    for (std::int32_t row = 0; row < m.rows; ++row) {
        int chosen = 0, alone = 0;
        for (auto at = static_cast<std::size_t>(m.rowPtr[static_cast<std::size_t>(row)]);
             at < static_cast<std::size_t>(m.rowPtr[static_cast<std::size_t>(row) + 1]); ++at) {
            chosen += selection.val[at] != 0;
            alone += lone.val[at] != 0;
            QCOMPARE(ofRows.val[at],
                     ofRows.val[static_cast<std::size_t>(m.rowPtr[static_cast<std::size_t>(row)])]);
            QCOMPARE(ofColumns.val[at], columns.try_emplace(m.col[at], ofColumns.val[at]).first->second);
        }
        QCOMPARE(chosen, m.rowLength(row) > 0 ? 1 : 0);
        QCOMPARE(alone, chosen);
    }
}

void InputKindsTest::relativesKeepValues()
{
    Rng rng(10);
    Csr m = *generate("random(rows=20000,cols=20000,mean=12)");
    for (std::size_t at = 0; at < m.val.size(); ++at)
        m.val[at] = static_cast<float>(at + 1);
    for (const Csr& like : {smallRelative(m, 3), largeRelative(m, 3, 40'000)}) {
        QCOMPARE(like.val.size(), like.col.size());
        std::size_t neighbours = 0; // As they were in the target.
        for (std::size_t at = 0; at < like.val.size(); ++at) {
            QVERIFY(like.val[at] >= 1 && like.val[at] <= static_cast<float>(m.val.size()));
            neighbours += at > 0 && std::abs(like.val[at] - like.val[at - 1]) < 30;
        }
        QVERIFY(neighbours > like.val.size() / 2);
    }
}

void InputKindsTest::secretsDiffer()
{
    std::set<std::uint64_t> secrets;
    std::set<std::pair<std::int32_t, std::int64_t>> shapes;
    for (int i = 0; i < 20; ++i) {
        const auto secret = drawSecret();
        QVERIFY(secret > 0 && secret < std::uint64_t(1) << 53);
        secrets.insert(secret);
        const Csr skew = batteryShapes(secret)[6].matrix;
        shapes.emplace(skew.rows, skew.nnz());
    }
    QCOMPARE(secrets.size(), std::size_t(20));
    QVERIFY(shapes.size() >= 18); // No list of shapes is one of tests.
}

void InputKindsTest::inputsOfATarget()
{
    const auto matrix = std::make_shared<const Csr>(*generate("random(rows=300,cols=280,mean=12)"));
    const Target target{{.contents = digest(*matrix), .name = "m", .variant = {.columns = 4}}, matrix};
    for (const bool every : {true, false}) {
        const auto context = TargetContext::make(target, 5, every);
        QVERIFY(context);
        std::set<InputKind> met;
        for (std::uint64_t seed = 0; seed < (every ? 6 : 60); ++seed) {
            const auto inputs = (*context)->inputs(seed, 4);
            // Twelve kinds, eight of them twice, all patterns and all recipes.
            QCOMPARE(inputs->special.size(),
                     every ? 20 + inputPatternCount + everyRecipe(4).size() : std::size_t(1));
            QCOMPARE(inputs->specialReferences.size(), inputs->special.size());
            for (const Input& input : inputs->special)
                met.insert(input.kind);
        }
        QCOMPARE(met.size(), inputKindCount - timedKinds.size());
        std::set<std::string> variants;
        int most = 0;
        for (std::uint64_t seed = 0; seed < (every ? 6 : 60); ++seed) {
            const auto cases = (*context)->variants(seed, 4, true);
            QVERIFY(cases);
            // Two more of single values, one more of single elements; then siblings.
            const auto siblings = static_cast<std::size_t>(
                std::count_if((*cases)->begin(), (*cases)->end(),
                              [](const VariantCase& one) { return one.variant->otherPattern(); }));
            QVERIFY(every ? (*cases)->size() - siblings >= targetVariantCount() + 3 : (*cases)->size() == 2);
            QVERIFY(every ? siblings >= 12 : siblings == 1);
            for (const VariantCase& one : **cases) {
                if (one.variant->otherPattern())
                    continue;
                variants.insert(one.variant->matrix.key);
                QVERIFY(one.variant->matrix.matrix->val != matrix->val);
                QVERIFY(one.variant->matrix.matrix->col == matrix->col);
                most += one.variant->exact();
            }
        }
        QCOMPARE(variants.size() > 4, every); // A few are made again and again, where not all are met.
        QVERIFY(!every || most == 12);
        QVERIFY((*context)->relative().own.matrix->nnz() > 100);
    }
}

QTEST_GUILESS_MAIN(InputKindsTest)
#include "input_kinds_test.moc"
