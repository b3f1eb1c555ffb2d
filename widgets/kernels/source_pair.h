// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/line_diff.h"
#include "widgets/kernels/code_listing.h"

#include <QString>
#include <QWidget>
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
};

/// A program, and beside it, where one is given, the baseline: equal lines stand at the same height, lines
/// that differ are marked, both scroll together.
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
    /// The second listing; hidden unless there are two.
    SourceView* second() const { return m_second; }
    const std::vector<LineDifference>& differences() const { return m_differences; }

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
    void markSide(SourceView* view, bool left);

    SourceView *m_source, *m_baseline, *m_second;
    QSplitter* m_splitter;
    QWidget *m_bar, *m_baselineSide;
    QLabel* m_summary;
    std::vector<LineDifference> m_differences; ///< Left: the baseline; right: the program.
    std::vector<std::vector<int>> m_listed;    ///< Of each listing, its lines' lines of the program.
    int m_linkedFrom = 0, m_sharing = 1;       ///< m_sharing: views that the width was last shared among.
    int m_told = 1;                            ///< Views that viewsShown last told of.
    bool m_following = false;
};

} // namespace sparserl
