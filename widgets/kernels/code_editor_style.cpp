// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/code_editor_style.h"

#include "widgets/common/colormap.h"
#include "widgets/common/theme.h"

#include "widgets/kernels/scintilla.h"

namespace sparserl {

namespace {

void styleMargins(QsciScintilla* editor, const Theme& theme)
{
    editor->setMarginsBackgroundColor(theme.raised);
    editor->setMarginsForegroundColor(theme.muted);
    editor->setMarginsFont(codeFont());
    editor->setMarginType(NumberMargin, QsciScintilla::NumberMargin);
    editor->setMarginType(TextMargin, QsciScintilla::TextMarginRightJustified);
    editor->setMarginType(SymbolMargin, QsciScintilla::SymbolMargin);
    editor->setMarginType(BandMargin, QsciScintilla::SymbolMargin);
    unsigned bands = 0;
    for (int colour = 0; colour < bandColours; ++colour)
        bands |= 1u << static_cast<unsigned>(firstBand + colour);
    editor->setMarginMarkerMask(NumberMargin, 0);
    editor->setMarginMarkerMask(TextMargin, 0);
    editor->setMarginMarkerMask(SymbolMargin, (1 << faultSymbol) | (1 << changedSymbol));
    editor->setMarginMarkerMask(BandMargin, static_cast<int>(bands));
    editor->setMarginWidth(SymbolMargin, 12);
}

void styleMarkers(QsciScintilla* editor, const Theme& theme)
{
    for (int step = 0; step < heatSteps; ++step) {
        editor->markerDefine(QsciScintilla::Background, step);
        const double t = static_cast<double>(step) / (heatSteps - 1);
        const QColor ramp = QColor::fromRgb(mapColor(ColorMap::Cividis, 0.55 + 0.45 * t));
        editor->setMarkerBackgroundColor(blend(theme.base, ramp, (theme.dark ? 0.06 : 0.10) + 0.34 * t),
                                         step);
    }
    editor->markerDefine(QsciScintilla::Background, faultLine);
    editor->setMarkerBackgroundColor(blend(theme.base, theme.bad, 0.22), faultLine);
    editor->markerDefine(QsciScintilla::RightTriangle, faultSymbol);
    editor->setMarkerBackgroundColor(theme.bad, faultSymbol);
    editor->setMarkerForegroundColor(theme.bad, faultSymbol);
    for (int colour = 0; colour < bandColours; ++colour) {
        editor->markerDefine(QsciScintilla::FullRectangle, firstBand + colour);
        editor->setMarkerBackgroundColor(blend(theme.base, theme.seriesColour(colour), 0.75),
                                         firstBand + colour);
    }
}

void styleIndicators(QsciScintilla* editor, const Theme& theme)
{
    for (const int indicator : {changedWords, foundWords}) {
        editor->indicatorDefine(QsciScintilla::StraightBoxIndicator, indicator);
        editor->setIndicatorDrawUnder(true, indicator);
    }
    QColor found = theme.accent;
    found.setAlpha(indicatorAlpha);
    editor->setIndicatorForegroundColor(found, foundWords);
}

} // namespace

void styleCodeEditor(QsciScintilla* editor, QsciLexer* lexer, const Theme& theme)
{
    // setLexer resets margins and paper, so everything else is set behind it.
    editor->setLexer(lexer);
    editor->setPaper(theme.base);
    editor->setColor(theme.text);
    editor->setCaretForegroundColor(theme.text);
    editor->setCaretLineBackgroundColor(blend(theme.base, theme.accent, theme.dark ? 0.13 : 0.06));
    editor->setSelectionBackgroundColor(theme.selection);
    editor->resetSelectionForegroundColor();
    editor->setFolding(QsciScintilla::NoFoldStyle);
    styleMargins(editor, theme);
    styleMarkers(editor, theme);
    styleIndicators(editor, theme);
}

} // namespace sparserl
