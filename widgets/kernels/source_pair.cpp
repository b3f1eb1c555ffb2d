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
#include <QToolButton>
#include <QVBoxLayout>
#include <map>

namespace sparserl {

SourcePair::SourcePair(QWidget* parent)
    : QWidget(parent)
    , m_source(new SourceView(this))
    , m_baseline(new SourceView(this))
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
    auto* previous = makeToolButton(QStringLiteral("zoom-out"), tr("Previous"),
                                    tr("Go to the previous difference (Shift+F7)"), m_bar);
    auto* next =
        makeToolButton(QStringLiteral("zoom-in"), tr("Next"), tr("Go to the next difference (F7)"), m_bar);
    for (QToolButton* button : {previous, next}) {
        button->setIcon({});
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        across->addWidget(button);
    }
    connect(previous, &QToolButton::clicked, this, &SourcePair::previousDifference);
    connect(next, &QToolButton::clicked, this, &SourcePair::nextDifference);
    layout->addWidget(m_bar);
    m_splitter->setObjectName(QStringLiteral("kernels.compare"));
    m_splitter->setChildrenCollapsible(false);
    m_splitter->addWidget(m_source);
    m_splitter->addWidget(m_baseline);
    layout->addWidget(m_splitter, 1);
    m_baseline->editor()->setAccessibleName(tr("Source of the baseline"));
    m_baseline->followCounter(m_source);
    m_baseline->hide();
    m_bar->hide();
    follow(m_source, m_baseline);
    follow(m_baseline, m_source);
    for (SourceView* view : {m_source, m_baseline}) {
        connect(view->editor(), &QsciScintilla::cursorPositionChanged, this,
                [this, view](int line, int) { link(view, line + 1, true); });
        view->editor()->viewport()->setMouseTracking(true);
        view->editor()->viewport()->installEventFilter(this);
    }
}

void SourcePair::follow(SourceView* from, SourceView* to)
{
    connect(from->editor()->verticalScrollBar(), &QScrollBar::valueChanged, this, [this, to](int value) {
        if (m_following || m_baseline->isHidden() || !m_ptxLines.empty()) // PTX is much longer
            return;
        m_following = true;
        to->editor()->verticalScrollBar()->setValue(value);
        m_following = false;
    });
}

void SourcePair::compare(bool on, const QString& baselineName)
{
    m_ptxLines.clear();
    m_linked.clear();
    m_linkedFrom = 0;
    m_baseline->setVisible(on);
    m_bar->setVisible(on);
    m_differences.clear();
    if (on)
        m_differences = diffLines(splitLines(m_baseline->editor()->text().toStdString()),
                                  splitLines(m_source->editor()->text().toStdString()));
    markSide(m_source, false);
    markSide(m_baseline, true);
    m_summary->setText(
        m_differences.empty()
            ? tr("The text is that of %1.").arg(baselineName)
            : counted(static_cast<std::int64_t>(m_differences.size()),
                      tr("One difference from %1, on the right.").arg(baselineName),
                      tr("%1 differences from %2, on the right.").arg(QStringLiteral("%1"), baselineName)));
}

void SourcePair::showPtx(const QString& ptx, std::vector<int> lines)
{
    m_baseline->show(ptx, {});
    compare(false);
    m_ptxLines = std::move(lines);
    m_baseline->setVisible(true);
    int line = 0, column = 0;
    m_source->editor()->getCursorPosition(&line, &column);
    link(m_source, line + 1, true);
}

void SourcePair::link(SourceView* from, int line, bool scroll)
{
    if (m_ptxLines.empty())
        return;
    const auto at = static_cast<std::size_t>(line - 1);
    const int wanted = from == m_source ? line : at < m_ptxLines.size() ? m_ptxLines[at] : 0;
    if (wanted == m_linkedFrom && !scroll)
        return;
    m_linkedFrom = wanted;
    m_linked.clear();
    for (std::size_t i = 0; i < m_ptxLines.size() && wanted > 0; ++i)
        if (m_ptxLines[i] == wanted)
            m_linked.push_back(static_cast<int>(i) + 1);
    m_source->setLinked(wanted > 0 ? std::vector<int>{wanted} : std::vector<int>());
    m_baseline->setLinked(m_linked);
    if (!scroll || m_linked.empty())
        return;
    if (from == m_source)
        m_baseline->revealLine(m_linked.front());
    else
        m_source->revealLine(wanted);
}

bool SourcePair::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::MouseMove && !m_ptxLines.empty())
        for (SourceView* view : {m_source, m_baseline})
            if (watched == view->editor()->viewport())
                if (const int line =
                        view->editor()->lineAt(static_cast<QMouseEvent*>(event)->position().toPoint());
                    line >= 0)
                    link(view, line + 1, false);
    return QWidget::eventFilter(watched, event);
}

void SourcePair::markSide(SourceView* view, bool left)
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
    view->setDifferences(changed, fillers, left);
}

void SourcePair::goTo(std::size_t difference)
{
    const LineDifference& d = m_differences[difference];
    m_baseline->goToLine(d.leftBegin + 1);
    m_source->goToLine(d.rightBegin + 1);
}

void SourcePair::nextDifference()
{
    int line = 0, column = 0;
    m_source->editor()->getCursorPosition(&line, &column);
    for (std::size_t i = 0; i < m_differences.size(); ++i)
        if (m_differences[i].rightBegin > line) {
            goTo(i);
            return;
        }
    if (!m_differences.empty())
        goTo(0);
}

void SourcePair::previousDifference()
{
    int line = 0, column = 0;
    m_source->editor()->getCursorPosition(&line, &column);
    for (std::size_t i = m_differences.size(); i-- > 0;)
        if (m_differences[i].rightBegin < line) {
            goTo(i);
            return;
        }
    if (!m_differences.empty())
        goTo(m_differences.size() - 1);
}

} // namespace sparserl
