// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/plain_text.h"

#include "base/printable.h"
#include "widgets/common/format.h"

#include <QApplication>
#include <QEvent>
#include <QLabel>
#include <algorithm>

namespace sparserl {

namespace {

constexpr char richMark[] = "sparserlRichText";
const QString guardName = QStringLiteral("TextGuard");

/// A widget is polished before it is measured or painted first; a tool tip is a label, too, which Qt polishes
/// before it gets its text.
class TextGuard : public QObject
{
public:
    using QObject::QObject;
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() != QEvent::Polish)
            return false;
        auto* label = qobject_cast<QLabel*>(watched);
        if (label && !label->property(richMark).toBool())
            label->setTextFormat(Qt::PlainText);
        return false;
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
