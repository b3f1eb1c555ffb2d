// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/line_diff.h"

#include <QString>
#include <QWidget>
#include <vector>

class QLabel;
class QSplitter;

namespace sparserl {

class SourceView;

/// A program, and beside it, where one is given, the baseline: equal lines stand at the same height, lines
/// that differ are marked, both scroll together.
class SourcePair : public QWidget
{
    Q_OBJECT

public:
    explicit SourcePair(QWidget* parent = nullptr);
    SourceView* source() const { return m_source; }
    SourceView* baseline() const { return m_baseline; }
    /// Marks what differs between both texts as they are now; `on`: there is a baseline.
    void compare(bool on, const QString& baselineName = {});
    /// Shows the PTX of the program beside it: `lines` says which line of the program each of its lines comes
    /// from. Where the cursor or the mouse is on either side, the other side's lines are marked.
    void showPtx(const QString& ptx, std::vector<int> lines);
    /// The lines of the PTX (from 1) that come from a line of the program.
    const std::vector<int>& linkedLines() const { return m_linked; }
    const std::vector<LineDifference>& differences() const { return m_differences; }

public Q_SLOTS:
    void nextDifference();
    void previousDifference();

private:
    void follow(SourceView* from, SourceView* to);
    void link(SourceView* from, int line, bool scroll);
    bool eventFilter(QObject* watched, QEvent* event) override;
    void goTo(std::size_t difference);
    void markSide(SourceView* view, bool left);

    SourceView *m_source, *m_baseline;
    QSplitter* m_splitter;
    QWidget *m_bar, *m_baselineSide;
    QLabel* m_summary;
    std::vector<LineDifference> m_differences; ///< Left: the baseline; right: the program.
    std::vector<int> m_ptxLines, m_linked;
    int m_linkedFrom = 0;
    bool m_following = false;
};

} // namespace sparserl
