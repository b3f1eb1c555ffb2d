// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/filter_edit.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QStandardItemModel>
#include <algorithm>

namespace sparserl {

namespace {

bool endsWord(QChar c)
{
    return c.isSpace() || QStringLiteral("()=!<>~\"").contains(c);
}

} // namespace

FilterEdit::FilterEdit(QWidget* parent)
    : QLineEdit(parent)
    , m_completer(new QCompleter(this))
    , m_words(new QStandardItemModel(this))
{
    setClearButtonEnabled(true);
    // Not setCompleter(), which completes the whole line.
    m_completer->setModel(m_words);
    m_completer->setWidget(this);
    m_completer->setCaseSensitivity(Qt::CaseInsensitive);
    m_completer->setCompletionMode(QCompleter::PopupCompletion);
    connect(m_completer, qOverload<const QString&>(&QCompleter::activated), this, &FilterEdit::insertWord);
    connect(this, &QLineEdit::textEdited, this, &FilterEdit::complete);
}

void FilterEdit::setWords(const QList<std::pair<QString, QString>>& words)
{
    m_words->clear();
    for (const auto& [word, help] : words) {
        auto* item = new QStandardItem(word);
        item->setToolTip(help);
        m_words->appendRow(item);
    }
}

QString FilterEdit::wordAtCursor() const
{
    const QString before = text().left(cursorPosition());
    const auto begin = std::find_if(before.rbegin(), before.rend(), endsWord);
    return before.right(begin - before.rbegin());
}

void FilterEdit::complete()
{
    const QString word = wordAtCursor();
    m_completer->setCompletionPrefix(word);
    const int found = m_completer->completionCount();
    // Nothing to offer where the word is whole already.
    if (word.isEmpty() || found == 0 || (found == 1 && m_completer->currentCompletion() == word)) {
        m_completer->popup()->hide();
        return;
    }
    m_completer->complete(QRect(cursorRect().left(), 0, std::min(280, width()), height()));
}

void FilterEdit::insertWord(const QString& word)
{
    const auto typed = wordAtCursor().size();
    setSelection(cursorPosition() - static_cast<int>(typed), static_cast<int>(typed));
    insert(word + QLatin1Char(' '));
}

void FilterEdit::keyPressEvent(QKeyEvent* event)
{
    // Tab takes the first offer, as in a shell.
    if (m_completer->popup()->isVisible() && event->key() == Qt::Key_Tab) {
        m_completer->setCurrentRow(0);
        const QString word = m_completer->currentCompletion();
        m_completer->popup()->hide();
        insertWord(word);
        return;
    }
    QLineEdit::keyPressEvent(event);
}

} // namespace sparserl
