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

/// What the work of a task is given; usable on its thread.
struct TaskWork
{
    CancelToken cancel;
    /// Part done in [0, 1], or negative, and what is done now; called as often as one likes.
    std::function<void(double fraction, const QString& text)> say;
};

/// What a thread does for a task; what it gives back runs on the window's thread and ends the entry.
using ThreadWork = std::function<std::function<void(TaskTicket&)>(const TaskWork&)>;

/// Work with the project whose answer goes to `done` on the window's thread while `context` lives.
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

/// Threads of tasks: one for each, for as long as it lasts.
class TaskThreads
{
public:
    ~TaskThreads() { stop(); }
    /// `cancel` is what the entry of `task` cancels.
    void start(TaskTicket task, const CancelToken& cancel, const ThreadWork& work);
    bool running() const { return !m_running.empty(); }
    /// Cancels all and waits for their ends, of which nobody hears.
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
