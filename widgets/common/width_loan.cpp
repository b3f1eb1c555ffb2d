// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/width_loan.h"

#include <QSplitter>
#include <algorithm>

namespace sparserl {

namespace {

WidthLoan* of(const QSplitter* splitter)
{
    return splitter->findChild<WidthLoan*>({}, Qt::FindDirectChildrenOnly);
}

} // namespace

WidthLoan::WidthLoan(QSplitter* splitter)
    : QObject(splitter)
    , m_splitter(splitter)
{
    connect(splitter, &QSplitter::splitterMoved, this, [this] { m_own.clear(); });
}

void WidthLoan::ask(int pixels)
{
    m_asked = pixels;
    const QList<int> now = m_splitter->sizes();
    const int all = now[0] + now[1];
    const int own = m_own.isEmpty() ? now[0] : std::min(m_own[0], all);
    const int least = m_splitter->widget(0)->minimumSizeHint().width();
    const int left = std::min(own, std::max(least, all - pixels));
    if (left == own)
        m_own.clear();
    else if (m_own.isEmpty())
        m_own = now;
    if (left != now[0])
        m_splitter->setSizes({left, all - left});
}

QByteArray WidthLoan::ownState(QSplitter* splitter)
{
    const WidthLoan* loan = of(splitter);
    if (!loan || loan->m_own.isEmpty())
        return splitter->saveState();
    const QList<int> lent = splitter->sizes();
    splitter->setSizes(loan->m_own);
    QByteArray state = splitter->saveState();
    splitter->setSizes(lent);
    return state;
}

void WidthLoan::restore(QSplitter* splitter, const QByteArray& state)
{
    splitter->restoreState(state);
    if (WidthLoan* loan = of(splitter)) {
        loan->m_own.clear();
        loan->ask(loan->m_asked);
    }
}

} // namespace sparserl
