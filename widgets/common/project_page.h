// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/format.h"
#include "widgets/common/page.h"
#include "widgets/common/session.h"

class QStackedWidget;

namespace sparserl {

class EmptyState;

/// A page of the open project. It has four states, which look the same on all pages: loading, empty, ready,
/// failed.
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
    bool isRead() const override { return m_state != State::Loading && !m_question.running(); }

protected:
    /// Sets the widgets for the states, and takes ownership of them. Call it once, in the constructor.
    void setUp(EmptyState* empty, QWidget* content);
    /// Adds a widget, such as a progress bar, that is shown below the contents in every state.
    void addFooter(QWidget* footer);
    /// Sets the state. Displayed contents stay visible while newer answers load.
    void setState(State state);
    /// Shows a failure instead of contents, or, if contents are displayed, as a message.
    void showFailure(const sparserl::Error& error);

    /// The project was opened or closed. The page is in the state Loading, and answers for the old project no
    /// longer arrive.
    virtual void projectChanged() = 0;

    /// Queries the page's data. While an answer is pending, only the newest query waits. An answer for a
    /// closed project never arrives. Failures go to showFailure().
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
