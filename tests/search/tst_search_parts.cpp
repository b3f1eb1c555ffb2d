// SPDX-License-Identifier: Apache-2.0
// Archive, bandit, funnel, lineage, table: numbers made by hand.
#include "search/archive.h"
#include "search/bandit.h"
#include "search/funnel.h"
#include "search/lineage.h"
#include "search/search_csv.h"
#include "search/text_patch.h"

#include <QTest>
#include <set>
#include <string>

using namespace sparserl;

namespace {

const std::string warp = R"(//! task spmv
//! launch k<<<ceil_div(rows * 32, 256), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = row_ptr[row] + lane; i < row_ptr[row + 1]; i += 32)
        sum += val[i] * x[col[i]];
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, step);
    if (lane == 0)
        y[row] = sum;
}
)";
const std::string ell = R"(//! task spmv
//! format ell
//! launch k<<<ceil_div(rows, 256), 256>>>(rows, ell.width, ell.col, ell.val, x, y)
extern "C" __global__ void k(int rows, int width, const int* col, const float* val, const float* x, float* y)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int i = 0; i < width; i++)
        sum += val[i * rows + row] * x[col[i * rows + row]];
    y[row] = sum;
}
)";

SearchedProgram program(std::size_t number, double microseconds, const std::string& key,
                        std::vector<std::size_t> parents = {}, const std::string& text = warp)
{
    SearchedProgram one;
    one.number = number;
    one.text = text;
    one.source = parents.empty() ? "bench" : "edits";
    one.parents = std::move(parents);
    one.verdict = microseconds > 0 ? Verdict::Correct : Verdict::WrongResult;
    one.microseconds = microseconds;
    one.key = key;
    one.origin = one.parents.empty() ? "S3 {}" : "";
    if (!one.parents.empty())
        one.steps = {{"unroll", "unroll 4"}, {"load-hint", "__ldcs of val"}};
    return one;
}

} // namespace

class TestSearchParts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void patches()
    {
        TextPatch patch;
        QVERIFY(patch.empty());
        patch.replace(4, 3, "x");
        patch.insert(0, "a");
        patch.insert(0, "b");
        patch.replace(5, 1, "lost"); // Overlaps the first.
        patch.replace(8, 0, "!");
        QCOMPARE(patch.apply("0123456789"), std::string("ab0123x7!89"));
    }

    void archiveKeepsWhatIsNew()
    {
        Archive archive;
        QVERIFY(!archive.best());
        Rng rng(1);
        QVERIFY(!archive.chooseParent(rng));
        QVERIFY(archive.add(program(0, 10, "a")).improved);
        QVERIFY(archive.add(program(1, 0, "w")).fresh); // Wrong: no parent of anything.
        const SearchedProgram& again = archive.add(program(2, 5, "a", {0}));
        QVERIFY(!again.fresh && !again.improved);       // The same program, whatever its time.
        QVERIFY(!archive.add(program(3, 0, "")).fresh); // It did not compile.
        QVERIFY(archive.add(program(4, 8, "b", {0, 1})).improved);
        QVERIFY(!archive.add(program(5, 9, "c", {4})).improved);
        QVERIFY(!archive.add(program(6, 8, "d", {4})).improved); // A tie.
        QCOMPARE(archive.best()->number, std::size_t(4));
        std::vector<std::size_t> order;
        for (const SearchedProgram* one : archive.ranked(10))
            order.push_back(one->number);
        QCOMPARE(order, (std::vector<std::size_t>{4, 6, 5, 0}));
        QCOMPARE(archive.ranked(1).size(), std::size_t(1));
        QVERIFY(archive.find(3) && !archive.find(7));
    }

    void archiveKeepsNiches()
    {
        Archive archive;
        archive.add(program(0, 100, "slow", {}, ell));
        for (std::size_t i = 1; i < 60; ++i)
            archive.add(program(i, static_cast<double>(i), "k" + std::to_string(i)));
        const std::vector<std::string> niches{"S10, ell", "S3"};
        QCOMPARE(archive.niches(), niches);
        QCOMPARE(archive.elites("S3").size(), std::size_t(12));
        QCOMPARE(archive.elites("S3").front()->number, std::size_t(1));
        // The slow one is the only one of its niche: half of what niches get, 15 per cent of all.
        int slow = 0, best = 0;
        Rng rng(3);
        for (int i = 0; i < 4000; ++i) {
            const std::size_t chosen = archive.chooseParent(rng)->number;
            slow += chosen == 0 ? 1 : 0;
            best += chosen == 1 ? 1 : 0;
        }
        QVERIFY2(slow > 480 && slow < 720, std::to_string(slow).c_str());
        QVERIFY2(best > 350 && best < 800, std::to_string(best).c_str());
        QVERIFY(!archive.chooseMate(*archive.find(0), rng));
        QCOMPARE(archive.chooseMate(*archive.find(1), rng)->niche, std::string("S3"));
    }

    void lineage()
    {
        Archive archive;
        archive.add(program(0, 10, "a"));
        archive.add(program(1, 12, "b"));
        archive.add(program(2, 8, "c", {0, 1}));
        archive.add(program(3, 6.4, "d", {2}));
        const auto steps = lineageOf(archive, *archive.find(3));
        QCOMPARE(steps.size(), std::size_t(3));
        QCOMPARE(steps[0].words, std::string("S3 {}"));
        QCOMPARE(steps[1].words, std::string("unroll 4; __ldcs of val"));
        QCOMPARE(steps[0].gain, 1.0);
        QCOMPARE(steps[1].gain, 1.25);
        QCOMPARE(steps[2].gain, 1.25);
        QCOMPARE(steps[2].number, std::size_t(3));
    }

    void banditByHand()
    {
        Bandit bandit({0.25, 0.75, 0}, {.floor = 0.1, .prior = 0.1, .trust = 10, .fading = 1});
        // Nothing is known: floor + 0.8 times the first share; an arm without a first share has none.
        QVERIFY(qFuzzyCompare(bandit.share(0), 0.1 + 0.8 * 0.25));
        QVERIFY(qFuzzyCompare(bandit.share(1), 0.1 + 0.8 * 0.75));
        QCOMPARE(bandit.share(2), 0.0);
        // The first pays each of ten times: (1 + 10) / (10 + 10) = 0.55; the second nothing in ten: 1 / 20.
        for (int i = 0; i < 10; ++i) {
            bandit.credit(0, 1);
            bandit.credit(1, 0);
        }
        const double first = 0.25 * 0.55, second = 0.75 * 0.05;
        QVERIFY(qFuzzyCompare(bandit.share(0), 0.1 + 0.8 * first / (first + second)));
        QVERIFY(qFuzzyCompare(bandit.share(0) + bandit.share(1), 1.0));
        Rng rng(9);
        int drawn = 0;
        for (int i = 0; i < 10000; ++i)
            drawn += bandit.draw(rng) == 0 ? 1 : 0;
        QVERIFY(std::abs(drawn / 1e4 - bandit.share(0)) < 0.02);
        bandit.close(0);
        QCOMPARE(bandit.share(0), 0.0);
        QVERIFY(qFuzzyCompare(bandit.share(1), 1.0));
    }

    void banditForgets()
    {
        Bandit bandit({0.5, 0.5}, {.floor = 0, .prior = 0.1, .trust = 1, .fading = 0.5});
        bandit.credit(0, 1); // Then (0.1 + 0.25) / (1 + 1.75)
        bandit.credit(0, 0);
        bandit.credit(0, 0);
        const double known = 0.5 * (0.1 + 0.25) / (1 + 1.75), unknown = 0.5 * 0.1;
        QVERIFY(qFuzzyCompare(bandit.share(0), known / (known + unknown)));
    }

    void funnel()
    {
        Funnel funnel;
        QVERIFY(funnel.admit(warp));
        std::string other = warp; // Blanks and comments are no other program.
        other.insert(other.find("float sum"), "/* the same */   ");
        QVERIFY(!funnel.admit(other));
        QVERIFY(!funnel.admit("//! task spmv\n"));
        std::string undeclared = warp;
        undeclared.replace(undeclared.find("sum += val[i]"), 3, "summ");
        QVERIFY(!funnel.admit(undeclared));
        QVERIFY(funnel.admit(ell));
        QCOMPARE(funnel.counts().proposed, 5);
        QCOMPARE(funnel.counts().repeated, 1);
        QCOMPARE(funnel.counts().refused, 2);
        VerdictRecord record;
        QVERIFY(runKey(warp, record).empty());
        record.ptxHash = "p";
        QCOMPARE(runKey(warp, record), runKey(other, record));
        std::string moved = warp; // Another launch of the same code is another program.
        moved.replace(moved.find("256), 256"), 9, "128), 128");
        QVERIFY(runKey(warp, record) != runKey(moved, record));
    }

    void table()
    {
        auto one = program(7, 2.5, "a", {3, 5});
        one.seconds = 1.25;
        one.speedup = 2;
        one.niche = "S3";
        one.fresh = true;
        QCOMPARE(searchCsvLine("a,b", one, 2.25),
                 std::string("\"a,b\",7,1.250,edits,\"S3\",unroll load-hint,\"unroll 4; __ldcs of val\",3 "
                             "5,correct,1,2.5000,2.0000,2.2500\n"));
    }
};

QTEST_GUILESS_MAIN(TestSearchParts)
#include "tst_search_parts.moc"
