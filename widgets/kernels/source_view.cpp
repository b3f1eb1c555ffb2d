// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/source_view.h"

#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/theme.h"
#include "widgets/kernels/code_editor_style.h"
#include "widgets/kernels/cuda_lexer.h"
#include "widgets/kernels/find_bar.h"
#include "widgets/kernels/heat_scroll_bar.h"
#include "widgets/kernels/instruction_tips.h"

#include "widgets/kernels/scintilla.h"
#include <QComboBox>
#include <QKeyEvent>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace sparserl {

SourceView::SourceView(QWidget* parent)
    : QWidget(parent)
    , m_editor(new QsciScintilla(this))
    , m_lexer(new CudaLexer(this))
    , m_counter(new QComboBox(this))
    , m_heatLabel(makeMuted(tr("Heat"), this))
    , m_hottest(
          makeToolButton(QStringLiteral("flame"), tr("Hottest"), tr("Go to the next hottest line"), this))
    , m_summary(makeMuted({}, this))
    , m_bar(new QHBoxLayout)
    , m_tips(new InstructionTips(m_editor))
{
    for (const HeatCounter& counter : heatCounters()) {
        m_counter->addItem(counter.name);
        m_counter->setItemData(m_counter->count() - 1, counter.help, Qt::ToolTipRole);
    }
    m_counter->setAccessibleName(tr("Counter that colours the source"));
    letShrink(m_summary);
    connect(m_hottest, &QToolButton::clicked, this, &SourceView::nextHotLine);
    m_counter->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_counter->setMinimumContentsLength(14);
    constexpr int narrowest = 160; // beside two listings; the head gives way
    setMinimumWidth(narrowest);
    m_bar->setContentsMargins(10, 6, 6, 4);
    m_bar->setSpacing(8);
    m_choice = new QWidget(this);
    auto* choice = new QHBoxLayout(m_choice);
    choice->setContentsMargins(0, 0, 0, 0);
    choice->addWidget(m_heatLabel);
    choice->addWidget(m_counter, 1);
    choice->addWidget(m_hottest);
    m_bar->addWidget(m_choice);
    m_bar->addWidget(m_summary, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(m_bar);
    layout->addWidget(m_editor, 1);
    m_editor->installEventFilter(this);
    m_find = new FindBar(m_editor, this); // its filter comes first: Esc closes the search before all else
    layout->addWidget(m_find);

    m_scroll = new HeatScrollBar(m_editor);
    m_editor->replaceVerticalScrollBar(m_scroll);
    m_editor->setUtf8(true);
    m_editor->setReadOnly(true);
    m_editor->setLexer(m_lexer);
    m_editor->setFrameShape(QFrame::NoFrame);
    m_editor->setAccessibleName(tr("Source of the kernel program"));
    m_editor->setTabWidth(4);
    m_editor->setCaretLineVisible(true);
    m_editor->setScrollWidthTracking(true);
    m_editor->setScrollWidth(10);
    m_editor->setExtraAscent(1);
    m_editor->setExtraDescent(1);
    connect(m_counter, &QComboBox::currentIndexChanged, this, &SourceView::applyHeat);
    applyTheme();
}

void SourceView::applyTheme()
{
    m_lexer->applyTheme(Theme::of(this), codeFont());
    styleCodeEditor(m_editor, m_lexer, Theme::of(this));
    applyHeat();
}

void SourceView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange)
        applyTheme();
}

void SourceView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    applyWidth();
}

// What the counter is stays to the last: the sum and words go before.
void SourceView::applyWidth()
{
    constexpr int roomy = 360;
    const bool narrow = width() < roomy, wordless = width() < atTextSize(roomy);
    m_heatLabel->setVisible(!wordless);
    m_hottest->setToolButtonStyle(wordless ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    constexpr int least = 220; // for a name and what else is in the head
    const bool crowded = width() < least && m_head && m_head->parentWidget() == this && m_head->isVisible();
    // With and without the choice as high, so that lines stand beside each other; the style may have changed.
    m_summary->setMinimumHeight(m_choice->sizeHint().height());
    m_summary->setVisible(!crowded && (!narrow || m_follower || m_kind != CodeKind::Program));
}

void SourceView::showProgram(const QString& text, const std::optional<VerdictRecord>& record)
{
    const bool sameFault = m_record && record && m_record->line == record->line && m_editor->text() == text;
    m_record = record;
    m_counts = record ? record->lines : std::vector<LineCounters>();
    m_kind = CodeKind::Program;
    m_listingName.clear();
    m_controls.clear();
    m_controlProblem.clear();
    m_tips->setHelp({});
    m_choice->setVisible(!m_follower);
    applyWidth();
    setText(text);
    applyHeat();
    if (record && record->line > 0 && !sameFault) // counters that come later leave the cursor alone
        goToLine(record->line);
}

void SourceView::showListing(const CodeListing& listing, const QString& name,
                             const std::vector<LineCounters>& counts)
{
    m_record.reset(); // its counters are of the program's lines
    m_counts = counts;
    m_kind = listing.kind;
    m_listingName = name;
    m_controls = listing.controls;
    m_controlProblem = listing.controlProblem;
    m_tips->setHelp(listing.help);
    m_choice->hide();
    applyWidth();
    setText(listing.text);
    applyHeat();
}

void SourceView::setText(const QString& text)
{
    m_bands.clear();
    if (m_editor->text() == text)
        return;
    m_editor->clearAnnotations();
    m_changed.clear();
    m_within.clear();
    m_editor->setText(text);
}

void SourceView::setControlsShown(bool on)
{
    m_controlsShown = on;
    applyHeat();
}

void SourceView::takeHead(QWidget* head)
{
    if (m_bar->indexOf(head) < 0) // else what has the focus would lose it
        m_bar->addWidget(head, 1);
    m_head = head;
    applyWidth();
}

void SourceView::followCounter(const SourceView* other)
{
    connect(other->m_counter, &QComboBox::currentIndexChanged, m_counter, &QComboBox::setCurrentIndex);
    m_follower = true;
    m_choice->hide();
}

void SourceView::setCountState(const QString& sentence)
{
    m_countState = sentence;
    const bool counted = m_record && !m_record->lines.empty();
    if (m_heat.empty() && !counted && m_kind == CodeKind::Program)
        m_summary->setText(sentence);
}

void SourceView::clear()
{
    m_record.reset();
    m_counts.clear();
    m_editor->clear();
    applyHeat();
}

void SourceView::goToLine(int line)
{
    m_editor->setCursorPosition(line - 1, 0);
    m_editor->ensureLineVisible(line - 1);
}

void SourceView::revealLine(int line)
{
    constexpr int above = 3; // lines of what comes before
    const int first = m_editor->firstVisibleLine();
    const auto onScreen = static_cast<int>(m_editor->SendScintilla(QsciScintilla::SCI_LINESONSCREEN));
    // On the screen there are also the lines that keep two texts level.
    const auto shown = static_cast<int>(
        m_editor->SendScintilla(QsciScintilla::SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(line - 1)));
    if (shown < first || shown >= first + onScreen)
        m_editor->setFirstVisibleLine(std::max(0, shown - above));
}

int SourceView::cursorLine() const
{
    int line = 0, column = 0;
    m_editor->getCursorPosition(&line, &column);
    return line + 1;
}

void SourceView::find()
{
    m_find->open();
}

bool SourceView::eventFilter(QObject* watched, QEvent* event)
{
    // Before the window's own Ctrl+F, which looks for a row of the list.
    if (event->type() == QEvent::ShortcutOverride &&
        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Find)) {
        event->accept();
        return true;
    }
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->matches(QKeySequence::Find)) {
        find();
        return true;
    }
    // Esc is the dialog's, where the code is in one; Scintilla would keep it.
    if ((event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride) &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->ignore();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void SourceView::applyHeat()
{
    const Theme& theme = Theme::of(this);
    m_editor->markerDeleteAll();
    m_editor->clearMarginText();
    m_heat = heatByLine(m_counts, heatCounters()[std::max(0, m_counter->currentIndex())]);
    QFont fixed = m_lexer->defaultFont(0);
    const QFontMetrics metrics(fixed);
    m_editor->setMarginWidth(NumberMargin, metrics.horizontalAdvance(QStringLiteral("000")) + 10);
    m_editor->setMarginWidth(TextMargin,
                             m_heat.empty() ? 0 : metrics.horizontalAdvance(QStringLiteral("00.0 %")) + 8);
    QFont small = fixed;
    small.setPointSizeF(fixed.pointSizeF() * 0.9);
    // Style numbers above the lexer's own; Scintilla keeps them per editor.
    const QsciStyle style(120, QStringLiteral("heat"), theme.muted, theme.raised, small);
    const QsciStyle hot(121, QStringLiteral("hot"), theme.text, theme.raised, small);
    double total = 0;
    for (const auto& [line, heat] : m_heat) {
        total += heat.value;
        if (line > m_editor->lines())
            continue;
        // By the root, so that lines of a few per cent can still be told apart.
        const int step = static_cast<int>(std::lround(std::sqrt(heat.heat) * (heatSteps - 1)));
        m_editor->markerAdd(line - 1, step);
        if (heat.share >= 0.0005)
            m_editor->setMarginText(line - 1,
                                    QLocale().toString(heat.share * 100, 'f', 1) + QStringLiteral(" %"),
                                    heat.share > 0.1 ? hot : style);
    }
    if (m_record && m_record->line > 0 && m_record->line <= m_editor->lines()) {
        m_editor->markerAdd(m_record->line - 1, faultLine);
        m_editor->markerAdd(m_record->line - 1, faultSymbol);
    }
    applyControls();
    applyBands();
    applyDifferences();
    applyScrollMarks();
    if (m_kind != CodeKind::Program) {
        const bool untold = m_controlsShown && m_kind == CodeKind::Sass && !m_controlProblem.isEmpty();
        QStringList said{m_listingName};
        if (!m_heat.empty()) // of SASS shared among its instructions, so that it need not be all
            said.append(m_kind == CodeKind::Sass ? tr("heat estimated from the PTX")
                                                 : tr("%1 in total").arg(formatShortCount(total)));
        if (untold)
            said.append(m_controlProblem);
        m_summary->setText(said.join(QStringLiteral(" · ")));
        return;
    }
    const bool counted = m_record && !m_record->lines.empty();
    // Of a program that failed, what ran until then.
    const bool untilThen = m_record && !m_record->correct() && !m_record->batteryCase.empty();
    m_summary->setText(!m_heat.empty() && untilThen
                           ? tr("%1 until it failed on the test shape %2")
                                 .arg(formatShortCount(total), toQString(m_record->batteryCase))
                       : !m_heat.empty() ? tr("%1 in total").arg(formatShortCount(total))
                       : counted         ? tr("none in this program")
                                         : m_countState);
}

void SourceView::nextHotLine()
{
    stepHotLine(1);
}

void SourceView::previousHotLine()
{
    stepHotLine(-1);
}

// Along the list of hottest lines from the one under the cursor: round at both ends.
void SourceView::stepHotLine(int step)
{
    std::vector<std::pair<double, int>> order;
    for (const auto& [line, heat] : m_heat)
        order.emplace_back(-heat.value, line);
    if (order.empty())
        return;
    std::sort(order.begin(), order.end());
    int cursor = 0, column = 0;
    m_editor->getCursorPosition(&cursor, &column);
    const auto here = std::find_if(order.begin(), order.end(),
                                   [&](const auto& entry) { return entry.second == cursor + 1; });
    const auto count = static_cast<int>(order.size());
    const int next = here == order.end() ? (step > 0 ? 0 : count - 1)
                                         : (static_cast<int>(here - order.begin()) + step + count) % count;
    goToLine(order[static_cast<std::size_t>(next)].second);
}

} // namespace sparserl
