// SPDX-License-Identifier: Apache-2.0
// What SourceView marks beside heat: bands, links, differences, control codes, and the same on the scroll
// bar.
#include "widgets/common/colormap.h"
#include "widgets/common/theme.h"
#include "widgets/kernels/code_editor_style.h"
#include "widgets/kernels/cuda_lexer.h"
#include "widgets/kernels/heat_scroll_bar.h"
#include "widgets/kernels/instruction_tips.h"
#include "widgets/kernels/sass_bar.h"
#include "widgets/kernels/source_view.h"

#include "widgets/kernels/scintilla.h"
#include <algorithm>
#include <cmath>

namespace sparserl {

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
                                const std::map<int, std::vector<LineSpan>>& within, bool removed)
{
    m_changed = changed;
    m_within = within;
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
    QColor words = colour;
    words.setAlpha(indicatorAlpha); // of which Scintilla makes its own
    m_editor->setIndicatorForegroundColor(words, changedWords);
    m_editor->SendScintilla(QsciScintilla::SCI_SETINDICATORCURRENT, static_cast<unsigned long>(changedWords));
    const long all = m_editor->SendScintilla(QsciScintilla::SCI_GETLENGTH);
    m_editor->SendScintilla(QsciScintilla::SCI_INDICATORCLEARRANGE, 0UL, all);
    for (const auto& [line, spans] : m_within) {
        const long begin =
            m_editor->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, static_cast<unsigned long>(line));
        for (const LineSpan& span : spans)
            m_editor->SendScintilla(QsciScintilla::SCI_INDICATORFILLRANGE,
                                    static_cast<unsigned long>(begin + span.begin),
                                    static_cast<long>(span.end - span.begin));
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

} // namespace sparserl
