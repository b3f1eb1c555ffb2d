// SPDX-License-Identifier: Apache-2.0
#pragma once

class QsciLexer;
class QsciScintilla;

namespace sparserl {

struct Theme;

// Markers of an editor of code: Scintilla has 32, and adds those from 25 on by itself where it could fold.
constexpr int heatSteps = 13; ///< 0 to 12: background, by heat.
constexpr int firstBand = 13; ///< 13 to 19: colours that join lines of two views.
constexpr int bandColours = 7;
constexpr int linkedLine = 20;  ///< Background: belongs to what the user looks at elsewhere.
constexpr int changedLine = 21; ///< Background: another text does not have it.
constexpr int faultLine = 22;   ///< Background.
constexpr int faultSymbol = 23; ///< In the margin.
constexpr int changedSymbol = 24;

// Indicators: Scintilla leaves those below 8 to lexers.
constexpr int changedWords = 8;    ///< What differs within a line.
constexpr int foundWords = 9;      ///< What is searched for.
constexpr int indicatorAlpha = 90; ///< Of 255: the text below stays readable.

/// Margins from left to right. Scintilla has one text for all margins of text: heat, or of SASS control
/// codes.
enum CodeMargin
{
    NumberMargin,
    TextMargin,
    SymbolMargin,
    BandMargin
};

/// Colours, margins and those markers whose colours do not change with what is shown. The lexer has its own.
void styleCodeEditor(QsciScintilla* editor, QsciLexer* lexer, const Theme& theme);

} // namespace sparserl
