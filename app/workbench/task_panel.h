// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/tasks.h"

#include <QDockWidget>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QSplitter;
class QTableView;
class QTimer;

namespace sparserl {

/// The list of tasks at the bottom of the window. It shows what each task is doing and its report, and has
/// buttons to cancel tasks, to copy reports and to remove ended tasks. Escape closes it.
class TaskPanel : public QDockWidget
{
    Q_OBJECT

public:
    explicit TaskPanel(QWidget* parent = nullptr);
    /// Sets the tasks; null: no project is open.
    void setTasks(TaskList* tasks);
    /// Shows the list and gives it the keyboard focus.
    void reveal();
    QTableView* table() const { return m_table; }
    QPlainTextEdit* report() const { return m_report; }

public Q_SLOTS:
    void cancelCurrent();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    QWidget* makeTitle();
    QWidget* makeContent();
    void showCurrent();

    QPointer<TaskList> m_tasks;
    QTableView* m_table;
    QPlainTextEdit* m_report;
    QPushButton *m_cancel, *m_copy, *m_clear;
    QTimer* m_clock; ///< Updates the elapsed time of each task.
};

} // namespace sparserl
