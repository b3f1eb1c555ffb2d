// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/task_threads.h"

#include <chrono>
#include <mutex>

namespace sparserl {

namespace {

/// The window hears ten times a second at most; how far and of what are always of one moment.
class Pace
{
public:
    bool due()
    {
        using Clock = std::chrono::steady_clock;
        const std::lock_guard lock(m_mutex);
        const auto now = Clock::now();
        if (m_told && now - *m_told < std::chrono::milliseconds(100))
            return false;
        m_told = now;
        return true;
    }

private:
    std::mutex m_mutex;
    std::optional<std::chrono::steady_clock::time_point> m_told;
};

} // namespace

void TaskThreads::start(TaskTicket task, const CancelToken& cancel, const ThreadWork& work)
{
    auto running = std::make_shared<Running>();
    const std::weak_ptr<Running> weak = running;
    TaskWork control;
    control.cancel = running->cancel = cancel;
    running->task = std::move(task);
    running->task.run();
    running->thread = std::make_unique<BackgroundThread>(QStringLiteral("task"));
    control.say = [weak, pace = std::make_shared<Pace>()](double fraction, const QString& text) {
        if (pace->due())
            QMetaObject::invokeMethod(
                qApp,
                [weak, fraction, text] {
                    if (const auto held = weak.lock())
                        held->task.say(fraction, text);
                },
                Qt::QueuedConnection);
    };
    m_running.push_back(running);
    running->thread->post([this, weak, control, work] {
        auto end = work(control);
        // Behind stop() nobody holds what is running any more, and `this` may be gone.
        QMetaObject::invokeMethod(
            qApp,
            [this, weak, end = std::move(end)] {
                const auto ended = weak.lock();
                if (!ended)
                    return;
                m_running.remove(ended);
                end(ended->task);
            },
            Qt::QueuedConnection);
    });
}

void TaskThreads::stop()
{
    for (const auto& running : m_running)
        running->cancel.cancel();
    m_running.clear();
}

} // namespace sparserl
