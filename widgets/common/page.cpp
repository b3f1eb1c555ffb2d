// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/page.h"

#include "widgets/common/session.h"

#include <QMenu>

namespace sparserl {

namespace {

constexpr const char* selectionProperty = "needsSelection";

} // namespace

void Page::fillMenu(QMenu*) {}

void Page::markSelection(const QMenu* menu, qsizetype first)
{
    const auto actions = menu->actions().mid(first);
    for (QAction* action : actions)
        if (action->menu())
            markSelection(action->menu(), 0);
        else
            action->setProperty(selectionProperty, true);
}

bool Page::needsSelection(const QAction* action)
{
    return action->property(selectionProperty).toBool();
}

void Page::restoreViewState(const QStringList&) {}

void Page::select(const QString&) {}

void Page::go(const Destination& place)
{
    if (!place.key.isEmpty())
        select(place.key);
}

QString Destination::page() const
{
    switch (kind) {
    case Kind::Training:
        return QStringLiteral("training");
    case Kind::Matrix:
        return QStringLiteral("matrices");
    case Kind::Program:
    case Kind::KernelsOfMatrix:
    case Kind::KernelsOfRun:
    case Kind::Project: // where its own place is not known yet
        break;
    }
    return QStringLiteral("kernels");
}

void Page::setSession(ProjectSession* session)
{
    if (m_session)
        m_session->disconnect(this);
    m_session = session;
    if (m_session)
        connect(m_session, &ProjectSession::changed, this, &Page::scheduleRefresh);
    sessionChanged();
    scheduleRefresh();
}

void Page::scheduleRefresh()
{
    m_stale = true;
    if (isVisible() && m_session && m_session->isReady()) {
        m_stale = false;
        refresh();
    }
}

void Page::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (m_stale && m_session && m_session->isReady()) {
        m_stale = false;
        refresh();
    }
}

} // namespace sparserl
