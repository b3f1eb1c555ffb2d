// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/source_pair.h"

#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/kernels/source_view.h"

#include "widgets/kernels/scintilla.h"
#include <QLabel>
#include <QMouseEvent>
#include <QScrollBar>
#include <QSplitter>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <map>
#include <utility>

namespace sparserl {

SourcePair::SourcePair(QWidget* parent)
    : QWidget(parent)
    , m_source(new SourceView(this))
    , m_baseline(new SourceView(this))
    , m_second(new SourceView(this))
    , m_splitter(new QSplitter(Qt::Horizontal, this))
    , m_bar(new QWidget(this))
    , m_summary(makeMuted({}, this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* across = new QHBoxLayout(m_bar);
    across->setContentsMargins(10, 4, 6, 2);
    letShrink(m_summary);
    across->addWidget(m_summary, 1);
    auto* previous = makeToolButton(QStringLiteral("up"), tr("Previous"),
                                    tr("Go to the previous difference (Shift+F7)"), m_bar);
    auto* next =
        makeToolButton(QStringLiteral("down"), tr("Next"), tr("Go to the next difference (F7)"), m_bar);
    across->addWidget(previous);
    across->addWidget(next);
    connect(previous, &QToolButton::clicked, this, &SourcePair::previousDifference);
    connect(next, &QToolButton::clicked, this, &SourcePair::nextDifference);
    layout->addWidget(m_bar);
    m_splitter->setObjectName(QStringLiteral("kernels.compare"));
    m_splitter->setChildrenCollapsible(false);
    m_splitter->addWidget(m_source);
    m_splitter->addWidget(m_baseline);
    m_splitter->addWidget(m_second);
    layout->addWidget(m_splitter, 1);
    m_baseline->editor()->setAccessibleName(tr("Source of the baseline"));
    for (SourceView* view : {m_baseline, m_second}) {
        view->followCounter(m_source);
        view->hide();
    }
    m_bar->hide();
    follow(m_source, m_baseline);
    follow(m_baseline, m_source);
    for (SourceView* view : {m_source, m_baseline, m_second}) {
        connect(view->editor(), &QsciScintilla::cursorPositionChanged, this, [this, view](int line, int) {
            link(view, line + 1, true);
            if (view == m_source && !m_bar->isHidden())
                tellDifference();
        });
        view->editor()->viewport()->setMouseTracking(true);
        view->editor()->viewport()->installEventFilter(this);
    }
}

void SourcePair::follow(SourceView* from, SourceView* to)
{
    connect(from->editor()->verticalScrollBar(), &QScrollBar::valueChanged, this, [this, to](int value) {
        if (m_following || m_baseline->isHidden() || !m_listed.empty()) // listings are much longer
            return;
        m_following = true;
        to->editor()->verticalScrollBar()->setValue(value);
        m_following = false;
    });
}

void SourcePair::compare(bool on, const QString& baselineName)
{
    QMetaObject::invokeMethod(this, &SourcePair::tellViews, Qt::QueuedConnection);
    m_listed.clear();
    m_linkedFrom = 0;
    m_second->hide();
    const CodeKind kind = m_source->kind();
    m_source->editor()->setAccessibleName(kind == CodeKind::Program
                                              ? tr("Source of the kernel program")
                                              : tr("%1 of the program").arg(kindName(kind)));
    m_baseline->editor()->setAccessibleName(kind == CodeKind::Program
                                                ? tr("Source of the baseline")
                                                : tr("%1 of the baseline").arg(kindName(kind)));
    m_baseline->setVisible(on);
    if (on)
        shareWidth();
    // While a copy is edited, the original is shown at the place where the user types, once it has its
    // height.
    if (on && !m_source->editor()->isReadOnly())
        QTimer::singleShot(0, this, [this] {
            m_baseline->editor()->verticalScrollBar()->setValue(
                m_source->editor()->verticalScrollBar()->value());
        });
    m_bar->setVisible(on);
    m_differences.clear();
    if (on)
        m_differences = diffLines(comparedLines(m_baseline->editor()->text(), m_baseline->kind()),
                                  comparedLines(m_source->editor()->text(), m_source->kind()));
    for (SourceView* view : {m_source, m_baseline})
        view->setBands({});
    // Words of lines that stand for each other.
    std::map<int, std::vector<LineSpan>> left, right;
    if (on) {
        const auto leftLines = splitLines(m_baseline->editor()->text().toStdString());
        const auto rightLines = splitLines(m_source->editor()->text().toStdString());
        for (const LineDifference& d : m_differences)
            for (int l = d.leftBegin, r = d.rightBegin; l < d.leftEnd && r < d.rightEnd; ++l, ++r) {
                WithinLine within = differencesWithin(leftLines[static_cast<std::size_t>(l)],
                                                      rightLines[static_cast<std::size_t>(r)], kind);
                left[l] = std::move(within.left);
                right[r] = std::move(within.right);
            }
    }
    markSide(m_source, false, right);
    markSide(m_baseline, true, left);
    m_baselineName = baselineName;
    const QString compared =
        on ? m_baseline->editor()->text() + QChar(0) + m_source->editor()->text() : QString();
    const bool anew = m_compared != compared;
    m_compared = compared;
    if (anew)
        m_at = -1;
    if (anew && on && !m_differences.empty() && m_source->editor()->isReadOnly())
        goTo(0);
    else
        tellDifference();
}

int SourcePair::currentDifference() const
{
    return m_at >= 0 && m_at < static_cast<int>(m_differences.size()) &&
                   m_source->cursorLine() - 1 == m_atLine
               ? m_at
               : -1;
}

void SourcePair::tellDifference()
{
    const auto count = static_cast<std::int64_t>(m_differences.size());
    const int at = currentDifference();
    m_summary->setText(
        m_differences.empty() ? tr("The text equals that of %1.").arg(m_baselineName)
        : at >= 0
            ? tr("Difference %1 of %2 from %3, on the right.")
                  .arg(formatCount(at + 1), formatCount(count), m_baselineName)
            : counted(count, tr("One difference from %1, on the right.").arg(m_baselineName),
                      tr("%1 differences from %2, on the right.").arg(QStringLiteral("%1"), m_baselineName)));
}

void SourcePair::takeChoice(QWidget* choice)
{
    static_cast<QHBoxLayout*>(m_bar->layout())->insertWidget(0, choice);
}

void SourcePair::showListings(const std::vector<NamedListing>& listings)
{
    SourceView* const views[] = {m_baseline, m_second};
    const std::size_t count = std::min(listings.size(), std::size(views));
    compare(false);
    for (std::size_t i = 0; i < count; ++i) {
        const CodeListing& listing = listings[i].listing;
        views[i]->showListing(listing, listings[i].name, listings[i].counts);
        views[i]->editor()->setAccessibleName(tr("%1 of the program").arg(kindName(listing.kind)));
        views[i]->setVisible(true);
        m_listed.push_back(listing.lines);
    }
    colourBands();
    shareWidth();
    int line = 0, column = 0;
    m_source->editor()->getCursorPosition(&line, &column);
    link(m_source, line + 1, true);
}

int SourcePair::viewsBeside() const
{
    return 1 + !m_baseline->isHidden() + !m_second->isHidden();
}

// Told once all that changes at one time has changed.
void SourcePair::tellViews()
{
    const int shown = viewsBeside();
    if (shown != std::exchange(m_told, shown))
        Q_EMIT viewsShown(shown);
}

// Another number of views has the width in equal parts; what the user chose for as many stays.
void SourcePair::shareWidth()
{
    const int shown = viewsBeside();
    if (shown == std::exchange(m_sharing, shown) || shown == 1)
        return;
    m_splitter->setSizes(QList<int>(m_splitter->count(), std::max(1, m_splitter->width() / shown)));
}

// Lines of the program that became instructions get colours in turn, and what they became has the same ones.
void SourcePair::colourBands()
{
    std::map<int, int> bands; // of lines of the program
    for (const std::vector<int>& lines : m_listed)
        for (const int line : lines)
            if (line > 0)
                bands.emplace(line, 0);
    int next = 0;
    for (auto& [line, band] : bands)
        band = next++;
    const auto bandOf = [&](int line) {
        const auto found = bands.find(line);
        return found != bands.end() ? found->second : -1;
    };
    std::vector<int> own(static_cast<std::size_t>(m_source->editor()->lines()));
    for (std::size_t line = 0; line < own.size(); ++line)
        own[line] = bandOf(static_cast<int>(line) + 1);
    m_source->setBands(own);
    SourceView* const views[] = {m_baseline, m_second};
    for (std::size_t i = 0; i < m_listed.size(); ++i) {
        std::vector<int> listed;
        for (const int line : m_listed[i])
            listed.push_back(bandOf(line));
        views[i]->setBands(listed);
    }
}

std::vector<int> SourcePair::linkedLines(std::size_t listing) const
{
    return listedLines(listing, m_linkedFrom);
}

std::vector<int> SourcePair::listedLines(std::size_t listing, int line) const
{
    std::vector<int> listed;
    if (listing < m_listed.size() && line > 0)
        for (std::size_t i = 0; i < m_listed[listing].size(); ++i)
            if (m_listed[listing][i] == line)
                listed.push_back(static_cast<int>(i) + 1);
    return listed;
}

void SourcePair::link(SourceView* from, int line, bool scroll)
{
    if (m_listed.empty())
        return;
    SourceView* const views[] = {m_baseline, m_second};
    const auto at = static_cast<std::size_t>(line - 1);
    int wanted = from == m_source ? line : 0;
    for (std::size_t i = 0; i < m_listed.size(); ++i)
        if (views[i] == from && at < m_listed[i].size())
            wanted = m_listed[i][at];
    if (wanted == m_linkedFrom && !scroll)
        return;
    m_linkedFrom = wanted;
    m_source->setLinked(wanted > 0 ? std::vector<int>{wanted} : std::vector<int>());
    if (scroll && wanted > 0 && from != m_source)
        m_source->revealLine(wanted);
    for (std::size_t i = 0; i < m_listed.size(); ++i) {
        const std::vector<int> linked = linkedLines(i);
        views[i]->setLinked(linked);
        if (scroll && !linked.empty() && views[i] != from)
            views[i]->revealLine(linked.front());
    }
}

bool SourcePair::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::MouseMove && !m_listed.empty())
        for (SourceView* view : {m_source, m_baseline, m_second})
            if (watched == view->editor()->viewport())
                if (const int line =
                        view->editor()->lineAt(static_cast<QMouseEvent*>(event)->position().toPoint());
                    line >= 0)
                    link(view, line + 1, false);
    return QWidget::eventFilter(watched, event);
}

void SourcePair::markSide(SourceView* view, bool left, const std::map<int, std::vector<LineSpan>>& within)
{
    std::vector<int> changed;
    std::map<int, int> fillers; // behind which line, how many
    for (const LineDifference& d : m_differences) {
        const int begin = left ? d.leftBegin : d.rightBegin, end = left ? d.leftEnd : d.rightEnd;
        const int own = end - begin;
        const int other = left ? d.rightEnd - d.rightBegin : d.leftEnd - d.leftBegin;
        for (int line = begin; line < end; ++line)
            changed.push_back(line);
        if (other > own)
            fillers[end - 1] += other - own;
    }
    view->setDifferences(changed, fillers, within, left);
}

void SourcePair::goTo(std::size_t difference)
{
    const LineDifference& d = m_differences[difference];
    m_baseline->goToLine(d.leftBegin + 1);
    m_source->goToLine(d.rightBegin + 1);
    m_source->revealLine(d.rightBegin + 1); // the other side follows
    m_at = static_cast<int>(difference);
    m_atLine = m_source->cursorLine() - 1;
    tellDifference();
}

void SourcePair::nextDifference()
{
    if (m_differences.empty())
        return;
    const int line = m_source->cursorLine() - 1;
    std::size_t next = 0;
    if (const int at = currentDifference(); at >= 0)
        next = static_cast<std::size_t>(at) + 1;
    else
        while (next < m_differences.size() && m_differences[next].rightBegin <= line)
            ++next;
    goTo(next % m_differences.size());
}

void SourcePair::previousDifference()
{
    if (m_differences.empty())
        return;
    const int line = m_source->cursorLine() - 1;
    std::size_t before = 0; // differences before the cursor
    if (const int at = currentDifference(); at >= 0)
        before = static_cast<std::size_t>(at);
    else
        while (before < m_differences.size() && m_differences[before].rightBegin < line)
            ++before;
    goTo(before == 0 ? m_differences.size() - 1 : before - 1);
}

} // namespace sparserl
