// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/tasks.h"

#include "base/time.h"
#include "widgets/common/delegates.h"
#include "widgets/common/format.h"

#include <QDateTime>
#include <QLocale>
#include <algorithm>
#include <utility>

namespace sparserl {

namespace {

constexpr std::size_t mostEnded = 500; ///< Older ones are forgotten.

Tone toneOf(TaskState state)
{
    switch (state) {
    case TaskState::Done:
        return Tone::Good;
    case TaskState::Failed:
        return Tone::Bad;
    case TaskState::Stopping:
        return Tone::Warn;
    case TaskState::Running:
        return Tone::Accent;
    case TaskState::Waiting:
    case TaskState::Cancelled:
        break;
    }
    return Tone::Neutral;
}

} // namespace

QString taskStateText(const TaskEntry& task)
{
    switch (task.state) {
    case TaskState::Waiting:
        return TaskList::tr("waiting");
    case TaskState::Running:
        return task.fraction < 0 ? TaskList::tr("running") : formatPercent(task.fraction);
    case TaskState::Stopping:
        return TaskList::tr("stopping");
    case TaskState::Done:
        return TaskList::tr("done");
    case TaskState::Failed:
        return TaskList::tr("failed");
    case TaskState::Cancelled:
        break;
    }
    return TaskList::tr("cancelled");
}

TaskList::TaskList(QObject* parent)
    : QAbstractTableModel(parent)
{
}

const TaskEntry* TaskList::task(const QModelIndex& index) const
{
    const auto row = static_cast<std::size_t>(index.row());
    return index.isValid() && row < m_tasks.size() ? &m_tasks[row] : nullptr;
}

int TaskList::activeCount() const
{
    return static_cast<int>(
        std::count_if(m_tasks.begin(), m_tasks.end(), [](const TaskEntry& task) { return task.active(); }));
}

const TaskEntry* TaskList::newestActive() const
{
    const auto found =
        std::find_if(m_tasks.begin(), m_tasks.end(), [](const TaskEntry& task) { return task.active(); });
    return found == m_tasks.end() ? nullptr : &*found;
}

double TaskList::fraction() const
{
    double sum = 0;
    int known = 0;
    for (const TaskEntry& task : m_tasks) {
        if (task.active() && task.fraction >= 0) {
            sum += task.fraction;
            ++known;
        }
    }
    return known > 0 ? sum / known : -1;
}

const TaskEntry* TaskList::find(quint64 id) const
{
    const auto row = rowOf(id);
    return row ? &m_tasks[static_cast<std::size_t>(*row)] : nullptr;
}

void TaskList::cancel(quint64 id)
{
    const TaskEntry* found = find(id);
    if (!found || !found->active() || !found->cancel || found->state == TaskState::Stopping)
        return;
    // The call may end the task, and with it the entry.
    const auto stop = found->cancel;
    edit(id, [](TaskEntry& entry) { entry.state = TaskState::Stopping; });
    stop();
}

void TaskList::clearEnded()
{
    for (int row = rowCount() - 1; row >= 0; --row) {
        if (m_tasks[static_cast<std::size_t>(row)].active())
            continue;
        beginRemoveRows({}, row, row);
        m_tasks.erase(m_tasks.begin() + row);
        endRemoveRows();
    }
    Q_EMIT changed();
}

quint64 TaskList::begin(TaskName name, TaskState state, std::function<void()> cancel)
{
    TaskEntry entry;
    entry.id = m_next++;
    entry.name = std::move(name);
    entry.state = state;
    entry.began = unixSeconds();
    entry.cancel = std::move(cancel);
    beginInsertRows({}, 0, 0);
    m_tasks.insert(m_tasks.begin(), entry);
    endInsertRows();
    Q_EMIT changed();
    return entry.id;
}

std::optional<int> TaskList::rowOf(quint64 id) const
{
    const auto found =
        std::find_if(m_tasks.begin(), m_tasks.end(), [id](const TaskEntry& task) { return task.id == id; });
    if (found == m_tasks.end())
        return std::nullopt;
    return static_cast<int>(found - m_tasks.begin());
}

void TaskList::edit(quint64 id, const std::function<void(TaskEntry&)>& change)
{
    const auto row = rowOf(id);
    if (!row)
        return;
    change(m_tasks[static_cast<std::size_t>(*row)]);
    Q_EMIT dataChanged(index(*row, 0), index(*row, TaskColumns - 1));
    Q_EMIT changed();
}

void TaskList::end(quint64 id, TaskState state, const QString& said, const QString& report)
{
    edit(id, [&](TaskEntry& entry) {
        entry.state = state;
        entry.said = said;
        entry.report = report;
        entry.ended = unixSeconds();
        entry.cancel = {};
    });
    const auto row = rowOf(id);
    if (!row)
        return;
    const TaskEntry entry = m_tasks[static_cast<std::size_t>(*row)];
    const bool forget = entry.name.quiet && state != TaskState::Failed;
    const int last = rowCount() - 1;
    if (forget || (m_tasks.size() > mostEnded && !m_tasks.back().active())) {
        const int gone = forget ? *row : last;
        beginRemoveRows({}, gone, gone);
        m_tasks.erase(m_tasks.begin() + gone);
        endRemoveRows();
        Q_EMIT changed();
    }
    Q_EMIT ended(entry);
}

int TaskList::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_tasks.size());
}

int TaskList::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : TaskColumns;
}

QVariant TaskList::data(const QModelIndex& index, int role) const
{
    const TaskEntry* entry = task(index);
    if (!entry)
        return {};
    if (role == KeyRole)
        return QString::number(entry->id);
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(Qt::AlignVCenter |
                                (index.column() == TaskTime ? Qt::AlignRight : Qt::AlignLeft));
    if (role == ToneRole && index.column() == TaskStateColumn)
        return static_cast<int>(toneOf(entry->state));
    if (role == Qt::ToolTipRole)
        return tr("Started %1.")
            .arg(QLocale().toString(QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(entry->began * 1000)),
                                    QLocale::ShortFormat));
    if (role != Qt::DisplayRole)
        return {};
    switch (index.column()) {
    case TaskStateColumn:
        return taskStateText(*entry);
    case TaskTitle:
        return entry->name.title;
    case TaskWhat:
        return entry->name.what;
    case TaskSaid:
        return entry->said;
    case TaskTime:
        return formatDuration((entry->active() ? unixSeconds() : entry->ended) - entry->began);
    default:
        return {};
    }
}

QVariant TaskList::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= TaskColumns)
        return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(Qt::AlignVCenter | (section == TaskTime ? Qt::AlignRight : Qt::AlignLeft));
    if (role != Qt::DisplayRole)
        return {};
    const QString names[] = {tr("State"), tr("Task"), tr("For"), tr("Message"), tr("Duration")};
    return names[section];
}

TaskTicket::TaskTicket(TaskList* list, TaskName name, std::function<void()> cancel, TaskState state)
    : m_list(list)
    , m_id(list ? list->begin(std::move(name), state, std::move(cancel)) : 0)
{
}

TaskTicket::TaskTicket(TaskTicket&& other) noexcept
    : m_list(std::exchange(other.m_list, nullptr))
    , m_id(std::exchange(other.m_id, 0))
{
}

TaskTicket& TaskTicket::operator=(TaskTicket&& other) noexcept
{
    if (this != &other) {
        cancelled();
        m_list = std::exchange(other.m_list, nullptr);
        m_id = std::exchange(other.m_id, 0);
    }
    return *this;
}

TaskTicket::~TaskTicket()
{
    cancelled();
}

void TaskTicket::run()
{
    if (m_list)
        m_list->edit(m_id, [](TaskEntry& entry) {
            if (entry.state == TaskState::Waiting)
                entry.state = TaskState::Running;
        });
}

void TaskTicket::since(double began)
{
    if (m_list && m_id && began > 0)
        m_list->edit(m_id, [&](TaskEntry& entry) { entry.began = began; });
}

void TaskTicket::say(double fraction, const QString& text)
{
    if (m_list && m_id)
        m_list->edit(m_id, [&](TaskEntry& entry) {
            entry.fraction = fraction;
            entry.said = text;
        });
}

void TaskTicket::done(const QString& sentence, const QString& report)
{
    end(TaskState::Done, sentence, report);
}

void TaskTicket::failed(const QString& sentence, const QString& report)
{
    end(TaskState::Failed, sentence, report);
}

void TaskTicket::cancelled(const QString& sentence)
{
    end(TaskState::Cancelled, sentence.isEmpty() ? TaskList::tr("Cancelled.") : sentence, {});
}

void TaskTicket::end(TaskState state, const QString& sentence, const QString& report)
{
    const quint64 id = std::exchange(m_id, 0);
    if (m_list && id)
        m_list->end(id, state, sentence, report);
}

} // namespace sparserl
