// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <vector>

class QLabel;
class QLineEdit;
class QsciScintilla;

namespace sparserl {

/// A search line below an editor: marks and counts all matches. Return and F3 go to the next one, with Shift
/// to the previous one; Esc closes it. The search is case-sensitive only if the text contains an upper-case
/// letter.
class FindBar : public QWidget
{
    Q_OBJECT

public:
    FindBar(QsciScintilla* editor, QWidget* parent);
    /// Shows the search line with the editor's selection as its text.
    void open();
    void close();
    QLineEdit* words() const { return m_words; }
    QLabel* count() const { return m_count; } ///< "2 of 7"

public Q_SLOTS:
    void next();
    void previous();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void search(bool move);
    void markAll();
    void goTo(std::size_t place);

    QsciScintilla* m_editor;
    QLineEdit* m_words;
    QLabel* m_count;
    std::vector<long> m_places; ///< Positions, in bytes.
    long m_length = 0;          ///< Length of a match, in bytes.
};

} // namespace sparserl
