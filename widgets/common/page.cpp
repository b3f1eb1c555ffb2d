// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/page.h"

#include "widgets/common/session.h"

namespace sparserl {

void Page::fillMenu(QMenu*) {}

void Page::restoreViewState(const QStringList&) {}

void Page::select(const QString&) {}

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
