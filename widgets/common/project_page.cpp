// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/project_page.h"

#include "widgets/common/panels.h"

#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace sparserl {

ProjectPage::ProjectPage(QWidget* parent)
    : Page(parent)
    , m_stack(new QStackedWidget(this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 10, 12, 10);
    layout->setSpacing(8);
    layout->addWidget(m_stack, 1);
    auto* reading = makeMuted(tr("Reading the project…"), this);
    reading->setAlignment(Qt::AlignCenter);
    m_stack->addWidget(reading);
    m_failure = new EmptyState(QStringLiteral("warning"), tr("This page cannot be shown"), {}, this);
    connect(m_failure->addButton(tr("Try &again"), true), &QPushButton::clicked, this, [this] {
        setState(State::Loading);
        refresh();
    });
}

void ProjectPage::setUp(EmptyState* empty, QWidget* content)
{
    // In the order of State.
    m_stack->addWidget(empty);
    m_stack->addWidget(content);
    m_stack->addWidget(m_failure);
}

void ProjectPage::addFooter(QWidget* footer)
{
    layout()->addWidget(footer);
}

void ProjectPage::setState(State state)
{
    m_state = state;
    m_stack->setCurrentIndex(static_cast<int>(state));
}

void ProjectPage::showFailure(const sparserl::Error& error)
{
    if (m_state == State::Content) {
        Q_EMIT problem(sentenceOf(error));
        return;
    }
    m_failure->setText(tr("This page cannot be shown"), sentenceOf(error));
    setState(State::Error);
}

void ProjectPage::sessionChanged()
{
    m_question.cancel();
    m_next = {};
    setState(State::Loading);
    projectChanged();
}

} // namespace sparserl
