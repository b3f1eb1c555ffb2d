// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/foreign_values.h"
#include "evaluation/cases/inputs.h"
#include "evaluation/cases/target_context.h"
#include "evaluation/cases/value_kinds.h"
#include "evaluation/cases/value_recipes.h"
#include "matrix/generate.h"

#include <QTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

using namespace sparserl;

namespace {

/// What a program can find out about a matrix before it decides what to compute. Each row of the table is
/// one that no list of kinds of values held.
using Predicate = std::function<bool(const Csr&)>;

/// Of all entries: a test of (row, column, number of the entry, its value).
using Test = std::function<bool(std::int32_t, std::int32_t, std::size_t, float)>;

template <typename Visit>
void forEach(const Csr& m, const Visit& visit)
{
    for (std::int32_t row = 0; row < m.rows; ++row)
        for (auto at = static_cast<std::size_t>(m.rowPtr[static_cast<std::size_t>(row)]);
             at < static_cast<std::size_t>(m.rowPtr[static_cast<std::size_t>(row) + 1]); ++at)
            visit(row, m.col[at], at, m.val[at]);
}

Predicate all(const Test& test)
{
    return [test](const Csr& m) {
        bool holds = true;
        forEach(m, [&](std::int32_t row, std::int32_t column, std::size_t at, float value) {
            holds = holds && test(row, column, at, value);
        });
        return holds;
    };
}

/// At least so many different numbers.
Predicate several(const Predicate& other, std::size_t count = 4)
{
    return [other, count](const Csr& m) {
        return std::set<float>(m.val.begin(), m.val.end()).size() >= count && other(m);
    };
}

/// Of two neighbours in a row.
Predicate inRows(const std::function<bool(float, float)>& test)
{
    return [test](const Csr& m) {
        std::int32_t before = -1;
        float last = 0;
        bool holds = true;
        forEach(m, [&](std::int32_t row, std::int32_t, std::size_t, float value) {
            holds = holds && (row != before || test(last, value));
            before = row;
            last = value;
        });
        return holds;
    };
}

/// Exactly these are not zero, and some are.
Predicate only(const Test& test)
{
    return [test](const Csr& m) {
        std::size_t kept = 0;
        return all([&](std::int32_t row, std::int32_t column, std::size_t at, float value) {
                   kept += value != 0;
                   return value == 0 || test(row, column, at, value);
               })(m) &&
               kept > 0;
    };
}

bool isInteger(float value)
{
    return value == std::rint(value);
}

/// Rows of all non-zeros.
std::set<std::int32_t> rowsOf(const Csr& m)
{
    std::set<std::int32_t> rows;
    forEach(m, [&](std::int32_t row, std::int32_t, std::size_t, float value) {
        if (value != 0)
            rows.insert(row);
    });
    return rows;
}

std::set<std::int32_t> columnsOf(const Csr& m)
{
    std::set<std::int32_t> columns;
    forEach(m, [&](std::int32_t, std::int32_t column, std::size_t, float value) {
        if (value != 0)
            columns.insert(column);
    });
    return columns;
}

std::size_t nonZeros(const Csr& m)
{
    return static_cast<std::size_t>(
        std::count_if(m.val.begin(), m.val.end(), [](float value) { return value != 0; }));
}

/// One sum after the other in the type of the values.
template <typename T>
std::vector<T> multiply(const Csr& m, const Numbers& x, bool backwards)
{
    std::vector<T> y;
    for (std::int32_t row = 0; row < m.rows; ++row) {
        T sum = 0;
        const auto from = static_cast<std::size_t>(m.rowPtr[static_cast<std::size_t>(row)]),
                   to = static_cast<std::size_t>(m.rowPtr[static_cast<std::size_t>(row) + 1]);
        for (std::size_t i = from; i < to; ++i) {
            const std::size_t at = backwards ? to - 1 - (i - from) : i;
            sum += static_cast<T>(m.value(at)) * static_cast<T>(x[static_cast<std::size_t>(m.col[at])]);
        }
        y.push_back(sum);
    }
    return y;
}

Numbers multiply(const Csr& m, const Numbers& x, bool backwards)
{
    if (m.type == ElementType::F64)
        return Numbers(multiply<double>(m, x, backwards));
    return Numbers(multiply<float>(m, x, backwards));
}

Target targetOf(Csr matrix)
{
    auto shared = std::make_shared<const Csr>(std::move(matrix));
    return {{.contents = digest(*shared), .name = "m", .variant = {.columns = 1}}, shared};
}

} // namespace

class ValueRecipesTest : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void predicatesAreMet_data();
    void predicatesAreMet();
    void valuesAreNumbers();
    void timedValuesKeepTheirTerms();
    void honestSumsFit();
    void foreignValuesShow();
    void unitsShow_data();
    void unitsShow();
    void choicesKeepTheirWord();
    void largeMatricesMeetSome();
};

void ValueRecipesTest::predicatesAreMet_data()
{
    QTest::addColumn<Predicate>("predicate");
    const auto row = [](const char* name, const Predicate& predicate) { QTest::newRow(name) << predicate; };
    using I = std::int32_t;
    using Z = std::size_t;
    row("4 on the diagonal, else -1", all([](I r, I c, Z, float v) { return v == (r == c ? 4.0f : -1.0f); }));
    row("a graph's Laplacian", [](const Csr& m) {
        return all([&](I r, I c, Z, float v) {
            return v == (r == c ? static_cast<float>(m.rowLength(r) - 1) : -1.0f);
        })(m);
    });
    row("-1, 0 and 1", [](const Csr& m) {
        const std::set<float> numbers(m.val.begin(), m.val.end());
        return numbers == std::set<float>{-1, 0, 1};
    });
    row("1 to 5", several(all([](I, I, Z, float v) { return isInteger(v) && v >= 1 && v <= 5; })));
    row("even integers",
        several(all([](I, I, Z, float v) { return isInteger(v / 2) && std::abs(v) < 1e6f; })));
    row("above 2^24",
        all([](I, I, Z, float v) { return isInteger(v) && std::abs(v) > 0x1p24f && std::abs(v) < 1e15f; }));
    row("tenths", several([](const Csr& m) {
            return all([](I, I, Z, float v) { return isInteger(v * 10) && std::abs(v) < 1000; })(m) &&
                   !std::all_of(m.val.begin(), m.val.end(), isInteger);
        }));
    row("a lattice",
        several(all([](I, I, Z, float v) { return isInteger(v * 256) && std::abs(v) <= 1; }), 50));
    row("powers of two of several exponents", several(all([](I, I, Z, float v) {
            return v != 0 && (std::bit_cast<std::uint32_t>(v) & 0x7fffff) == 0;
        })));
    row("positive powers of two", several(all([](I, I, Z, float v) {
            return v > 0 && (std::bit_cast<std::uint32_t>(v) & 0x7fffff) == 0;
        })));
    row("four bits",
        several(all([](I, I, Z, float v) { return (std::bit_cast<std::uint32_t>(v) & 0xfffff) == 0; })));
    for (const int start : {0, 1}) {
        const auto from = static_cast<float>(start);
        const auto name = [&](const char* what) {
            return std::string(what) + (start ? " from 1" : " from 0");
        };
        row(name("rows").c_str(), all([=](I r, I, Z, float v) { return v == static_cast<float>(r) + from; }));
        row(name("columns").c_str(),
            all([=](I, I c, Z, float v) { return v == static_cast<float>(c) + from; }));
        row(name("positions").c_str(),
            all([=](I, I, Z at, float v) { return v == static_cast<float>(at) + from; }));
    }
    row("distances from the diagonal",
        all([](I r, I c, Z, float v) { return v == static_cast<float>(std::abs(r - c)); }));
    row("lengths of rows", [](const Csr& m) {
        return all([&](I r, I, Z, float v) { return v == static_cast<float>(m.rowLength(r)); })(m);
    });
    row("alternating signs", all([](I, I, Z at, float v) { return v != 0 && (v < 0) == (at % 2 == 1); }));
    row("alternating in rows", [](const Csr& m) {
        return all([&](I r, I, Z at, float v) {
            const auto from = static_cast<Z>(m.rowPtr[static_cast<Z>(r)]);
            return v != 0 && (v < 0) == ((at - from) % 2 == 1);
        })(m);
    });
    row("an M-matrix", all([](I r, I c, Z, float v) { return r == c ? v > 0 : v <= 0; }));
    row("opposite triangles", all([](I r, I c, Z, float v) {
            return c > r ? v > 0 : c < r ? v < 0 : v != 0;
        }));
    row("one row", [](const Csr& m) { return rowsOf(m).size() == 1 && nonZeros(m) > 1; });
    row("one column", [](const Csr& m) { return columnsOf(m).size() == 1 && nonZeros(m) > 1; });
    row("one entry", [](const Csr& m) { return nonZeros(m) == 1; });
    row("mostly zero",
        [](const Csr& m) { return nonZeros(m) > 1 && nonZeros(m) < static_cast<Z>(m.nnz()) / 20; });
    row("odd rows zero", only([](I r, I, Z, float) { return r % 2 == 0; }));
    row("no upper triangle", only([](I r, I c, Z, float) { return c <= r; }));
    row("a diagonal", only([](I r, I c, Z, float) { return c == r; }));
    row("first rows zero", [](const Csr& m) { return nonZeros(m) > 0 && *rowsOf(m).begin() >= m.rows / 2; });
    row("last rows zero", [](const Csr& m) { return nonZeros(m) > 0 && *rowsOf(m).rbegin() < m.rows / 2; });
    row("negative zeros",
        all([](I, I, Z, float v) { return std::bit_cast<std::uint32_t>(v) == 0x80000000u; }));
    row("ascending in rows", several(inRows([](float a, float b) { return b > a; })));
    row("descending in rows", several(inRows([](float a, float b) { return b < a; })));
    row("smaller in rows", several(inRows([](float a, float b) { return std::abs(b) < std::abs(a); })));
    row("descending", several([](const Csr& m) { return std::is_sorted(m.val.rbegin(), m.val.rend()); }));
    row("the last of a row outweighs the rest", [](const Csr& m) {
        double others = 0;
        I before = -1;
        bool holds = true;
        forEach(m, [&](I r, I, Z at, float v) {
            others = r == before ? others : 0;
            if (at + 1 == static_cast<Z>(m.rowPtr[static_cast<Z>(r) + 1]))
                holds = holds && std::abs(static_cast<double>(v)) >= others * 0.999999;
            others += std::abs(static_cast<double>(v));
            before = r;
        });
        return holds;
    });
    row("opposite pairs", [](const Csr& m) {
        return all([&](I, I, Z at, float v) { return at % 2 == 0 || v == -m.val[at - 1]; })(m);
    });
    row("equal pairs", several([](const Csr& m) {
            return all([&](I, I, Z at, float v) { return at % 2 == 0 || v == m.val[at - 1]; })(m);
        }));
    row("symmetric", several(
                         [](const Csr& m) {
                             const auto dense = [&](I r, I c) {
                                 for (auto at = static_cast<Z>(m.rowPtr[static_cast<Z>(r)]);
                                      at < static_cast<Z>(m.rowPtr[static_cast<Z>(r) + 1]); ++at)
                                     if (m.col[at] == c)
                                         return m.val[at];
                                 return 0.0f;
                             };
                             return all([&](I r, I c, Z, float v) { return v == dense(c, r); })(m);
                         },
                         100));
    row("antisymmetric",
        several(
            [](const Csr& m) {
                const auto dense = [&](I r, I c) {
                    for (auto at = static_cast<Z>(m.rowPtr[static_cast<Z>(r)]);
                         at < static_cast<Z>(m.rowPtr[static_cast<Z>(r) + 1]); ++at)
                        if (m.col[at] == c)
                            return m.val[at];
                    return 0.0f;
                };
                return all([&](I r, I c, Z, float v) { return r == c || v == -dense(c, r); })(m);
            },
            100));
    row("a Hilbert matrix",
        all([](I r, I c, Z, float v) { return std::abs(v * static_cast<float>(r + c + 1) - 1) < 1e-6f; }));
    row("doubling in rows", inRows([](float a, float b) { return b == 2 * a || std::abs(a) >= 0x1p60f; }));
    row("halving in rows", inRows([](float a, float b) { return 2 * b == a || std::abs(a) <= 0x1p-60f; }));
    row("fading from the diagonal", [](const Csr& m) {
        return m.val.front() == 1 &&
               all([&](I r, I c, Z, float v) { return r == c ? v == 1 : v < 1 && v > 0; })(m);
    });
    row("periodic", [](const Csr& m) {
        for (Z period = 16; period <= 128; ++period)
            if (all([&](I, I, Z at, float v) { return at < period || v == m.val[at - period]; })(m))
                return std::set<float>(m.val.begin(), m.val.end()).size() > 8;
        return false;
    });
    // Nearly: at most two epsilons away, and not there.
    const auto nearly = [&](const char* name, auto rounded) {
        row(name, [rounded](const Csr& m) {
            return std::any_of(m.val.begin(), m.val.end(),
                               [&](float v) { return static_cast<double>(v) != rounded(v); }) &&
                   all([&](I, I, Z, float v) {
                       const auto value = static_cast<double>(v);
                       return v != 0 && std::abs(value - rounded(v)) <= 0x1p-22 * std::abs(value);
                   })(m);
        });
    };
    nearly("nearly halves", [](float v) { return roundedTo(static_cast<double>(v), 11); });
    nearly("nearly of four bits", [](float v) { return roundedTo(static_cast<double>(v), 4); });
    nearly("nearly powers of two", [](float v) { return roundedTo(static_cast<double>(v), 1); });
    nearly("nearly integers", [](float v) { return std::rint(static_cast<double>(v)); });
    row("nearly one number", [](const Csr& m) {
        const auto [least, most] = std::minmax_element(m.val.begin(), m.val.end());
        return *least != *most && std::abs(*most - *least) <= 0x1p-23f * std::abs(*most);
    });
    row("near the largest number", all([](I, I, Z, float v) { return std::abs(v) > 1e37f; }));
    row("subnormal", all([](I, I, Z, float v) { return v != 0 && std::abs(v) < 0x1p-126f; }));
}

void ValueRecipesTest::predicatesAreMet()
{
    QFETCH(Predicate, predicate);
    // Values of its own hold for none.
    Rng rng(3);
    const Csr matrix = withValues(*generate("banded(n=501,band=2,fill=1)"), ValueKind::Random, rng);
    QVERIFY(!predicate(matrix));
    // Details of a choice are drawn, so one secret in many does not meet it.
    int met = 0;
    for (const std::uint64_t secret : {5u, 6u, 7u}) {
        const auto context = TargetContext::make(targetOf(matrix), secret, true);
        QVERIFY(context);
        const auto cases = (*context)->variants(1, 1, true);
        QVERIFY(cases);
        met += std::any_of((*cases)->begin(), (*cases)->end(),
                           [&](const VariantCase& one) { return predicate(*one.variant->matrix.matrix); })
                   ? 1
                   : 0;
    }
    QVERIFY2(met >= 2, qPrintable(QString::number(met)));
}

/// Whatever is composed with whatever, in both types.
void ValueRecipesTest::valuesAreNumbers()
{
    Rng rng(4);
    for (const ElementType type : {ElementType::F32, ElementType::F64}) {
        for (const char* text : {"random(rows=40,cols=60,mean=5)", "random(rows=3,cols=1,mean=0.5)"}) {
            const Csr pattern = inType(*generate(text), type);
            for (int i = 0; i < 400; ++i) {
                const ValueRecipe recipe = drawValueRecipe(rng);
                const Csr made = withRecipe(pattern, recipe, rng);
                QCOMPARE(made.type, type);
                QCOMPARE(made.col, pattern.col);
                for (std::size_t at = 0; at < made.col.size(); ++at)
                    QVERIFY(std::isfinite(made.value(at)));
            }
        }
    }
    Csr empty;
    empty.rows = empty.cols = 3;
    empty.rowPtr = {0, 0, 0, 0};
    for (const ValueRecipe& recipe : singleValueRecipes())
        QCOMPARE(withRecipe(empty, recipe, rng).nnz(), std::int64_t(0));
}

/// No sum overflows, and sums in the type of the values, whatever the order, stay within the bound.
void ValueRecipesTest::honestSumsFit()
{
    Rng rng(8);
    double largest = 0;
    std::vector<ValueRecipe> recipes = singleValueRecipes();
    for (int i = 0; i < 60; ++i)
        recipes.push_back(drawValueRecipe(rng));
    for (const ElementType type : {ElementType::F32, ElementType::F64}) {
        const Csr pattern = inType(*generate("random(rows=30,cols=300,mean=40)"), type);
        for (const ValueRecipe& recipe : recipes) {
            const Csr m = withRecipe(pattern, recipe, rng);
            for (std::size_t kind = 0; kind < inputKindCount; ++kind) {
                const Input input = makeInput(static_cast<InputKind>(kind), InputRange::of(m), 1, rng);
                const Reference y = reference(m, input.x, 1, input.signs);
                for (const bool backwards : {false, true}) {
                    const auto compared = compare(multiply(m, input.x, backwards), y, Tolerance::Bound);
                    QVERIFY2(!compared.wrong, std::string(nameOf(static_cast<InputKind>(kind))).c_str());
                    largest = std::max(largest, compared.boundShare);
                }
            }
        }
    }
    QVERIFY2(largest > 0.05 && largest < 0.9, std::to_string(largest).c_str());
}

/// One value at the end of a narrower type, wherever it is, is alone in its row and must be exact.
void ValueRecipesTest::foreignValuesShow()
{
    Rng rng(12);
    for (const ElementType type : {ElementType::F32, ElementType::F64}) {
        std::vector<double> numbers = foreignNumbers(type, rng);
        for (const double end : {127.0, 128.0, 256.0, 257.0, 2049.0, -32769.0, 65536.0, 65520.0, 0x1p-30})
            QVERIFY(std::count(numbers.begin(), numbers.end(), end) == 1);
        QCOMPARE(std::count(numbers.begin(), numbers.end(), 0x1p24 + 1), type == ElementType::F64 ? 1 : 0);
        const Csr matrix = inType(*generate("random(rows=60,cols=50,mean=7)"), type);
        std::set<std::size_t> places;
        for (const std::int64_t columns : {1, 3}) {
            const auto made = makeForeignVariants("m", matrix, numbers.size(), rng);
            QVERIFY(made);
            QVERIFY(made->size() > 100);
            for (const auto& variant : *made) {
                const Csr& with = *variant->matrix.matrix;
                const Input input = variantInputs(*variant, columns, true, rng).front();
                const Reference right = reference(with, input.x, columns, input.signs);
                QVERIFY(
                    std::all_of(right.bounds.begin(), right.bounds.end(), [](double b) { return b == 0; }));
                std::size_t changed = 0;
                for (std::size_t at = 0; at < with.col.size(); ++at)
                    if (with.value(at) != matrix.value(at)) {
                        ++changed;
                        places.insert(at);
                        // Whatever else were there instead would be seen.
                        QVERIFY(input.x[static_cast<std::size_t>(with.col[at] * columns)] != 0);
                    }
                QVERIFY(changed <= 1);
            }
        }
        QVERIFY(places.contains(0) && places.contains(matrix.col.size() - 1) && places.size() > 60);
    }
}

void ValueRecipesTest::unitsShow_data()
{
    QTest::addColumn<QString>("pattern");
    QTest::newRow("short rows") << "banded(n=501,band=2,fill=1)";
    QTest::newRow("long rows") << "random(rows=200,cols=400,mean=60)";
    QTest::newRow("few rows") << "random(rows=20,cols=40,mean=6)";
}

/// Where some values are a unit in the last place away, a row with one product shows it to the last bit.
void ValueRecipesTest::unitsShow()
{
    QFETCH(QString, pattern);
    Rng rng(9);
    int shown = 0, all = 0;
    for (const ElementType type : {ElementType::F32, ElementType::F64}) {
        const Csr matrix = inType(*generate(pattern.toStdString()), type);
        for (const ValueRecipe& recipe : singleValueRecipes()) {
            if (recipe.units == ValueRecipe::Units::None)
                continue;
            ValueRecipe without = recipe;
            without.units = ValueRecipe::Units::None;
            Rng values = rng;
            const Csr kept = withRecipe(matrix, without, values);
            ContentsVariant variant;
            variant.what = recipe;
            const Csr moved = withRecipe(matrix, recipe, rng);
            variant.range = InputRange::of(moved);
            for (std::size_t at = 0; at < moved.col.size(); ++at)
                QVERIFY(std::abs(moved.value(at) - kept.value(at)) <=
                        2 * std::ldexp(std::abs(kept.value(at)), -NumberFormat::of(type).digits));
            const Input input = variantInputs(variant, 1, true, rng).front();
            ++all;
            shown += compare(multiply(kept, input.x, false), reference(moved, input.x, 1, input.signs),
                             Tolerance::Bound)
                         .wrong.has_value();
        }
    }
    QVERIFY2(shown * 4 >= all * 3, qPrintable(QStringLiteral("%1 of %2").arg(shown).arg(all)));
}

void ValueRecipesTest::choicesKeepTheirWord()
{
    const auto recipes = singleValueRecipes();
    for (std::size_t a = 0; a < recipes.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            QVERIFY(!(recipes[a] == recipes[b]));
    QVERIFY(std::find(recipes.begin(), recipes.end(), ValueRecipe()) == recipes.end());
    Rng rng(5);
    std::set<ValueRecipe::Sizes> sizes;
    int asRandom = 0;
    for (int i = 0; i < 2000; ++i) {
        const ValueRecipe drawn = drawValueRecipe(rng);
        sizes.insert(drawn.sizes);
        asRandom += drawn.order == ValueRecipe::Order::Any;
    }
    QCOMPARE(sizes.size(), static_cast<std::size_t>(ValueRecipe::Sizes::Fading) + 1);
    QVERIFY(asRandom > 1100 && asRandom < 1500);
    // Half precision has 11 bits, and a recipe of doubles all of its own.
    ValueRecipe half;
    half.digits = ValueRecipe::Digits::Half;
    const Csr pattern = *generate("random(rows=90,cols=80,mean=9)");
    for (const float v : withRecipe(pattern, half, rng).val)
        QCOMPARE(std::bit_cast<std::uint32_t>(v) & 0x1fff, 0u);
    ValueRecipe octave;
    octave.sizes = ValueRecipe::Sizes::Octave;
    const Csr doubles = withRecipe(inType(pattern, ElementType::F64), octave, rng);
    QVERIFY(std::any_of(doubles.val64.begin(), doubles.val64.end(),
                        [](double v) { return v != static_cast<double>(static_cast<float>(v)); }));
}

/// Values that are timed fit into no less, and leave out of a row's sum nothing that its bound hides.
void ValueRecipesTest::timedValuesKeepTheirTerms()
{
    Csr target = *generate("random(rows=400,cols=300,mean=12)");
    target.val[5] = 0;
    for (const ElementType type : {ElementType::F32, ElementType::F64}) {
        Rng rng(8);
        const Csr timed = withTimedValues(inType(target, type), rng);
        QVERIFY(timed.value(5) == 0);
        const int digits = NumberFormat::of(type).digits;
        std::set<int> scales;
        int negative = 0, different = 0;
        for (std::int32_t row = 0; row < timed.rows; ++row) {
            double largest = 0, smallest = std::numeric_limits<double>::infinity();
            for (auto at = static_cast<std::size_t>(timed.rowPtr[static_cast<std::size_t>(row)]);
                 at < static_cast<std::size_t>(timed.rowPtr[static_cast<std::size_t>(row) + 1]); ++at) {
                if (at == 5)
                    continue;
                const double magnitude = std::abs(timed.value(at));
                largest = std::max(largest, magnitude);
                smallest = std::min(smallest, magnitude);
                negative += timed.value(at) < 0;
                // Its last quarter of digits is in use.
                different +=
                    std::fmod(std::scalbn(magnitude, digits * 3 / 4 - std::ilogb(magnitude)), 1.0) != 0;
            }
            if (timed.rowLength(row) < 6)
                continue;
            scales.insert(std::ilogb(largest));
            QVERIFY(largest / smallest <= std::exp2(digits / 3 + 2));
            QVERIFY(largest / smallest > 1);
        }
        QVERIFY(scales.size() > 40);
        QVERIFY(negative > timed.nnz() * 2 / 5 && negative < timed.nnz() * 3 / 5);
        QVERIFY(different > timed.nnz() * 9 / 10);
    }
}

/// The matrices of one judgement have a limit; what is left is drawn from all.
void ValueRecipesTest::largeMatricesMeetSome()
{
    Rng rng(6);
    const std::int64_t bytes = 10'000;
    const auto some = drawVariants(true, bytes, 20 * bytes, rng);
    QCOMPARE(some.size(), std::size_t(20));
    // Recipes take the room that the others leave.
    const auto isRecipe = [](std::size_t index) { return index >= valueChangeCount + valueKindCount - 1; };
    QVERIFY(std::none_of(some.begin(), some.end(), isRecipe));
    const auto more = drawVariants(true, bytes, 60 * bytes, rng);
    QCOMPARE(std::count_if(more.begin(), more.end(), isRecipe),
             std::ptrdiff_t(60 - (valueChangeCount + valueKindCount - 1)));
    QCOMPARE(std::set(more.begin(), more.end()).size(), more.size());
    QCOMPARE(drawVariants(true, bytes, 1000 * bytes, rng).size(), targetVariantCount());
    QVERIFY(std::all_of(some.begin(), some.end(),
                        [](std::size_t index) { return index < targetVariantCount(); }));
}

QTEST_GUILESS_MAIN(ValueRecipesTest)
#include "value_recipes_test.moc"
