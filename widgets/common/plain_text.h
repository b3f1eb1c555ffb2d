// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>

class QApplication;
class QLabel;

// Texts come from projects of others and from models, and Qt takes for HTML what looks like it: it would open
// any file that an <img> names. Here a text is shown as it is, unless it is mark-up of the program's own.
namespace sparserl {

/// Makes every label show plain text from before it is measured first, also those of Qt's dialogs and tool
/// tips. Shows hidden characters in titles and in selectable text, as visibleText(); shortens words that no
/// window can hold in labels that wrap. Labels of setRichText() stay as they are. Again, it does nothing.
void guardTexts(QApplication& application);

/// Mark-up of the program's own, with values in it that are text and nothing else.
class RichText
{
public:
    RichText() = default;
    /// `constant` stands in the program's source; %1 to %9 in it are the values.
    RichText(const QString& constant, const QStringList& values);
    RichText& operator+=(const RichText& more);
    const QString& html() const { return m_html; }

private:
    QString m_html;
};
void setRichText(QLabel* label, const RichText& text);

/// A text for Qt Charts, whose names, titles and categories are HTML always; line breaks stay.
QString chartText(const QString& text);

/// The text as the style of the application shows it (widgets/common/theme.cpp): what is not printable() in
/// it is escaped, as in a terminal. Line breaks stay, also those that Qt makes of them in tables (U+2028).
QString visibleText(const QString& text);

/// Paragraphs in lines of at most so many characters, where there are blanks: a tool tip does not wrap.
QString wrappedTip(const QString& text, int columns = 76);

} // namespace sparserl
