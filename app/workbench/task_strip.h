// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/tasks.h"

#include <QWidget>

class QLabel;
class QProgressBar;
class QToolButton;

namespace sparserl {

/// The tasks in the status bar, on every page: what the newest does, how far all are, and how many there are
/// on the button that opens the list.
class TaskStrip : public QWidget
{
    Q_OBJECT

public:
    explicit TaskStrip(QWidget* parent = nullptr);
    /// Null: no project is open.
    void setTasks(TaskList* tasks);
    QToolButton* button() const { return m_button; }
    /// What the newest does.
    const QString& text() const { return m_said; }

Q_SIGNALS:
    void listAsked();

private:
    void showTasks();
    void taskEnded(const TaskEntry& task);

    QPointer<TaskList> m_tasks;
    QLabel* m_text;
    QProgressBar* m_bar;
    QToolButton* m_button;
    QString m_said;
    int m_failed = 0; ///< Since the list was looked at.
};

} // namespace sparserl
