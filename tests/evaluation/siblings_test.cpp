// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/siblings.h"
#include "evaluation/cases/target_variants.h"
#include "matrix/generate.h"

#include <QTest>
#include <algorithm>
#include <set>

using namespace sparserl;

namespace {

std::vector<std::int32_t> lengths(const Csr& matrix)
{
    std::vector<std::int32_t> all;
    for (std::int32_t row = 0; row < matrix.rows; ++row)
        all.push_back(matrix.rowLength(row));
    return all;
}

template <typename T>
std::vector<T> sorted(std::vector<T> values)
{
    std::sort(values.begin(), values.end());
    return values;
}

/// Values and places are of nothing else: an entry is (row, column, value).
std::set<std::tuple<std::int32_t, std::int32_t, double>> entries(const Csr& matrix)
{
    std::set<std::tuple<std::int32_t, std::int32_t, double>> all;
    for (std::int32_t row = 0; row < matrix.rows; ++row)
        for (auto k = matrix.rowPtr[static_cast<std::size_t>(row)];
             k < matrix.rowPtr[static_cast<std::size_t>(row) + 1]; ++k)
            all.emplace(row, matrix.col[static_cast<std::size_t>(k)],
                        matrix.value(static_cast<std::size_t>(k)));
    return all;
}

std::size_t differences(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b)
{
    std::size_t count = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        count += a[i] != b[i];
    return count;
}

std::size_t movedEntries(const Csr& a, const Csr& b)
{
    const auto one = entries(a), other = entries(b);
    std::size_t count = 0;
    for (const auto& entry : one)
        count += !other.contains(entry);
    return count;
}

Csr generated(const char* text)
{
    return generate(text).value();
}

} // namespace

class TstSiblings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theyHaveTheSizesAndValuesOfTheTarget_data();
    void theyHaveTheSizesAndValuesOfTheTarget();
    void eachKindDoesWhatItSays();
    void structureStays();
    void columnsOrDiagonalsStay();
    void oneEntryShows();
    void whatHasNoSiblings();
    void theOrderOfKinds();
    void asManyAsAreAskedFor();
    void theyDependOnTheSeed();
};

void TstSiblings::theyHaveTheSizesAndValuesOfTheTarget_data()
{
    QTest::addColumn<QString>("generator");
    QTest::addColumn<bool>("f64");
    for (const char* one : {"stencil2d(n=24)", "banded(n=300,band=4)", "random(rows=200,cols=90,mean=5)",
                            "lp(rows=300,cols=200)"})
        for (const bool f64 : {false, true})
            QTest::addRow("%s, %s", one, f64 ? "f64" : "f32") << one << f64;
}

void TstSiblings::theyHaveTheSizesAndValuesOfTheTarget()
{
    QFETCH(const QString, generator);
    QFETCH(const bool, f64);
    Rng rng(5);
    Csr target = withTimedValues(generated(generator.toUtf8().constData()), rng);
    if (f64)
        target = inType(target, ElementType::F64);
    int found = 0;
    for (const SiblingKind kind : siblingKinds) {
        const auto other = sibling(target, kind, rng);
        if (!other) {
            QVERIFY2(kind == SiblingKind::Transposed || kind == SiblingKind::Backwards ||
                         kind == SiblingKind::Boundaries || kind == SiblingKind::OneDiagonal ||
                         (kind == SiblingKind::AllNames && target.rows != target.cols),
                     "only symmetric and rectangular targets, and those without room, lack one");
            continue;
        }
        ++found;
        QVERIFY(other->valid());
        QCOMPARE(other->rows, target.rows);
        QCOMPARE(other->cols, target.cols);
        QCOMPARE(other->nnz(), target.nnz());
        QVERIFY(other->type == target.type);
        QVERIFY(other->rowPtr != target.rowPtr || other->col != target.col);
        QCOMPARE(sorted(other->val), sorted(target.val));
        QCOMPARE(sorted(other->val64), sorted(target.val64));
    }
    QVERIFY(found >= 14);
}

void TstSiblings::eachKindDoesWhatItSays()
{
    Rng rng(7);
    const Csr target = withTimedValues(generated("banded(n=900,band=12)"), rng);
    const auto of = [&](SiblingKind kind) { return sibling(target, kind, rng).value(); };
    const auto sameLengths = [&](const Csr& other) { return other.rowPtr == target.rowPtr; };
    for (int i = 0; i < 20; ++i) {
        for (const SiblingKind kind : {SiblingKind::OneColumn, SiblingKind::NextColumn}) {
            const Csr other = of(kind);
            QVERIFY(sameLengths(other));
            QCOMPARE(movedEntries(target, other), std::size_t(1));
        }
        for (const SiblingKind kind : {SiblingKind::OneRow, SiblingKind::NextRow}) {
            const Csr other = of(kind);
            QCOMPARE(movedEntries(target, other), std::size_t(1));
            const auto pointers = differences(target.rowPtr, other.rowPtr);
            QVERIFY(kind == SiblingKind::NextRow ? pointers == 1 : pointers > 0);
        }
    }
    const auto aHundredth = static_cast<std::size_t>(target.nnz() / 100);
    for (const SiblingKind kind :
         {SiblingKind::SomeColumns, SiblingKind::NextColumns, SiblingKind::SomeRows, SiblingKind::NextRows}) {
        const Csr other = of(kind);
        QCOMPARE(sameLengths(other), kind == SiblingKind::SomeColumns || kind == SiblingKind::NextColumns);
        QVERIFY(movedEntries(target, other) > aHundredth / 2);
        QVERIFY(movedEntries(target, other) < 2 * aHundredth + 8);
    }
    for (const SiblingKind kind :
         {SiblingKind::TwoRows, SiblingKind::RowsOfRuns, SiblingKind::AllRows, SiblingKind::Backwards}) {
        const Csr other = of(kind);
        QCOMPARE(sorted(lengths(other)), sorted(lengths(target)));
        const bool few = kind == SiblingKind::TwoRows;
        QVERIFY((movedEntries(target, other) < std::size_t(target.nnz() / 4)) == few);
    }
    for (const SiblingKind kind : {SiblingKind::RunsOfRows, SiblingKind::AllNames}) {
        const Csr other = of(kind);
        QCOMPARE(sorted(lengths(other)), sorted(lengths(target)));
        QVERIFY(movedEntries(target, other) > std::size_t(target.nnz() / 2));
    }
    const Csr named = of(SiblingKind::AllColumns), anywhere = of(SiblingKind::Anywhere);
    QVERIFY(sameLengths(named) && sameLengths(anywhere));
    QVERIFY(movedEntries(target, named) > std::size_t(target.nnz() * 9 / 10));
    QVERIFY(movedEntries(target, anywhere) > std::size_t(target.nnz() * 9 / 10));
    // Equal columns stay equal where they have other names.
    std::vector<int> before(900), after(900);
    for (const auto column : target.col)
        ++before[static_cast<std::size_t>(column)];
    for (const auto column : named.col)
        ++after[static_cast<std::size_t>(column)];
    QCOMPARE(sorted(after), sorted(before));
    const auto turned = entries(of(SiblingKind::Transposed));
    for (const auto& [row, column, value] : entries(target))
        QVERIFY(turned.contains({column, row, value}));
}

/// A program may compare all columns, or count diagonals, and take the rest from that.
void TstSiblings::columnsOrDiagonalsStay()
{
    Rng rng(13);
    // Three entries a row, with columns that ascend from row to row.
    Csr steps;
    steps.rows = 200;
    steps.cols = 600;
    for (std::int32_t row = 0; row < steps.rows; ++row) {
        for (std::int32_t k = 0; k < 3; ++k) {
            steps.col.push_back(3 * row + k);
            steps.val.push_back(static_cast<float>(1 + k));
        }
        steps.rowPtr.push_back(3 * (row + 1));
    }
    std::set<std::size_t> changes;
    for (int i = 0; i < 20; ++i) {
        const Csr other = sibling(steps, SiblingKind::Boundaries, rng).value();
        QVERIFY(other.valid());
        QCOMPARE(other.col, steps.col);
        changes.insert(differences(steps.rowPtr, other.rowPtr));
    }
    QVERIFY(changes.contains(1) && *changes.rbegin() > 2);
    const Csr grid = generated("stencil2d(n=20)");
    QVERIFY(!sibling(grid, SiblingKind::Boundaries, rng)); // No row may end elsewhere.
    const auto offsets = [](const Csr& matrix) {
        std::set<std::int32_t> all;
        for (const auto& [row, column, value] : entries(matrix))
            all.insert(column - row);
        return all;
    };
    for (int i = 0; i < 20; ++i) {
        const Csr other = sibling(grid, SiblingKind::OneDiagonal, rng).value();
        QVERIFY(other.valid());
        QCOMPARE(offsets(other).size(), std::size_t(5));
        QVERIFY(offsets(other) != offsets(grid));
        QCOMPARE(other.rowPtr, grid.rowPtr);
    }
}

/// A program may ask whether the target is symmetric, or made of blocks: siblings that are exist, too.
void TstSiblings::structureStays()
{
    Rng rng(9);
    const Csr grid = generated("stencil2d(n=20)");
    Csr names = sibling(grid, SiblingKind::AllNames, rng).value();
    std::set<std::pair<std::int32_t, std::int32_t>> places;
    for (const auto& [row, column, value] : entries(names))
        places.emplace(row, column);
    for (const auto& [row, column] : places)
        QVERIFY(places.contains({column, row}));
    for (const char* text : {"blockfem(nodes=64,block=3)", "blockfem(nodes=64,block=4)"}) {
        const Csr nodes = generated(text);
        const std::int32_t length = std::string_view(text).find("=4)") != std::string_view::npos ? 4 : 3;
        const Csr moved = sibling(nodes, SiblingKind::RunsOfRows, rng).value();
        for (std::int32_t row = 0; row < moved.rows; ++row) {
            const auto first = static_cast<std::size_t>(row / length * length);
            QCOMPARE(moved.rowLength(row), moved.rowLength(static_cast<std::int32_t>(first)));
            for (std::int32_t k = 0; k < moved.rowLength(row); ++k)
                QCOMPARE(moved.col[static_cast<std::size_t>(moved.rowPtr[static_cast<std::size_t>(row)] + k)],
                         moved.col[static_cast<std::size_t>(moved.rowPtr[first] + k)]);
        }
    }
}

void TstSiblings::oneEntryShows()
{
    // A value that is lost beside the rest of its row would move without a trace.
    Csr target = generated("random(rows=100,cols=100,mean=10)");
    for (std::size_t k = 0; k < target.val.size(); ++k)
        target.val[k] = k % 7 == 0 ? 1.0f : 1e-30f;
    Rng rng(3);
    for (int i = 0; i < 50; ++i) {
        const auto before = entries(target),
                   after = entries(sibling(target, SiblingKind::OneColumn, rng).value());
        for (const auto& [row, column, value] : before) {
            if (after.contains({row, column, value}))
                continue;
            double largest = 0;
            for (const auto& other : before)
                if (std::get<0>(other) == row)
                    largest = std::max(largest, std::get<2>(other));
            QVERIFY(value >= largest / 16);
        }
    }
}

void TstSiblings::whatHasNoSiblings()
{
    Rng rng(1);
    Csr empty;
    empty.rows = 3;
    empty.cols = 4;
    empty.rowPtr = {0, 0, 0, 0};
    Csr full; // Every place is taken.
    full.rows = 2;
    full.cols = 3;
    full.rowPtr = {0, 3, 6};
    full.col = {0, 1, 2, 0, 1, 2};
    full.val.assign(6, 1);
    Csr one; // A single place.
    one.rows = one.cols = 1;
    one.rowPtr = {0, 1};
    one.col = {0};
    one.val = {2};
    for (const Csr& target : {empty, full, one})
        for (const SiblingKind kind : siblingKinds)
            QVERIFY(!sibling(target, kind, rng));
    const auto made = makeSiblings("none", full, true, 12, Rng(1));
    QVERIFY(made && made->empty());
}

void TstSiblings::theOrderOfKinds()
{
    std::set<SiblingKind> firsts, seconds, byLot;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Rng rng(seed), other(seed);
        const auto order = siblingOrder(true, rng);
        QCOMPARE(std::set(order.begin(), order.end()).size(), siblingKinds.size());
        firsts.insert(order[0]);
        seconds.insert(order[1]);
        byLot.insert(siblingOrder(false, other).front());
    }
    QCOMPARE(firsts, (std::set{SiblingKind::AllRows, SiblingKind::AllColumns, SiblingKind::Anywhere}));
    QCOMPARE(seconds, (std::set{SiblingKind::OneColumn, SiblingKind::SomeColumns, SiblingKind::TwoRows}));
    QCOMPARE(byLot.size(), siblingKinds.size());
}

void TstSiblings::asManyAsAreAskedFor()
{
    const Csr target = generated("stencil2d(n=12)");
    for (const std::size_t most : {std::size_t(1), std::size_t(3), std::size_t(30)}) {
        const auto made = makeSiblings("asked", target, true, most, Rng(4));
        QVERIFY(made.has_value());
        QCOMPARE(made->size(), std::min<std::size_t>(most, 16)); // It is symmetric.
        int own = 0;
        for (const auto& one : *made) {
            QVERIFY(one->otherPattern());
            own += sorted(one->matrix.matrix->val) == sorted(target.val);
        }
        if (most == 30) // Values of timed calls tell no siblings apart.
            QVERIFY(own > 0 && own < 15);
    }
}

void TstSiblings::theyDependOnTheSeed()
{
    const Csr target = generated("stencil2d(n=12)");
    for (const SiblingKind kind : {SiblingKind::OneColumn, SiblingKind::AllRows, SiblingKind::Anywhere}) {
        Rng one(1), again(1), other(2);
        const auto first = sibling(target, kind, one), second = sibling(target, kind, again),
                   third = sibling(target, kind, other);
        QVERIFY(first->col == second->col && first->rowPtr == second->rowPtr && first->val == second->val);
        QVERIFY(first->col != third->col || first->rowPtr != third->rowPtr);
    }
}

QTEST_APPLESS_MAIN(TstSiblings)
#include "siblings_test.moc"
