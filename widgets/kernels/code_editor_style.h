// SPDX-License-Identifier: Apache-2.0
#pragma once

class QsciLexer;
class QsciScintilla;

namespace sparserl {

struct Theme;

// Markers of a code editor: Scintilla has 32 and uses those from 25 on for folding.
constexpr int heatSteps = 13; ///< 0 to 12: background, by heat.
constexpr int firstBand = 13; ///< 13 to 19: colours that connect lines of two views.
constexpr int bandColours = 7;
constexpr int linkedLine = 20;  ///< Background: belongs to the focused line in another view.
constexpr int changedLine = 21; ///< Background: missing in the other text.
constexpr int faultLine = 22;   ///< Background.
constexpr int faultSymbol = 23; ///< Symbol in the margin.
constexpr int changedSymbol = 24;

// Indicators: Scintilla leaves those below 8 to lexers.
constexpr int changedWords = 8;    ///< Differences within a line.
constexpr int foundWords = 9;      ///< Search results.
constexpr int indicatorAlpha = 90; ///< Out of 255. The text below stays readable.

/// Margins from left to right. Scintilla has one text for all text margins: heat, or control codes of SASS.
enum CodeMargin
{
    NumberMargin,
    TextMargin,
    SymbolMargin,
    BandMargin
};

/// Sets colours, margins and fixed markers. The lexer is styled separately.
void styleCodeEditor(QsciScintilla* editor, QsciLexer* lexer, const Theme& theme);

} // namespace sparserl
