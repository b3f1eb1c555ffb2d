// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/task_strip.h"

#include "widgets/common/format.h"
#include "widgets/common/panels.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

#include <algorithm>

namespace sparserl {

namespace {

/// The text has this many pixels, or a third of the window if that is more: messages of the status bar need
/// room, too.
constexpr int leastText = 380;

} // namespace

TaskStrip::TaskStrip(QWidget* parent)
    : QWidget(parent)
    , m_text(makeMuted({}, this))
    , m_bar(new QProgressBar(this))
    , m_button(makeToolButton(QStringLiteral("log"), tr("Tasks"), tr("List of tasks (Ctrl+J)"), this))
{
    setObjectName(QStringLiteral("TaskStrip"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 4, 0);
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setFixedWidth(90);
    m_bar->setAccessibleName(tr("Progress of the tasks"));
    layout->addWidget(m_text);
    layout->addWidget(m_bar);
    layout->addWidget(m_button);
    connect(m_button, &QToolButton::clicked, this, [this] {
        m_failed = 0;
        showTasks();
        Q_EMIT listAsked();
    });
    setTasks(nullptr);
}

void TaskStrip::setTasks(TaskList* tasks)
{
    if (m_tasks)
        m_tasks->disconnect(this);
    m_tasks = tasks;
    m_failed = 0;
    if (tasks) {
        connect(tasks, &TaskList::changed, this, &TaskStrip::showTasks);
        connect(tasks, &TaskList::ended, this, &TaskStrip::taskEnded);
    }
    setVisible(tasks != nullptr);
    showTasks();
}

void TaskStrip::taskEnded(const TaskEntry& task)
{
    if (task.state == TaskState::Failed)
        ++m_failed;
    showTasks();
}

void TaskStrip::showTasks()
{
    const TaskEntry* newest = m_tasks ? m_tasks->newestActive() : nullptr;
    const int active = m_tasks ? m_tasks->activeCount() : 0;
    const double fraction = m_tasks ? m_tasks->fraction() : -1;
    m_said.clear();
    if (newest)
        m_said = newest->said.isEmpty() ? tr("%1: %2").arg(newest->name.title, newest->name.what)
                                        : tr("%1: %2").arg(newest->name.title, newest->said);
    m_text->setToolTip(m_said);
    const int most = std::max(leastText, window()->width() / 3);
    m_text->setMaximumWidth(most);
    m_text->setText(m_text->fontMetrics().elidedText(m_said, Qt::ElideMiddle, most - 8));
    m_text->setVisible(newest != nullptr);
    m_bar->setVisible(fraction >= 0);
    m_bar->setValue(static_cast<int>(1000 * std::max(0.0, fraction)));
    const QString failed =
        m_failed > 0 ? tr(", %1").arg(counted(m_failed, tr("one failed"), tr("%1 failed"))) : QString();
    m_button->setText(active > 0 ? counted(active, tr("One task"), tr("%1 tasks")) + failed
                                 : tr("Tasks") + failed);
    m_button->setAccessibleDescription(m_button->text());
}

} // namespace sparserl
