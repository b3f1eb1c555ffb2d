// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/source_view.h"

#include "widgets/common/colormap.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/theme.h"
#include "widgets/kernels/cuda_lexer.h"
#include "widgets/kernels/heat_scroll_bar.h"

#include "widgets/kernels/scintilla.h"
#include <QComboBox>
#include <QFontDatabase>
#include <QFontInfo>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

namespace sparserl {

namespace {

constexpr int heatSteps = 20;   // markers 0 to 19; folding owns 25 to 31
constexpr int faultLine = 22;   // background
constexpr int faultSymbol = 23; // in the margin
constexpr int linkedLine = 20;  // background
constexpr int changedLine = 21; // background
constexpr int changedSymbol = 24;
enum Margin
{
    NumberMargin,
    HeatMargin,
    SymbolMargin
};

} // namespace

SourceView::SourceView(QWidget* parent)
    : QWidget(parent)
    , m_editor(new QsciScintilla(this))
    , m_lexer(new CudaLexer(this))
    , m_counter(new QComboBox(this))
    , m_summary(makeMuted({}, this))
{
    for (const HeatCounter& counter : heatCounters()) {
        m_counter->addItem(counter.name);
        m_counter->setItemData(m_counter->count() - 1, counter.help, Qt::ToolTipRole);
    }
    m_counter->setAccessibleName(tr("Counter that colours the source"));
    letShrink(m_summary);
    auto* next =
        makeToolButton(QStringLiteral("flame"), tr("Hottest"), tr("Go to the next hottest line"), this);
    connect(next, &QToolButton::clicked, this, &SourceView::nextHotLine);
    m_counter->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_counter->setMinimumContentsLength(14);
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(10, 6, 6, 4);
    bar->setSpacing(8);
    m_choice = new QWidget(this);
    auto* choice = new QHBoxLayout(m_choice);
    choice->setContentsMargins(0, 0, 0, 0);
    choice->addWidget(makeMuted(tr("Heat"), m_choice));
    choice->addWidget(m_counter);
    choice->addWidget(next);
    bar->addWidget(m_choice);
    bar->addWidget(m_summary, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
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
    const Theme& theme = Theme::of(this);
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    if (!QFontInfo(fixed).fixedPitch())
        fixed = QFont(QStringLiteral("monospace"));
    fixed.setPointSizeF(font().pointSizeF());
    m_lexer->applyTheme(theme, fixed);
    // setLexer resets margins and paper, so everything else is set behind it.
    m_editor->setLexer(m_lexer);
    m_editor->setPaper(theme.base);
    m_editor->setColor(theme.text);
    m_editor->setCaretForegroundColor(theme.text);
    m_editor->setCaretLineBackgroundColor(blend(theme.base, theme.accent, theme.dark ? 0.13 : 0.06));
    m_editor->setSelectionBackgroundColor(theme.selection);
    m_editor->resetSelectionForegroundColor();
    m_editor->setMarginsBackgroundColor(theme.raised);
    m_editor->setMarginsForegroundColor(theme.muted);
    m_editor->setMarginsFont(fixed);
    m_editor->setFolding(QsciScintilla::NoFoldStyle);
    m_editor->setMarginType(NumberMargin, QsciScintilla::NumberMargin);
    m_editor->setMarginType(HeatMargin, QsciScintilla::TextMarginRightJustified);
    m_editor->setMarginType(SymbolMargin, QsciScintilla::SymbolMargin);
    m_editor->setMarginMarkerMask(SymbolMargin, (1 << faultSymbol) | (1 << changedSymbol));
    m_editor->setMarginMarkerMask(NumberMargin, 0);
    m_editor->setMarginMarkerMask(HeatMargin, 0);
    m_editor->setMarginWidth(SymbolMargin, 12);
    for (int step = 0; step < heatSteps; ++step) {
        m_editor->markerDefine(QsciScintilla::Background, step);
        const double t = static_cast<double>(step) / (heatSteps - 1);
        const QColor ramp = QColor::fromRgb(mapColor(ColorMap::Cividis, 0.55 + 0.45 * t));
        m_editor->setMarkerBackgroundColor(blend(theme.base, ramp, (theme.dark ? 0.06 : 0.10) + 0.34 * t),
                                           step);
    }
    m_editor->markerDefine(QsciScintilla::Background, faultLine);
    m_editor->setMarkerBackgroundColor(blend(theme.base, theme.bad, 0.22), faultLine);
    m_editor->markerDefine(QsciScintilla::RightTriangle, faultSymbol);
    m_editor->setMarkerBackgroundColor(theme.bad, faultSymbol);
    m_editor->setMarkerForegroundColor(theme.bad, faultSymbol);
    applyHeat();
}

void SourceView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        applyTheme();
}

void SourceView::show(const QString& text, const std::optional<VerdictRecord>& record)
{
    const bool sameFault = m_record && record && m_record->line == record->line && m_editor->text() == text;
    m_record = record;
    if (m_editor->text() != text) {
        m_editor->clearAnnotations();
        m_changed.clear();
        m_editor->setText(text);
    }
    applyHeat();
    if (record && record->line > 0 && !sameFault) // counters that come later leave the cursor alone
        goToLine(record->line);
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
    // As high as the other's, so that lines stand beside each other.
    m_summary->setMinimumHeight(other->m_choice->sizeHint().height());
    m_choice->hide();
}

void SourceView::setCountState(const QString& sentence)
{
    m_countState = sentence;
    if (m_heat.empty() && !sentence.isEmpty())
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
    m_editor->setMarginWidth(HeatMargin,
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
    applyDifferences();
    applyScrollMarks();
    const bool counted = m_record && !m_record->lines.empty();
    m_summary->setText(!m_heat.empty() ? tr("%1 in all").arg(formatShortCount(total))
                       : counted       ? tr("none in this program")
                                       : m_countState);
}

void SourceView::nextHotLine()
{
    // Down the list of hottest lines from the one under the cursor.
    std::vector<std::pair<double, int>> order;
    for (const auto& [line, heat] : m_heat)
        order.emplace_back(-heat.value, line);
    if (order.empty())
        return;
    std::sort(order.begin(), order.end());
    int cursor = 0, column = 0;
    m_editor->getCursorPosition(&cursor, &column);
    std::size_t next = 0;
    for (std::size_t i = 0; i + 1 < order.size(); ++i)
        if (order[i].second == cursor + 1)
            next = i + 1;
    goToLine(order[next].second);
}

} // namespace sparserl
