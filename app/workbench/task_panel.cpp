// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/task_panel.h"

#include "widgets/common/delegates.h"
#include "widgets/common/panels.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

namespace sparserl {

namespace {

QString reportOf(const TaskEntry& task)
{
    QStringList parts{TaskPanel::tr("%1: %2").arg(task.name.title, task.name.what)};
    if (!task.said.isEmpty())
        parts.append(task.said);
    if (!task.report.isEmpty())
        parts.append(task.report);
    return parts.join(QLatin1Char('\n'));
}

} // namespace

TaskPanel::TaskPanel(QWidget* parent)
    : QDockWidget(tr("Tasks"), parent)
    , m_clock(new QTimer(this))
{
    setObjectName(QStringLiteral("tasks"));
    setFeatures(QDockWidget::DockWidgetClosable);
    setAllowedAreas(Qt::BottomDockWidgetArea);
    setTitleBarWidget(makeTitle());
    setWidget(makeContent());
    m_clock->setInterval(1000);
    connect(m_clock, &QTimer::timeout, this, [this] {
        if (isVisible() && m_tasks && m_tasks->activeCount() > 0)
            m_table->viewport()->update();
    });
    m_clock->start();
    setTasks(nullptr);
}

QWidget* TaskPanel::makeTitle()
{
    auto* title = new QWidget(this);
    auto* layout = new QHBoxLayout(title);
    layout->setContentsMargins(14, 6, 12, 4);
    layout->addWidget(makeHeading(tr("Tasks"), title, 1.1), 1);
    auto* close = makeToolButton(QStringLiteral("cross"), {}, tr("Close the list of tasks (Esc)"), title);
    connect(close, &QToolButton::clicked, this, &QWidget::close);
    layout->addWidget(close);
    return title;
}

QWidget* TaskPanel::makeContent()
{
    auto* content = new QWidget(this);
    auto* layout = new QHBoxLayout(content);
    layout->setContentsMargins(12, 0, 12, 8);
    layout->setSpacing(10);
    m_table = new QTableView(content);
    styleTable(m_table);
    m_table->setAccessibleName(tr("Tasks, the newest first"));
    m_table->setItemDelegateForColumn(TaskStateColumn, new BadgeDelegate(m_table));
    m_report = new QPlainTextEdit(content);
    m_report->setReadOnly(true);
    m_report->setTabChangesFocus(true);
    m_report->setAccessibleName(tr("Report of the task"));
    auto* across = new QSplitter(Qt::Horizontal, content);
    across->setObjectName(QStringLiteral("tasks.across"));
    across->setChildrenCollapsible(false);
    across->setHandleWidth(10);
    for (QWidget* part : {static_cast<QWidget*>(m_table), static_cast<QWidget*>(m_report)}) {
        auto* card = makeCard(content);
        auto* inside = new QHBoxLayout(card);
        inside->setContentsMargins(1, 1, 1, 1);
        inside->addWidget(part);
        across->addWidget(card);
    }
    across->setSizes({700, 300});
    across->setStretchFactor(0, 1);
    layout->addWidget(across, 1);
    auto* buttons = new QVBoxLayout;
    m_cancel = new QPushButton(tr("C&ancel"), content);
    m_cancel->setToolTip(tr("End the task (Del)"));
    m_copy = new QPushButton(tr("&Copy report"), content);
    m_clear = new QPushButton(tr("Remove &ended"), content);
    m_clear->setToolTip(tr("Remove ended tasks from the list"));
    for (QPushButton* button : {m_cancel, m_copy, m_clear})
        buttons->addWidget(button);
    buttons->addStretch();
    layout->addLayout(buttons);
    connect(m_cancel, &QPushButton::clicked, this, &TaskPanel::cancelCurrent);
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_report->toPlainText()); });
    connect(m_clear, &QPushButton::clicked, this, [this] {
        if (m_tasks)
            m_tasks->clearEnded();
    });
    return content;
}

void TaskPanel::setTasks(TaskList* tasks)
{
    if (m_tasks)
        m_tasks->disconnect(this);
    m_tasks = tasks;
    m_table->setModel(tasks);
    if (tasks) {
        fitColumns(m_table,
                   {QStringLiteral("cancelled  "), QStringLiteral("Judging of an edited copy"),
                    QStringLiteral("1a2b3c4d5e on matrix"), QStringLiteral("what it says, in some words"),
                    QStringLiteral("00 min 00 s")},
                   TaskSaid);
        connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
                &TaskPanel::showCurrent);
        connect(tasks, &TaskList::changed, this, [this] {
            if (isVisible())
                showCurrent();
        });
    }
    showCurrent();
}

void TaskPanel::reveal()
{
    show();
    raise();
    if (m_tasks && !m_table->currentIndex().isValid() && m_tasks->rowCount() > 0)
        m_table->setCurrentIndex(m_tasks->index(0, 0));
    showCurrent();
    m_table->setFocus();
}

void TaskPanel::cancelCurrent()
{
    if (!m_tasks)
        return;
    if (const TaskEntry* task = m_tasks->task(m_table->currentIndex()))
        m_tasks->cancel(task->id);
}

void TaskPanel::showCurrent()
{
    const TaskEntry* task = m_tasks ? m_tasks->task(m_table->currentIndex()) : nullptr;
    const bool none = !m_tasks || m_tasks->rowCount() == 0;
    const QString text = task ? reportOf(*task)
                              : (none ? tr("Imports, launches, verifications, searches, exports and other "
                                           "long operations are listed here, running and ended.")
                                      : QString());
    if (text != m_report->toPlainText())
        m_report->setPlainText(text);
    m_cancel->setEnabled(task && task->active() && task->cancel && task->state != TaskState::Stopping);
    m_copy->setEnabled(task != nullptr);
    m_clear->setEnabled(m_tasks && m_tasks->activeCount() < m_tasks->rowCount());
}

void TaskPanel::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        close();
    else if (event->key() == Qt::Key_Delete)
        cancelCurrent();
    else
        QDockWidget::keyPressEvent(event);
}

} // namespace sparserl
