// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <QPointer>
#include <QString>
#include <functional>
#include <optional>
#include <vector>

namespace sparserl {

enum class TaskState
{
    Waiting, ///< Waits for an earlier task.
    Running,
    Stopping, ///< Has been asked to end.
    Done,
    Failed,
    Cancelled
};

/// The name of a task.
struct TaskName
{
    QString title;      ///< The action: "Import".
    QString what;       ///< Its object: a file, a program, a run.
    bool quiet = false; ///< Started automatically: removed after success.
};

/// A long task of the window since the project was opened.
struct TaskEntry
{
    quint64 id = 0;
    TaskName name;
    TaskState state = TaskState::Running;
    double fraction = -1;         ///< Completed fraction in [0, 1]; negative: unknown.
    QString said;                 ///< Current activity; at the end, the result or the reason of a failure.
    QString report;               ///< Details at the end, several lines; may be empty.
    double began = 0, ended = 0;  ///< Unix seconds; 0: not yet.
    std::function<void()> cancel; ///< Empty: not cancellable.

    bool active() const { return state < TaskState::Done; }
};

enum TaskColumn
{
    TaskStateColumn,
    TaskTitle,
    TaskWhat,
    TaskSaid,
    TaskTime,
    TaskColumns
};

/// The long tasks of one open project, newest first: imports, launches, verifications, searches, exports,
/// generation. The code that runs a task holds its TaskTicket; the list shows it and can cancel it.
class TaskList : public QAbstractTableModel
{
    Q_OBJECT

public:
    explicit TaskList(QObject* parent = nullptr);

    const std::vector<TaskEntry>& tasks() const { return m_tasks; }
    const TaskEntry* task(const QModelIndex& index) const;
    const TaskEntry* find(quint64 id) const; ///< Null: removed.
    int activeCount() const;
    /// The active task that was started last, or null.
    const TaskEntry* newestActive() const;
    /// Overall progress of the active tasks whose progress is known; negative if there are none.
    double fraction() const;
    void cancel(quint64 id);
    /// Removes ended tasks.
    void clearEnded();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

Q_SIGNALS:
    /// A task started, ended or made progress.
    void changed();
    void ended(const sparserl::TaskEntry& task);

private:
    friend class TaskTicket;
    quint64 begin(TaskName name, TaskState state, std::function<void()> cancel);
    std::optional<int> rowOf(quint64 id) const;
    /// Changes an entry that has not ended.
    void edit(quint64 id, const std::function<void(TaskEntry&)>& change);
    void end(quint64 id, TaskState state, const QString& said, const QString& report);

    std::vector<TaskEntry> m_tasks;
    quint64 m_next = 1;
};

/// The entry of a task, held by the code that runs the task. If a ticket is destroyed before the end is
/// reported, the task counts as cancelled.
class TaskTicket
{
public:
    TaskTicket() = default;
    /// `cancel` is called on this thread when the user cancels the task. The entry then remains until the
    /// holder of the ticket ends it. With a null list, the task runs without an entry.
    TaskTicket(TaskList* list, TaskName name, std::function<void()> cancel,
               TaskState state = TaskState::Running);
    TaskTicket(TaskTicket&& other) noexcept;
    TaskTicket& operator=(TaskTicket&& other) noexcept;
    ~TaskTicket();

    /// Ends the waiting state.
    void run();
    /// Sets an earlier start time in Unix seconds.
    void since(double began);
    /// Reports the current activity; a negative `fraction` means unknown progress.
    void say(double fraction, const QString& text);
    void done(const QString& sentence, const QString& report = {});
    void failed(const QString& sentence, const QString& report = {});
    void cancelled(const QString& sentence = {});
    /// Whether the end of the task has not been reported yet.
    bool active() const { return m_id != 0; }
    quint64 id() const { return m_id; } ///< Id of its entry; 0: ended.

private:
    void end(TaskState state, const QString& sentence, const QString& report);
    QPointer<TaskList> m_list;
    quint64 m_id = 0;
};

/// "waiting", "running", "43 %", ...
QString taskStateText(const TaskEntry& task);

} // namespace sparserl
