// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/interruption.h"
#include "project/files/project.h"
#include "widgets/common/background.h"
#include "widgets/common/format.h"
#include "widgets/common/tasks.h"

#include <filesystem>
#include <list>
#include <memory>

namespace sparserl {

/// Functions for the work of a task; call them on its thread.
struct TaskWork
{
    CancelToken cancel;
    /// Reports the completed fraction in [0, 1] (negative: unknown) and the current activity. May be called
    /// often.
    std::function<void(double fraction, const QString& text)> say;
};

/// The work of a task, called on its thread. The returned function runs on the window's thread and ends the
/// entry.
using ThreadWork = std::function<std::function<void(TaskTicket&)>(const TaskWork&)>;

/// Makes work from a function that uses the project. Its answer is passed to `done` on the window's thread if
/// `context` is alive.
template <typename T>
ThreadWork taskWork(const std::filesystem::path& path,
                    std::function<Result<T>(Project&, const TaskWork&)> work, const QObject* context,
                    std::function<void(Result<T>, TaskTicket&)> done)
{
    return [path, work = std::move(work), context = QPointer<const QObject>(context),
            done = std::move(done)](const TaskWork& control) -> std::function<void(TaskTicket&)> {
        auto answer = std::make_shared<Result<T>>(guarded<T>([&]() -> Result<T> {
            SPARSERL_TRY(auto project, Project::open(path));
            return work(project, control);
        }));
        return [answer, context, done](TaskTicket& task) {
            const bool good = answer->has_value();
            const bool interrupted = !good && isInterruption(answer->error());
            const QString sentence = good ? QString() : sentenceOf(answer->error());
            if (context)
                done(std::move(*answer), task);
            if (!task.active())
                return;
            if (good)
                task.done({});
            else if (interrupted)
                task.cancelled();
            else
                task.failed(sentence);
        };
    };
}

/// The threads of tasks. Each task has a thread until it ends.
class TaskThreads
{
public:
    ~TaskThreads() { stop(); }
    /// `cancel`: the token that is cancelled through the entry of `task`.
    void start(TaskTicket task, const CancelToken& cancel, const ThreadWork& work);
    bool running() const { return !m_running.empty(); }
    /// Cancels all tasks and waits until they have ended. Their results are not reported.
    void stop();

private:
    struct Running
    {
        CancelToken cancel;
        TaskTicket task;
        std::unique_ptr<BackgroundThread> thread;
    };
    std::list<std::shared_ptr<Running>> m_running;
};

} // namespace sparserl
