// SPDX-License-Identifier: Apache-2.0
// Projects of others: the banner that says that one is open for reading, and what trusting it allows.
#include "app/workbench/main_window.h"

#include "base/trust.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/session.h"

#include <QMessageBox>
#include <QPushButton>

namespace sparserl {

void MainWindow::showTrust()
{
    m_trust->setVisible(m_session && !m_session->trusted());
    if (!m_session || m_session->trusted())
        return;
    m_trust->showMessage(MessageBar::Level::Warning,
                         tr("You have neither made nor used this project on this machine, so it is open "
                            "read-only: nothing in it is changed, no work starts and no host is contacted."));
    connect(m_trust->addAction(tr("What trusting it allows…")), &QPushButton::clicked, this,
            &MainWindow::askForTrust);
}

void MainWindow::askForTrust()
{
    if (!m_session)
        return;
    auto* box = new QMessageBox(QMessageBox::Question, tr("Trust this project?"),
                                tr("Trust %1?").arg(projectPath()), QMessageBox::Cancel, this);
    box->setObjectName(QStringLiteral("askForTrust"));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(
        tr("A project that you trust may be changed, start training and judging on this machine, follow its "
           "runs on hosts that you have confirmed, and read matrices that it names elsewhere. Its contents "
           "never decide which program is run or which host is contacted."));
    auto* yes = box->addButton(tr("Trust it"), QMessageBox::AcceptRole);
    connect(yes, &QPushButton::clicked, this, [this] {
        if (!m_session)
            return;
        if (const auto trusted = m_session->trust(); !trusted)
            reportProblem(sentenceOf(trusted.error()));
    });
    box->open();
}

} // namespace sparserl
