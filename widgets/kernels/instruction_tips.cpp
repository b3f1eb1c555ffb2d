// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/instruction_tips.h"

#include "widgets/kernels/scintilla.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QToolTip>

namespace sparserl {

InstructionTips::InstructionTips(QsciScintilla* editor)
    : QObject(editor)
    , m_editor(editor)
{
    editor->viewport()->installEventFilter(this);
}

void InstructionTips::setMarginHelp(int margin, const QString& sentence)
{
    m_margin = margin;
    m_marginHelp = sentence;
}

QString InstructionTips::helpOnLine(int line) const
{
    const QString name = instructionOn(m_editor->text(line)).name;
    const auto found = m_help.find(name);
    return found != m_help.end() ? helpText(name, found->second) : QString();
}

bool InstructionTips::inMargin(int x) const
{
    int left = 0;
    for (int margin = 0; margin < m_margin; ++margin)
        left += m_editor->marginWidth(margin);
    return x >= left && x < left + m_editor->marginWidth(m_margin);
}

QString InstructionTips::tipAt(const QPoint& point) const
{
    if (!m_marginHelp.isEmpty() && inMargin(point.x()))
        return m_marginHelp;
    if (m_help.empty())
        return {};
    const auto position =
        m_editor->SendScintilla(QsciScintilla::SCI_POSITIONFROMPOINTCLOSE,
                                static_cast<unsigned long>(point.x()), static_cast<long>(point.y()));
    if (position < 0) // beside the text
        return {};
    int line = 0, column = 0;
    m_editor->lineIndexFromPosition(static_cast<int>(position), &line, &column);
    const InstructionPlace place = instructionOn(m_editor->text(line));
    const auto found = m_help.find(place.name);
    return found != m_help.end() && column >= place.begin && column <= place.end
               ? helpTip(place.name, found->second)
               : QString();
}

void InstructionTips::explainHere()
{
    int line = 0, column = 0;
    m_editor->getCursorPosition(&line, &column);
    m_editor->ensureLineVisible(line);
    const InstructionPlace place = instructionOn(m_editor->text(line));
    const auto found = m_help.find(place.name);
    const bool known = found != m_help.end();
    const QString text = m_editor->text(line).trimmed();
    const bool directive = text.startsWith(QLatin1Char('.')) && !text.endsWith(QLatin1Char(':'));
    const QString sentence = known                  ? helpOnLine(line)
                             : directive            ? tr("This line is a directive for the assembler.")
                             : place.name.isEmpty() ? tr("There is no instruction on this line.")
                                                    : tr("Nothing is known about %1.").arg(place.name);
    tell(line, place.begin, sentence, known ? helpTip(place.name, found->second) : sentence);
}

void InstructionTips::tellHere(const QString& sentence)
{
    int line = 0, column = 0;
    m_editor->getCursorPosition(&line, &column);
    tell(line, 0, sentence, sentence);
}

void InstructionTips::tell(int line, int column, const QString& sentence, const QString& tip)
{
    m_editor->setAccessibleDescription(sentence);
    QAccessibleEvent told(m_editor, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&told);
    const long position = m_editor->positionFromLineIndex(line, column);
    const auto coordinate = [&](unsigned int message) {
        return static_cast<int>(m_editor->SendScintilla(message, 0UL, position));
    };
    const int below = static_cast<int>(m_editor->SendScintilla(QsciScintilla::SCI_TEXTHEIGHT, line));
    const QPoint at(coordinate(QsciScintilla::SCI_POINTXFROMPOSITION),
                    coordinate(QsciScintilla::SCI_POINTYFROMPOSITION) + below);
    constexpr int readingTime = 30'000; // milliseconds; any key ends it before
    QToolTip::showText(m_editor->viewport()->mapToGlobal(at), tip, m_editor->viewport(), {}, readingTime);
}

bool InstructionTips::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::ToolTip || watched != m_editor->viewport())
        return QObject::eventFilter(watched, event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString tip = tipAt(help->pos());
    if (tip.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), tip, m_editor->viewport());
    return true;
}

} // namespace sparserl
