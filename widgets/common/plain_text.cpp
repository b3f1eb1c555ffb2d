// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/plain_text.h"

#include "base/printable.h"
#include "widgets/common/format.h"

#include <QApplication>
#include <QEvent>
#include <QLabel>
#include <QMessageBox>
#include <algorithm>

namespace sparserl {

namespace {

constexpr char richMark[] = "sparserlRichText";
constexpr char shortMark[] = "sparserlShort"; ///< What stands for a text that is in the tool tip.
constexpr qsizetype longestTip = 4000;
const QString guardName = QStringLiteral("TextGuard");

/// Of a word that is longer than a small window is wide, its beginning and its end: nothing breaks within a
/// word, and a label would make its window as wide as a path or a name of others is long.
QString withoutLongWords(const QString& text)
{
    constexpr qsizetype longest = 110, kept = 50;
    qsizetype run = 0;
    const bool fits = std::none_of(text.begin(), text.end(),
                                   [&](QChar c) { return (run = c.isSpace() ? 0 : run + 1) > longest; });
    if (fits)
        return text;
    QString out;
    for (qsizetype at = 0; at < text.size();) {
        qsizetype end = at;
        while (end < text.size() && !text[end].isSpace())
            ++end;
        const QString word = text.mid(at, end - at);
        out += word.size() <= longest ? word : word.left(kept) + QChar(0x2026) + word.right(kept);
        if (end < text.size())
            out += text[end++];
        at = end;
    }
    return out;
}

/// Text that can be selected is painted past the style, which makes hidden characters visible.
void makeShowable(QLabel* label)
{
    if (label->property(richMark).toBool())
        return;
    // A layout may be done at once where a label is shown, before there is anything to tell of it.
    if (label->wordWrap() && label->minimumWidth() == 0 && !qobject_cast<QMessageBox*>(label->parentWidget()))
        label->setMinimumWidth(1);
    const QVariant shown = label->property(shortMark);
    if (shown.isValid() && shown.toString() == label->text())
        return;
    if (shown.isValid()) { // of another text
        label->setToolTip({});
        label->setProperty(shortMark, {});
    }
    const bool selectable = (label->textInteractionFlags() & Qt::TextSelectableByMouse) != 0;
    const QString before = label->text();
    QString text = selectable ? visibleText(before) : before;
    if (label->wordWrap())
        text = withoutLongWords(text);
    if (text == before)
        return;
    if (label->toolTip().isEmpty() && before.size() <= longestTip) {
        label->setToolTip(before);
        label->setProperty(shortMark, text);
    }
    label->setText(text);
}

/// A widget is polished before it is measured or painted first; a tool tip is a label, too, which Qt polishes
/// before it gets its text. A label with another text asks for a new layout of what it is in, before it is
/// painted. Titles of windows are drawn by the desktop.
class TextGuard : public QObject
{
public:
    using QObject::QObject;
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Polish) {
            auto* label = qobject_cast<QLabel*>(watched);
            if (label && !label->property(richMark).toBool())
                label->setTextFormat(Qt::PlainText);
            if (label)
                makeShowable(label);
        } else if (event->type() == QEvent::LayoutRequest) {
            for (QObject* child : watched->children())
                if (auto* label = qobject_cast<QLabel*>(child))
                    makeShowable(label);
        } else if (event->type() == QEvent::WindowTitleChange) {
            auto* window = qobject_cast<QWidget*>(watched);
            const QString title = window ? titleText(window->windowTitle()) : QString();
            if (window && title != window->windowTitle())
                window->setWindowTitle(title);
        }
        return false;
    }

private:
    static QString titleText(QString title)
    {
        constexpr qsizetype longest = 200; // of more, desktops show nothing
        if (title.size() > longest)
            title = title.left(longest) + QChar(0x2026);
        return visibleText(title.replace(QLatin1Char('\n'), QLatin1Char(' ')));
    }
};

} // namespace

void guardTexts(QApplication& application)
{
    if (application.findChild<QObject*>(guardName, Qt::FindDirectChildrenOnly))
        return;
    auto* guard = new TextGuard(&application);
    guard->setObjectName(guardName);
    application.installEventFilter(guard);
}

RichText::RichText(const QString& constant, const QStringList& values)
{
    // In one pass: a value may have a %2 in it.
    for (qsizetype i = 0; i < constant.size(); ++i) {
        const int number =
            constant[i] == QLatin1Char('%') && i + 1 < constant.size() ? constant[i + 1].digitValue() : -1;
        if (number < 1 || number > values.size()) {
            m_html += constant[i];
            continue;
        }
        m_html += values[number - 1].toHtmlEscaped();
        ++i;
    }
}

RichText& RichText::operator+=(const RichText& more)
{
    m_html += more.m_html;
    return *this;
}

void setRichText(QLabel* label, const RichText& text)
{
    label->setProperty(richMark, true);
    label->setTextFormat(Qt::RichText);
    label->setText(text.html());
}

QString chartText(const QString& text)
{
    return visibleText(text).toHtmlEscaped().replace(QLatin1Char('\n'), QStringLiteral("<br/>"));
}

QString visibleText(const QString& text)
{
    const auto mayHide = [](QChar c) {
        const ushort code = c.unicode();
        return (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0) ||
               code == 0xad || (code >= 0x300 && code != 0x2026);
    };
    if (std::none_of(text.begin(), text.end(), mayHide))
        return text;
    QStringList lines;
    for (const QString& line : text.split(QChar(QChar::LineSeparator)))
        lines.append(toQString(printable(line.toStdString())));
    return lines.join(QChar(QChar::LineSeparator));
}

QString wrappedTip(const QString& text, int columns)
{
    QStringList lines;
    for (const QString& paragraph : text.split(QLatin1Char('\n'))) {
        QString line;
        for (const QString& word : paragraph.split(QLatin1Char(' '))) {
            if (!line.isEmpty() && line.size() + 1 + word.size() > columns) {
                lines.append(line);
                line.clear();
            }
            line += line.isEmpty() ? word : QLatin1Char(' ') + word;
        }
        lines.append(line);
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace sparserl
