// SPDX-License-Identifier: Apache-2.0
#include "base/line_diff.h"
#include "base/rng.h"

#include <QTest>
#include <algorithm>

using namespace sparserl;

class TestLineDiff : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void differencesByHand()
    {
        using L = std::vector<std::string>;
        using D = std::vector<LineDifference>;
        QVERIFY(diffLines({}, {}) == D{});
        QVERIFY(diffLines({"a", "b"}, {"a", "b"}) == D{});
        QVERIFY((diffLines(L{"a", "b", "c"}, L{"a", "x", "c"}) == D{{1, 2, 1, 2}}));
        QVERIFY((diffLines(L{"a", "c"}, L{"a", "b", "c"}) == D{{1, 1, 1, 2}}));
        QVERIFY((diffLines(L{"a", "b", "c", "d"}, L{"b", "c", "e"}) == D{{0, 1, 0, 0}, {3, 4, 2, 3}}));
        QVERIFY((diffLines(L{}, L{"a"}) == D{{0, 0, 0, 1}}));
        QVERIFY((diffLines(L{"a", "a"}, L{"a"}).size() == 1));
    }

    // Whatever the texts are: outside the differences both are equal, and no longer common subsequence exists
    // (by brute force over all subsequences of the left text).
    void commonLinesAreTheLongest()
    {
        Rng rng(11);
        for (int round = 0; round < 200; ++round) {
            std::vector<std::string> left(rng.below(9)), right(rng.below(9));
            for (auto* text : {&left, &right})
                for (std::string& line : *text)
                    line = std::string(1, static_cast<char>('a' + rng.below(3)));
            std::size_t common = 0, l = 0, r = 0;
            auto differences = diffLines(left, right);
            differences.push_back({static_cast<int>(left.size()), 0, static_cast<int>(right.size()), 0});
            for (const LineDifference& d : differences) {
                QCOMPARE(d.leftBegin - static_cast<int>(l), d.rightBegin - static_cast<int>(r));
                for (; l < static_cast<std::size_t>(d.leftBegin); ++l, ++r, ++common)
                    QCOMPARE(left[l], right[r]);
                l = static_cast<std::size_t>(d.leftEnd);
                r = static_cast<std::size_t>(d.rightEnd);
            }
            std::size_t longest = 0;
            for (unsigned mask = 0; mask < (1u << left.size()); ++mask) {
                std::size_t place = 0, size = 0;
                bool fits = true;
                for (std::size_t i = 0; i < left.size() && fits; ++i) {
                    if (!(mask >> i & 1))
                        continue;
                    while (place < right.size() && right[place] != left[i])
                        ++place;
                    fits = place++ < right.size();
                    ++size;
                }
                if (fits)
                    longest = std::max(longest, size);
            }
            QCOMPARE(common, longest);
        }
    }

    void linesOfText()
    {
        using L = std::vector<std::string>;
        QVERIFY(splitLines("") == L{});
        QVERIFY((splitLines("a\nb\n") == L{"a", "b"}));
        QVERIFY((splitLines("a\r\n\nb") == L{"a", "", "b"}));
    }
};

QTEST_APPLESS_MAIN(TestLineDiff)
#include "tst_line_diff.moc"
