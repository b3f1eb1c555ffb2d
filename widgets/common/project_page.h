// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/format.h"
#include "widgets/common/page.h"
#include "widgets/common/session.h"

class QStackedWidget;

namespace sparserl {

class EmptyState;

/// A page of the open project. It has four states with a uniform appearance: loading, empty, ready, failed.
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
    /// Sets the widgets for the states; call it once in the constructor. The page takes ownership.
    void setUp(EmptyState* empty, QWidget* content);
    /// Adds a widget below all states, such as progress.
    void addFooter(QWidget* footer);
    /// Displayed contents stay visible while newer answers load.
    void setState(State state);
    /// Shows a failure instead of contents, or, if contents are displayed, as a message.
    void showFailure(const sparserl::Error& error);

    /// The project was opened or closed. The page is Loading, and no answers of the old project arrive any
    /// more.
    virtual void projectChanged() = 0;

    /// Queries the page's data. While an answer is pending, only the newest question waits. An answer for a
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
