// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/case_plan.h"
#include "evaluation/cases/relatives.h"
#include "evaluation/cases/shared_matrix.h"
#include "matrix/formats.h"
#include "matrix/generate.h"

#include <QTest>
#include <algorithm>
#include <set>

using namespace sparserl;

namespace {

Csr fromRows(std::int32_t cols, const std::vector<std::vector<std::int32_t>>& rows)
{
    Csr m;
    m.rows = static_cast<std::int32_t>(rows.size());
    m.cols = cols;
    for (const auto& row : rows) {
        m.col.insert(m.col.end(), row.begin(), row.end());
        m.rowPtr.push_back(static_cast<std::int32_t>(m.col.size()));
    }
    m.val.assign(m.col.size(), 1.0f);
    return m;
}

/// Rows of three, and one of `length`.
Csr withLongRow(std::int32_t rows, std::int32_t cols, std::int32_t length)
{
    std::vector<std::vector<std::int32_t>> lists;
    for (std::int32_t row = 0; row < rows; ++row) {
        std::vector<std::int32_t> list;
        for (std::int32_t i = 0; i < (row == rows / 3 ? length : 3); ++i)
            list.push_back(row == rows / 3 ? i : (row + 1000 * i) % cols);
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        lists.push_back(std::move(list));
    }
    return fromRows(cols, lists);
}

/// As many diagonals as there are, far apart.
Csr diagonals(std::int32_t rows, int count, int stride)
{
    std::vector<std::vector<std::int32_t>> lists(static_cast<std::size_t>(rows));
    for (std::int32_t row = 0; row < rows; ++row)
        for (int d = 0; d < count; ++d)
            if (const std::int32_t column = row + (d - count / 2) * stride; column >= 0 && column < rows)
                lists[static_cast<std::size_t>(row)].push_back(column);
    return fromRows(rows, lists);
}

std::int32_t longestRow(const Csr& m)
{
    std::int32_t longest = 0;
    for (std::int32_t row = 0; row < m.rows; ++row)
        longest = std::max(longest, m.rowLength(row));
    return longest;
}

const std::vector<std::pair<std::string, Csr>>& targets()
{
    static const std::vector<std::pair<std::string, Csr>> all = [] {
        std::vector<std::pair<std::string, Csr>> out;
        for (const char* spec :
             {"random(rows=3000,cols=4000,mean=12)", "banded(n=401,band=3,fill=0.9)",
              "rmat(scale=9,degree=5)", "random(rows=60000,cols=90000,mean=9)",
              "lp(rows=20000,cols=30000,mean=4,long=4,longfill=0.9)",
              "pruned(rows=512,cols=1024,sparsity=0.6)", "banded(n=50000,band=5,fill=0.9)"})
            out.emplace_back(spec, *generate(spec));
        out.emplace_back("a row of 70,000", withLongRow(9000, 80'000, 70'000));
        out.emplace_back("a row of 5000", withLongRow(3000, 6000, 5000));
        out.emplace_back("a row of 300,000", withLongRow(500, 300'000, 300'000));
        out.emplace_back("stencil", diagonals(40'000, 7, 197));
        out.emplace_back("300 diagonals", diagonals(3000, 300, 3));
        out.emplace_back("500 diagonals", diagonals(30'000, 500, 7));
        out.emplace_back("three rows", fromRows(5, {{0, 4}, {}, {1, 2, 3}}));
        out.emplace_back("one row", fromRows(9, {{1, 5, 8}}));
        out.emplace_back("one entry", fromRows(1, {{0}}));
        out.emplace_back("no entries", fromRows(4, {{}, {}, {}}));
        out.emplace_back("no rows", fromRows(4, {}));
        return out;
    }();
    return all;
}

} // namespace

class RelativesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void large_data();
    void large();
    void sizesDoNotTell();
    void numbersOfRowsAreOfAllKinds_data();
    void numbersOfRowsAreOfAllKinds();
    void formatsApply_data() { large_data(); }
    void formatsApply();
    void testsCannotBeSwitchedOff();
};

void RelativesTest::large_data()
{
    QTest::addColumn<int>("target");
    int i = 0;
    for (const auto& [name, matrix] : targets())
        QTest::addRow("%s", name.c_str()) << i++;
}

void RelativesTest::large()
{
    QFETCH(int, target);
    const Csr& m = targets()[static_cast<std::size_t>(target)].second;
    for (const std::int64_t columns : {1, 8, 32}) {
        const std::int64_t most = largeRelativeEntries(columns);
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            const Csr like = largeRelative(m, seed, most);
            QVERIFY(like.valid());
            QVERIFY(like.nnz() <= most);
            QVERIFY(like.rows <= 12'000);
            QVERIFY(largeRelative(m, seed, most).col == like.col);
            if (m.rows < 16)
                continue;
            QVERIFY(like.rows != m.rows || like.col != m.col);
            QVERIFY(like.nnz() >= std::min<std::int64_t>(m.nnz() * 3 / 4, most / 4) || like.rows > 2000);
            // The longest row is whole where it fits.
            if (diagonalCount(m) > 512)
                QCOMPARE(longestRow(like), std::min<std::int64_t>(longestRow(m), most / 2));
            if (m.rows > 10'000 && m.nnz() / m.rows < 10 && columns == 1)
                QVERIFY(like.rows > 2000);
        }
    }
}

void RelativesTest::numbersOfRowsAreOfAllKinds_data()
{
    constexpr std::int32_t enough = 1200; // Of fewer rows, few can be left out or doubled.
    QTest::addColumn<int>("target");
    int i = 0;
    for (const auto& [name, matrix] : targets()) {
        if (matrix.rows >= enough)
            QTest::addRow("%s", name.c_str()) << i;
        ++i;
    }
}

void RelativesTest::numbersOfRowsAreOfAllKinds()
{
    QFETCH(int, target);
    const Csr& m = targets()[static_cast<std::size_t>(target)].second;
    int odd = 0, even = 0, warps = 0, smallWarps = 0, smallOdd = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const Csr like = largeRelative(m, seed, largeRelativeEntries(8)), small = smallRelative(m, seed);
        odd += like.rows % 2;
        even += like.rows % 2 == 0;
        warps += like.rows % 32 == 0;
        smallOdd += small.rows % 2;
        smallWarps += small.rows % 32 == 0;
    }
    QVERIFY2(odd > 15 && even > 15 && warps > 5,
             qPrintable(QStringLiteral("%1 odd, %2 even, %3 of whole warps").arg(odd).arg(even).arg(warps)));
    QVERIFY(smallWarps > 5 && smallOdd > 10);
}

/// No constant in a program tells a target within the limits from its relatives.
void RelativesTest::sizesDoNotTell()
{
    const Csr& m = targets()[0].second;
    int moreRows = 0, moreEntries = 0;
    std::set<std::int32_t> rows;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Csr like = largeRelative(m, seed, largeRelativeEntries(1));
        rows.insert(like.rows);
        moreRows += like.rows > m.rows;
        moreEntries += like.nnz() > m.nnz();
    }
    QVERIFY(rows.size() > 30);
    QVERIFY(moreRows > 10 && moreRows < 30);
    QVERIFY(moreEntries > 10 && moreEntries < 30);
}

/// A format that applies to a target applies to its relatives: an honest plan must not fail on them.
void RelativesTest::formatsApply()
{
    QFETCH(int, target);
    const Csr& m = targets()[static_cast<std::size_t>(target)].second;
    const std::vector<FormatSpec> specs{
        {"coo", {}},
        {"csc", {}},
        {"ell", {}},
        {"sell", {{"slice", 32}, {"sigma", 256}}},
        {"sell", {{"slice", 4}, {"sigma", 1}}},
        {"hyb", {{"width", 4}}},
        {"hyb", {{"quantile", 90}}},
        {"dia", {}},
        {"bsr", {{"block", 2}}},
        {"bsr", {{"block", 8}}},
        {"bsr", {{"block", 16}}},
        {"csr16", {}},
        {"sell16", {{"slice", 32}, {"sigma", 128}}},
        {"csr5", {{"sigma", 16}}},
        {"tiles", {{"items", 128}}},
        {"blocks", {{"nnz", 1024}}},
        {"windows", {{"rows", 16}}},
        {"panels", {{"width", 1024}}},
        {"order", {}},
        {"dense", {}},
    };
    const auto applies = [](const FormatSpec& spec, const Csr& matrix) {
        return buildFormat(matrix, spec, std::nullopt, 8 * matrix.bytes() + (std::int64_t(64) << 20))
            .has_value();
    };
    for (const auto& spec : specs) {
        if (!applies(spec, m))
            continue;
        for (std::uint64_t seed = 0; seed < 2; ++seed) {
            QVERIFY2(applies(spec, smallRelative(m, seed)), spec.kind.c_str());
            for (const std::int64_t columns : {1, 8, 32})
                QVERIFY2(applies(spec, largeRelative(m, seed, largeRelativeEntries(columns))),
                         spec.kind.c_str());
        }
    }
}

/// Formats that apply to too few of the test matrices are a format-error, whatever else was right.
void RelativesTest::testsCannotBeSwitchedOff()
{
    const auto matrix = std::make_shared<Csr>(targets().back().second);
    auto shared = SharedMatrix::make("m", matrix);
    QVERIFY(shared.has_value());
    const std::vector<float> x(4, 1.0f);
    const auto expected = std::make_shared<Reference>(reference(*matrix, x, 1));
    for (int missing = 0; missing <= 7; ++missing)
        for (const bool relative : {false, true}) {
            CasePlan plan;
            for (int i = 0; i < 7; ++i) {
                CaseCheck check;
                check.name = "shape";
                check.mayNotApply = true;
                check.references = {expected};
                plan.add(*shared, {x}, {}, check);
            }
            CaseCheck check;
            check.name = "like-the-target";
            check.references = {expected};
            plan.add(*shared, {x}, {}, check);
            SimulationJob job;
            const auto memory = plan.fill(job, {});
            QVERIFY(memory.has_value());
            std::vector<CaseAnswer> answers(8);
            for (int i = 0; i < missing; ++i)
                answers[static_cast<std::size_t>(i)].bind =
                    BindFailure{BindFailure::Kind::FormatError, 3, "byte limit"};
            if (relative)
                answers[7].bind = BindFailure{BindFailure::Kind::FormatError, 4, "byte limit"};
            const auto findings = plan.judge(answers, **memory, false);
            QVERIFY(findings.has_value());
            QCOMPARE(findings->failure.has_value(), relative || missing > 2);
            if (!findings->failure)
                continue;
            QVERIFY(findings->failure->bind.has_value());
            QCOMPARE(findings->failure->bind->line, relative ? 4 : 3);
            if (!relative)
                QVERIFY(findings->failure->bind->reason.find(std::to_string(7 - missing) + " of 7") !=
                        std::string::npos);
        }
}

QTEST_GUILESS_MAIN(RelativesTest)
#include "relatives_test.moc"
