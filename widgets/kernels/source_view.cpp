// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/source_view.h"

#include "widgets/common/colormap.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/theme.h"
#include "widgets/kernels/code_editor_style.h"
#include "widgets/kernels/cuda_lexer.h"
#include "widgets/kernels/heat_scroll_bar.h"
#include "widgets/kernels/instruction_tips.h"
#include "widgets/kernels/sass_bar.h"

#include "widgets/kernels/scintilla.h"
#include <QComboBox>
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
    const bool narrow = width() < roomy;
    m_heatLabel->setVisible(!narrow);
    m_hottest->setToolButtonStyle(narrow ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
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

void SourceView::showListing(const CodeListing& listing, const QString& name)
{
    m_record.reset(); // counters are of the program's lines
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

void SourceView::setBands(const std::vector<int>& bands)
{
    m_bands = bands;
    applyBands();
}

void SourceView::applyBands()
{
    for (int colour = 0; colour < bandColours; ++colour)
        m_editor->markerDeleteAll(firstBand + colour);
    constexpr int bandWidth = 5; // pixels
    m_editor->setMarginWidth(BandMargin, m_bands.empty() ? 0 : bandWidth);
    const int count = std::min(static_cast<int>(m_bands.size()), m_editor->lines());
    for (int line = 0; line < count; ++line)
        if (const int band = m_bands[static_cast<std::size_t>(line)]; band >= 0)
            m_editor->markerAdd(line, firstBand + band % bandColours);
}

void SourceView::applyControls()
{
    const bool shown = m_controlsShown && m_kind == CodeKind::Sass && !m_controls.isEmpty();
    m_tips->setMarginHelp(TextMargin, shown ? SassBar::legend() : QString());
    if (!shown)
        return;
    QFont small = m_lexer->defaultFont(0);
    small.setPointSizeF(small.pointSizeF() * 0.9);
    const QsciStyle style(123, QStringLiteral("control"), Theme::of(this).muted, Theme::of(this).raised,
                          small);
    qsizetype longest = 0;
    const int count = std::min(static_cast<int>(m_controls.size()), m_editor->lines());
    for (int line = 0; line < count; ++line) {
        m_editor->setMarginText(line, m_controls[line], style);
        longest = std::max(longest, m_controls[line].size());
    }
    const QString widest(longest, QLatin1Char('0'));
    m_editor->setMarginWidth(TextMargin, QFontMetrics(small).horizontalAdvance(widest) + 8);
}

void SourceView::setDifferences(const std::vector<int>& changed, const std::map<int, int>& fillers,
                                bool removed)
{
    m_changed = changed;
    m_removed = removed;
    m_editor->clearAnnotations();
    m_editor->setAnnotationDisplay(QsciScintilla::AnnotationStandard);
    const Theme& theme = Theme::of(this);
    const QsciStyle filler(122, QStringLiteral("filler"), theme.muted, theme.raised, m_lexer->defaultFont(0));
    for (const auto& [line, count] : fillers)
        if (line >= 0) // Scintilla has no space above the first line
            m_editor->annotate(line, QString(count - 1, QLatin1Char('\n')) + QLatin1Char(' '), filler);
    applyHeat();
}

void SourceView::setLinked(const std::vector<int>& lines)
{
    const Theme& theme = Theme::of(this);
    m_editor->markerDeleteAll(linkedLine);
    m_editor->markerDefine(QsciScintilla::Background, linkedLine);
    m_editor->setMarkerBackgroundColor(blend(theme.base, theme.accent, theme.dark ? 0.30 : 0.18), linkedLine);
    for (const int line : lines)
        m_editor->markerAdd(line - 1, linkedLine);
}

void SourceView::applyDifferences()
{
    const Theme& theme = Theme::of(this);
    const QColor colour = m_removed ? theme.bad : theme.good;
    m_editor->markerDefine(QsciScintilla::Background, changedLine);
    m_editor->setMarkerBackgroundColor(blend(theme.base, colour, theme.dark ? 0.28 : 0.20), changedLine);
    m_editor->markerDefine(m_removed ? QsciScintilla::Minus : QsciScintilla::Plus, changedSymbol);
    m_editor->setMarkerBackgroundColor(colour, changedSymbol);
    m_editor->setMarkerForegroundColor(colour, changedSymbol);
    for (const int line : m_changed) {
        m_editor->markerAdd(line, changedLine);
        m_editor->markerAdd(line, changedSymbol);
    }
}

void SourceView::applyScrollMarks()
{
    const Theme& theme = Theme::of(this);
    const double lines = std::max(1, m_editor->lines());
    std::vector<HeatScrollBar::Mark> marks;
    constexpr double worthAMark = 0.1; // of the hottest line
    for (const auto& [line, heat] : m_heat)
        if (heat.heat >= worthAMark)
            marks.push_back(
                {(line - 1) / lines,
                 QColor::fromRgb(mapColor(ColorMap::Cividis, 0.55 + 0.45 * std::sqrt(heat.heat)))});
    for (const int line : m_changed)
        marks.push_back({line / lines, m_removed ? theme.bad : theme.good});
    if (m_record && m_record->line > 0)
        marks.push_back({(m_record->line - 1) / lines, theme.bad});
    const bool plain = marks.empty() && m_heat.empty() && m_changed.empty();
    m_scroll->setMarks(std::move(marks), 1 / lines);
    m_editor->setVerticalScrollBarPolicy(plain ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOn);
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
    if (line - 1 < first || line - 1 >= first + onScreen)
        m_editor->setFirstVisibleLine(std::max(0, line - 1 - above));
}

void SourceView::applyHeat()
{
    const Theme& theme = Theme::of(this);
    m_editor->markerDeleteAll();
    m_editor->clearMarginText();
    m_heat = m_record ? heatByLine(m_record->lines, heatCounters()[std::max(0, m_counter->currentIndex())])
                      : std::map<int, LineHeat>();
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
        m_summary->setText(untold ? QStringLiteral("%1 · %2").arg(m_listingName, m_controlProblem)
                                  : m_listingName);
        return;
    }
    const bool counted = m_record && !m_record->lines.empty();
    // Of a program that failed, what ran until then.
    const bool untilThen = m_record && !m_record->correct() && !m_record->batteryCase.empty();
    m_summary->setText(!m_heat.empty() && untilThen
                           ? tr("%1 until it failed on the test shape %2")
                                 .arg(formatShortCount(total), toQString(m_record->batteryCase))
                       : !m_heat.empty() ? tr("%1 in all").arg(formatShortCount(total))
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
