// SPDX-License-Identifier: Apache-2.0
// The tree of a search by hand: which programs it holds, the way to the record, gains and the curve.
#include "project/queries/search_tree.h"

#include <QtTest>

#include <cmath>

using namespace sparserl;

namespace {

LineageRow program(std::int64_t number, const std::string& parent, double microseconds, bool record,
                   std::vector<ProposalEdit> edits)
{
    LineageRow row;
    row.candidate.programHash = std::to_string(number);
    row.candidate.verdict = microseconds > 0 ? Verdict::Correct : Verdict::WrongResult;
    row.candidate.microseconds = microseconds;
    row.proposal.number = number;
    row.proposal.seconds = static_cast<double>(number);
    row.proposal.source = edits.empty() ? "bench" : "edits";
    row.proposal.record = record;
    row.proposal.edits = std::move(edits);
    if (parent.empty())
        row.proposal.corpus = "S" + std::to_string(number);
    else
        row.proposal.parents = {parent};
    return row;
}

/// 0 -> 3 -> 5 and 1 -> 2 -> 4, and 6 of 0, which nobody needs. In no order, as an index may give them.
std::vector<LineageRow> programs()
{
    return {program(5, "3", 7, true, {{"block", "block of 512"}}),
            program(0, "", 12, true, {}),
            program(2, "1", 8, true, {{"load", "by four"}, {"block", "block of 256"}}),
            program(1, "", 10, true, {}),
            program(4, "2", 0, false, {{"load", "by eight"}}),
            program(3, "0", 11, false, {{"unroll", "twice"}}),
            program(6, "0", 20, false, {{"unroll", "by four"}})};
}

QStringList hashes(const SearchTree& tree, bool onWay)
{
    QStringList list;
    for (const SearchTree::Node& node : tree.nodes) {
        if (!onWay || node.onWay)
            list.append(QString::fromStdString(node.program.candidate.programHash));
    }
    return list;
}

} // namespace

class SearchTreeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void holdsWhatMattersForTheRecord()
    {
        const SearchTree tree = searchTreeOf(programs(), "", "4");
        QCOMPARE(hashes(tree, false).join(QLatin1Char(' ')), QStringLiteral("0 1 2 3 4 5"));
        QCOMPARE(hashes(tree, true).join(QLatin1Char(' ')), QStringLiteral("0 3 5"));
        QCOMPARE(tree.record, 5);
        const std::ptrdiff_t parents[] = {-1, -1, 1, 0, 2, 3};
        const double gains[] = {0, 0, 10.0 / 8, 12.0 / 11, 0, 11.0 / 7};
        for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
            QCOMPARE(tree.nodes[i].parent, parents[i]);
            QCOMPARE(tree.nodes[i].gain, gains[i]);
        }
        // Nobody asks for the wrong one.
        QCOMPARE(hashes(searchTreeOf(programs(), "", "5"), false).join(QLatin1Char(' ')),
                 QStringLiteral("0 1 2 3 5"));
    }

    /// The final ranking says which one is the record.
    void theRankingNamesTheRecord()
    {
        const SearchTree tree = searchTreeOf(programs(), "2", "2");
        QCOMPARE(hashes(tree, true).join(QLatin1Char(' ')), QStringLiteral("1 2"));
        QCOMPARE(tree.record, 2);
    }

    void gainsAndCurve()
    {
        const SearchTree tree = searchTreeOf(programs(), "", "");
        QCOMPARE(tree.gain.size(), std::size_t(3));
        QCOMPARE(tree.gain.at("bench"), 12.0 / 10);
        QCOMPARE(tree.gain.at("load"), std::sqrt(10.0 / 8));
        QCOMPARE(tree.gain.at("block"), std::sqrt(10.0 / 8) * (8.0 / 7));
        const std::vector<std::pair<double, double>> curve{{0, 12}, {1, 10}, {2, 8}, {5, 7}};
        QCOMPARE(tree.curve, curve);
    }

    /// A journal that goes in circles, or has lost a parent, gives roots.
    void damage()
    {
        auto rows = programs();
        rows[1].proposal.parents = {"5"}; // 0, which 5 comes from
        rows[3].proposal.parents = {"gone"};
        const SearchTree tree = searchTreeOf(rows, "gone", "");
        QCOMPARE(tree.nodes[0].parent, -1);
        QCOMPARE(tree.nodes[1].parent, -1);
        QCOMPARE(tree.record, 4); // 5, without 4
        QVERIFY(searchTreeOf({}, "", "").nodes.empty());
        QCOMPARE(searchTreeOf({}, "", "").record, -1);
    }
};

QTEST_GUILESS_MAIN(SearchTreeTest)
#include "tst_search_tree.moc"
