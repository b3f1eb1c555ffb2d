// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/tasks.h"

#include <QWidget>

class QLabel;
class QProgressBar;
class QToolButton;

namespace sparserl {

/// Shows the tasks in the status bar on every page: what the newest task is doing, the overall progress, and
/// the number of tasks on the button that opens the list.
class TaskStrip : public QWidget
{
    Q_OBJECT

public:
    explicit TaskStrip(QWidget* parent = nullptr);
    /// Sets the tasks; null: no project is open.
    void setTasks(TaskList* tasks);
    QToolButton* button() const { return m_button; }
    /// What the newest task is doing.
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
    int m_failed = 0; ///< Number of failed tasks since the list was last opened.
};

} // namespace sparserl
