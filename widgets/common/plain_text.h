// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>

class QApplication;
class QLabel;

// Texts come from foreign projects and from models, and Qt interprets text that looks like HTML: it would
// open any file named in an <img>. These functions display all texts literally, except for the program's own
// mark-up.
namespace sparserl {

/// Makes every label show plain text, including labels in Qt's dialogs and tool tips, before its size is
/// first measured. Shows hidden characters in titles and selectable text as visibleText(), and shortens
/// overlong words in wrapping labels. Labels of setRichText() are exempt. Further calls do nothing.
void guardTexts(QApplication& application);

/// The program's own mark-up, with values inserted as plain text.
class RichText
{
public:
    RichText() = default;
    /// `constant` comes from the program's source; the values replace %1 to %9.
    RichText(const QString& constant, const QStringList& values);
    RichText& operator+=(const RichText& more);
    const QString& html() const { return m_html; }

private:
    QString m_html;
};
void setRichText(QLabel* label, const RichText& text);

/// Escapes text for Qt Charts, whose names, titles and categories are always HTML. Keeps line breaks.
QString chartText(const QString& text);

/// Text in the form that the window displays (widgets/common/theme.cpp): characters that are not printable()
/// are escaped, as in a terminal. Keeps line breaks, including those that Qt inserts in tables (U+2028).
QString visibleText(const QString& text);

/// Wraps paragraphs at blanks to lines of at most `columns` characters, because tool tips do not wrap.
QString wrappedTip(const QString& text, int columns = 76);

} // namespace sparserl
