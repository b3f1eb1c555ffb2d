// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/find_bar.h"

#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/kernels/code_editor_style.h"

#include "widgets/kernels/scintilla.h"
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <algorithm>

namespace sparserl {

FindBar::FindBar(QsciScintilla* editor, QWidget* parent)
    : QWidget(parent)
    , m_editor(editor)
    , m_words(new QLineEdit(this))
    , m_count(makeMuted({}, this))
{
    m_words->setPlaceholderText(tr("Find in the code"));
    m_words->setAccessibleName(tr("Find in the code"));
    m_words->setMinimumWidth(60);
    auto* across = new QHBoxLayout(this);
    across->setContentsMargins(8, 3, 4, 3);
    across->setSpacing(4);
    across->addWidget(m_words, 1);
    across->addWidget(m_count);
    const auto button = [&](const char* icon, const QString& tip, void (FindBar::*slot)()) {
        auto* made = makeToolButton(QLatin1String(icon), {}, tip, this);
        across->addWidget(made);
        connect(made, &QToolButton::clicked, this, slot);
    };
    button("up", tr("Go to the previous place (Shift+F3)"), &FindBar::previous);
    button("down", tr("Go to the next place (F3)"), &FindBar::next);
    button("cross", tr("Close the search (Esc)"), &FindBar::close);
    connect(m_words, &QLineEdit::textChanged, this, [this] { search(true); });
    connect(m_editor, &QsciScintilla::textChanged, this, [this] {
        if (!isHidden())
            search(false);
    });
    m_words->installEventFilter(this);
    m_editor->installEventFilter(this);
    hide();
}

void FindBar::open()
{
    const QString selected = m_editor->selectedText();
    show();
    if (!selected.isEmpty() && !selected.contains(QLatin1Char('\n')))
        m_words->setText(selected);
    m_words->setFocus();
    m_words->selectAll();
    search(false);
}

void FindBar::close()
{
    hide();
    m_places.clear();
    markAll();
    m_editor->setFocus();
}

void FindBar::search(bool move)
{
    m_places.clear();
    const QByteArray words = m_words->text().toUtf8();
    m_length = static_cast<long>(words.size());
    const bool exact = m_words->text() != m_words->text().toLower();
    const long all = m_editor->SendScintilla(QsciScintilla::SCI_GETLENGTH);
    m_editor->SendScintilla(QsciScintilla::SCI_SETSEARCHFLAGS,
                            static_cast<unsigned long>(exact ? QsciScintilla::SCFIND_MATCHCASE : 0));
    for (long from = 0; m_length > 0 && from < all;) {
        m_editor->SendScintilla(QsciScintilla::SCI_SETTARGETSTART, static_cast<unsigned long>(from));
        m_editor->SendScintilla(QsciScintilla::SCI_SETTARGETEND, static_cast<unsigned long>(all));
        const long at = m_editor->SendScintilla(QsciScintilla::SCI_SEARCHINTARGET,
                                                static_cast<unsigned long>(m_length), words.constData());
        if (at < 0)
            break;
        m_places.push_back(at);
        from = at + m_length;
    }
    markAll();
    if (move && !m_places.empty()) {
        // The one under the cursor or behind it: what is typed on narrows the place, and does not leave it.
        const long here = m_editor->SendScintilla(QsciScintilla::SCI_GETSELECTIONSTART);
        const auto found = std::lower_bound(m_places.begin(), m_places.end(), here);
        goTo(found == m_places.end() ? 0 : static_cast<std::size_t>(found - m_places.begin()));
    } else {
        m_count->setText(m_length == 0      ? QString()
                         : m_places.empty() ? tr("not found")
                                            : counted(static_cast<std::int64_t>(m_places.size()),
                                                      tr("one place"), tr("%1 places")));
    }
    setStyled(m_words, "invalid", m_length > 0 && m_places.empty());
}

void FindBar::markAll()
{
    m_editor->SendScintilla(QsciScintilla::SCI_SETINDICATORCURRENT, static_cast<unsigned long>(foundWords));
    m_editor->SendScintilla(QsciScintilla::SCI_INDICATORCLEARRANGE, 0UL,
                            m_editor->SendScintilla(QsciScintilla::SCI_GETLENGTH));
    for (const long place : m_places)
        m_editor->SendScintilla(QsciScintilla::SCI_INDICATORFILLRANGE, static_cast<unsigned long>(place),
                                m_length);
}

void FindBar::goTo(std::size_t place)
{
    m_editor->SendScintilla(QsciScintilla::SCI_SETSEL, static_cast<unsigned long>(m_places[place]),
                            m_places[place] + m_length);
    m_editor->SendScintilla(QsciScintilla::SCI_SCROLLCARET);
    m_count->setText(tr("%1 of %2")
                         .arg(formatCount(static_cast<std::int64_t>(place) + 1),
                              formatCount(static_cast<std::int64_t>(m_places.size()))));
}

void FindBar::next()
{
    const long here = m_editor->SendScintilla(QsciScintilla::SCI_GETSELECTIONSTART);
    const auto found = std::upper_bound(m_places.begin(), m_places.end(), here);
    if (!m_places.empty())
        goTo(found == m_places.end() ? 0 : static_cast<std::size_t>(found - m_places.begin()));
}

void FindBar::previous()
{
    const long here = m_editor->SendScintilla(QsciScintilla::SCI_GETSELECTIONSTART);
    const auto found = std::lower_bound(m_places.begin(), m_places.end(), here);
    if (!m_places.empty())
        goTo(static_cast<std::size_t>((found == m_places.begin() ? m_places.end() : found) -
                                      m_places.begin()) -
             1);
}

bool FindBar::eventFilter(QObject* watched, QEvent* event)
{
    if (isHidden() || (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride))
        return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool typing = watched == m_words;
    const bool step =
        key->key() == Qt::Key_F3 || (typing && (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter));
    const bool ends = key->key() == Qt::Key_Escape;
    const bool again = typing && key->matches(QKeySequence::Find);
    if (!step && !ends && !again)
        return QWidget::eventFilter(watched, event);
    event->accept();
    if (event->type() == QEvent::ShortcutOverride)
        return true;
    if (ends)
        close();
    else if (again)
        m_words->selectAll();
    else if (key->modifiers() & Qt::ShiftModifier)
        previous();
    else
        next();
    return true;
}

} // namespace sparserl
