// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/line_diff.h"
#include "verdict/counters.h"
#include "widgets/kernels/code_listing.h"

#include <QString>
#include <QWidget>
#include <map>
#include <vector>

class QLabel;
class QSplitter;

namespace sparserl {

class SourceView;

/// A listing, and what stands above it: "PTX", or that it is on its way.
struct NamedListing
{
    CodeListing listing;
    QString name;
    std::vector<LineCounters> counts; ///< By its lines; may be empty.
};

/// A program, and beside it, where one is given, the baseline: equal lines stand at the same height, lines
/// that differ are marked, and in them the words that do; both scroll together. What is compared anew is
/// shown from its first difference on, unless the program is being edited.
class SourcePair : public QWidget
{
    Q_OBJECT

public:
    explicit SourcePair(QWidget* parent = nullptr);
    SourceView* source() const { return m_source; }
    SourceView* baseline() const { return m_baseline; }
    /// Marks what differs between both texts as they are now (comparedLines); `on`: there is a baseline.
    void compare(bool on, const QString& baselineName = {});
    /// Shows one or two listings of the program beside it. Where the cursor or the mouse is in one of them
    /// or in the program, the lines that belong to it are marked in all.
    void showListings(const std::vector<NamedListing>& listings);
    /// Program, first and second listing (or baseline), also where they are hidden.
    std::vector<SourceView*> views() const { return {m_source, m_baseline, m_second}; }
    /// The lines of a listing (from 1) that come from the marked line of the program.
    std::vector<int> linkedLines(std::size_t listing = 0) const;
    /// Those that come from any line of it (from 1).
    std::vector<int> listedLines(std::size_t listing, int line) const;
    /// The second listing; hidden unless there are two.
    SourceView* second() const { return m_second; }
    const std::vector<LineDifference>& differences() const { return m_differences; }
    QLabel* summary() const { return m_summary; } ///< "Difference 2 of 7 from ..."
    /// Takes a widget into the line above what is compared.
    void takeChoice(QWidget* choice);

public Q_SLOTS:
    void nextDifference();
    void previousDifference();

Q_SIGNALS:
    /// So many views stand beside each other now.
    void viewsShown(int views);

private:
    int viewsBeside() const;
    void tellViews();
    void follow(SourceView* from, SourceView* to);
    void link(SourceView* from, int line, bool scroll);
    void colourBands();
    void shareWidth();
    bool eventFilter(QObject* watched, QEvent* event) override;
    void goTo(std::size_t difference);
    int currentDifference() const;
    void tellDifference();
    void markSide(SourceView* view, bool left, const std::map<int, std::vector<LineSpan>>& within);

    SourceView *m_source, *m_baseline, *m_second;
    QSplitter* m_splitter;
    QWidget* m_bar;
    QLabel* m_summary;
    std::vector<LineDifference> m_differences; ///< Left: the baseline; right: the program.
    std::vector<std::vector<int>> m_listed;    ///< Of each listing, its lines' lines of the program.
    int m_linkedFrom = 0, m_sharing = 1;       ///< m_sharing: views that the width was last shared among.
    int m_told = 1;                            ///< Views that viewsShown last told of.
    QString m_baselineName, m_compared;        ///< m_compared: both texts, as they were last compared.
    int m_at = -1, m_atLine = -1; ///< The difference that was gone to, and the cursor's line (from 0) there.
    bool m_following = false;
};

} // namespace sparserl
