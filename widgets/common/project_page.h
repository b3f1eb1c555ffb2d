// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/format.h"
#include "widgets/common/page.h"
#include "widgets/common/session.h"

class QStackedWidget;

namespace sparserl {

class EmptyState;

/// A page that shows something of the open project. It is in one of four states, which look the same on every
/// page: it reads, there is nothing yet, there is something, or reading failed.
class ProjectPage : public Page
{
    Q_OBJECT

public:
    enum class State
    {
        Loading,
        Empty,
        Content,
        Error
    };
    explicit ProjectPage(QWidget* parent = nullptr);
    State state() const { return m_state; }

protected:
    /// Once, in the constructor: what each state shows. The page takes both.
    void setUp(EmptyState* empty, QWidget* content);
    /// Below all states, such as progress.
    void addFooter(QWidget* footer);
    /// What has been shown once stays while newer answers come.
    void setState(State state);
    /// Nothing can be shown, or, where something is shown, only a problem to be told.
    void showFailure(const sparserl::Error& error);

    /// The project was opened or closed; the page is Loading and no answer of the old one comes any more.
    virtual void projectChanged() = 0;

    /// Asks for what the page shows. While an answer is on its way, the newest question waits for it; an
    /// answer for a project that was closed never arrives. Failures become showFailure().
    template <typename T>
    void ask(std::function<Result<T>(ProjectReader&)> question, std::function<void(T)> answer)
    {
        if (!session())
            return;
        if (m_question.running()) {
            m_next = [this, question = std::move(question), answer = std::move(answer)] {
                ask<T>(question, answer);
            };
            return;
        }
        session()->query<T>(m_question, std::move(question),
                            [this, answer = std::move(answer)](Result<T> result) {
                                if (result)
                                    answer(std::move(*result));
                                else
                                    showFailure(result.error());
                                if (const auto next = std::exchange(m_next, {}))
                                    next();
                            });
    }

private:
    void sessionChanged() final;

    State m_state = State::Loading;
    QStackedWidget* m_stack;
    EmptyState* m_failure;
    JobTracker m_question{this};
    std::function<void()> m_next;
};

} // namespace sparserl
