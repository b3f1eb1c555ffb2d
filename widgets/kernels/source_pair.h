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

/// A listing and its title: "PTX", or a note that it is being generated.
struct NamedListing
{
    CodeListing listing;
    QString name;
    std::vector<LineCounters> counts; ///< By the listing's lines; may be empty.
};

/// Shows a program and, if there is one, the baseline beside it. Equal lines have the same height. Lines that
/// differ are marked, as are the words in them that differ. Both views scroll together. A new comparison is
/// scrolled to its first difference, unless the program is being edited.
class SourcePair : public QWidget
{
    Q_OBJECT

public:
    explicit SourcePair(QWidget* parent = nullptr);
    SourceView* source() const { return m_source; }
    SourceView* baseline() const { return m_baseline; }
    /// Marks the differences between the current texts (comparedLines). `on`: whether there is a baseline.
    void compare(bool on, const QString& baselineName = {});
    /// Shows one or two listings of the program beside it. The lines that correspond to the line under the
    /// cursor or the mouse are marked in all views.
    void showListings(const std::vector<NamedListing>& listings);
    /// The views of the program, of the first listing (or baseline) and of the second listing, even if they
    /// are hidden.
    std::vector<SourceView*> views() const { return {m_source, m_baseline, m_second}; }
    /// The lines of a listing (from 1) that come from the marked line of the program.
    std::vector<int> linkedLines(std::size_t listing = 0) const;
    /// The lines of a listing that come from line `line` of the program; both count from 1.
    std::vector<int> listedLines(std::size_t listing, int line) const;
    /// The view of the second listing, which is hidden unless there are two.
    SourceView* second() const { return m_second; }
    const std::vector<LineDifference>& differences() const { return m_differences; }
    QLabel* summary() const { return m_summary; } ///< "Difference 2 of 7 from ..."
    /// Moves a widget into the bar above the comparison.
    void takeChoice(QWidget* choice);

public Q_SLOTS:
    void nextDifference();
    void previousDifference();

Q_SIGNALS:
    /// The number of views that are shown side by side has changed.
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
    std::vector<std::vector<int>> m_listed;    ///< Per listing: the program line of each of its lines.
    /// m_sharing: number of views among which the width was last divided.
    int m_linkedFrom = 0, m_sharing = 1;
    int m_told = 1;                     ///< Number of views that viewsShown last reported.
    QString m_baselineName, m_compared; ///< m_compared: both texts of the last comparison.
    /// The difference that the user went to, and the cursor's line (from 0) there.
    int m_at = -1, m_atLine = -1;
    bool m_following = false;
};

} // namespace sparserl
