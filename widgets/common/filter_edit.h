// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLineEdit>
#include <QList>
#include <utility>

class QCompleter;
class QStandardItemModel;

namespace sparserl {

/// An edit field for expressions that completes the word under the cursor.
class FilterEdit : public QLineEdit
{
    Q_OBJECT

public:
    explicit FilterEdit(QWidget* parent = nullptr);
    /// Sets the words that can be completed, and their meanings.
    void setWords(const QList<std::pair<QString, QString>>& words);
    QCompleter* completion() const { return m_completer; }

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void complete();
    void insertWord(const QString& word);
    QString wordAtCursor() const;
    QCompleter* m_completer;
    QStandardItemModel* m_words;
};

} // namespace sparserl
