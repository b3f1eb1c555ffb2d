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
    Waiting, ///< For one before it.
    Running,
    Stopping, ///< It was asked to end.
    Done,
    Failed,
    Cancelled
};

/// What a task is called.
struct TaskName
{
    QString title;      ///< What is done: "Import".
    QString what;       ///< What it is done to: a file, a program, a run.
    bool quiet = false; ///< The window began it by itself: forgotten when it ends well.
};

/// One long thing that the window does, or did since the project was opened.
struct TaskEntry
{
    quint64 id = 0;
    TaskName name;
    TaskState state = TaskState::Running;
    double fraction = -1;         ///< Done so far in [0, 1]; negative: nobody knows.
    QString said;                 ///< What it does now; at its end what came of it, or why nothing did.
    QString report;               ///< More about the end, several lines; may be empty.
    double began = 0, ended = 0;  ///< Unix seconds; 0: not yet.
    std::function<void()> cancel; ///< Empty: it cannot be cancelled.

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

/// The long things of one open project, the newest first: imports, launches, verifications, searches,
/// exports, generation. Whoever does one holds its TaskTicket; everybody sees it here, and can cancel it.
class TaskList : public QAbstractTableModel
{
    Q_OBJECT

public:
    explicit TaskList(QObject* parent = nullptr);

    const std::vector<TaskEntry>& tasks() const { return m_tasks; }
    const TaskEntry* task(const QModelIndex& index) const;
    const TaskEntry* find(quint64 id) const; ///< Null: forgotten.
    int activeCount() const;
    /// The one that began last and still goes on, or null.
    const TaskEntry* newestActive() const;
    /// Of all that go on and know how far they are; negative: none knows.
    double fraction() const;
    void cancel(quint64 id);
    /// Forgets those that have ended.
    void clearEnded();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

Q_SIGNALS:
    /// Something began, ended or came nearer to its end.
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

/// The entry of one long thing, held by whoever does it. Destroyed before its end was told, it is cancelled.
class TaskTicket
{
public:
    TaskTicket() = default;
    /// `cancel` is called on this thread when the user asks for its end; the entry then waits for a word of
    /// its holder. A null list: the task is done all the same and stands nowhere.
    TaskTicket(TaskList* list, TaskName name, std::function<void()> cancel,
               TaskState state = TaskState::Running);
    TaskTicket(TaskTicket&& other) noexcept;
    TaskTicket& operator=(TaskTicket&& other) noexcept;
    ~TaskTicket();

    /// What waited goes on.
    void run();
    /// It began before it was known here; Unix seconds.
    void since(double began);
    /// What it does now; a negative `fraction`: nobody knows how far it is.
    void say(double fraction, const QString& text);
    void done(const QString& sentence, const QString& report = {});
    void failed(const QString& sentence, const QString& report = {});
    void cancelled(const QString& sentence = {});
    /// Its end was not told yet.
    bool active() const { return m_id != 0; }
    quint64 id() const { return m_id; } ///< Of its entry; 0: it has ended.

private:
    void end(TaskState state, const QString& sentence, const QString& report);
    QPointer<TaskList> m_list;
    quint64 m_id = 0;
};

/// "waiting", "running", "43 %", ...
QString taskStateText(const TaskEntry& task);

} // namespace sparserl
