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

/// The list of tasks across the bottom of the window: what each does, its report, and buttons to cancel, to
/// copy and to forget. Escape closes it.
class TaskPanel : public QDockWidget
{
    Q_OBJECT

public:
    explicit TaskPanel(QWidget* parent = nullptr);
    /// Null: no project is open.
    void setTasks(TaskList* tasks);
    /// Shown with the keyboard in it.
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
    QTimer* m_clock; ///< How long each takes.
};

} // namespace sparserl
