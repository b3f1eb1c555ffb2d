// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThread>
#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>

namespace sparserl {

/// `work` on a thread of ours, where nothing it throws may get out: that memory ran out becomes a sentence.
template <typename T>
Result<T> guarded(const std::function<Result<T>()>& work)
{
    try {
        return work();
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) { // A container asked for more than any memory has.
    }
    return fail("memory ran out", "Close other programs or use a machine with more memory");
}

/// A thread that runs closures one after the other; they must not throw (`guarded`). The destructor drops
/// what has not begun and waits.
class BackgroundThread
{
public:
    explicit BackgroundThread(const QString& name);
    ~BackgroundThread();
    BackgroundThread(const BackgroundThread&) = delete;
    BackgroundThread& operator=(const BackgroundThread&) = delete;

    void post(std::function<void()> work);
    /// Waits until everything that was posted before has run.
    void finish();
    /// Closures that have not finished yet, results on their way to the window included.
    int pending() const { return m_pending->load(); }

    std::shared_ptr<std::atomic<int>> counter() const { return m_pending; }

private:
    QThread m_thread;
    std::unique_ptr<QObject> m_worker;
    std::shared_ptr<std::atomic<int>> m_pending;
    std::shared_ptr<std::atomic<bool>> m_quitting;
};

/// One thing that is asked again and again (the rows of a table, the points of a chart). Only the newest
/// answer arrives: starting a job, cancelling or destroying the tracker makes all older ones void. Use on one
/// thread.
class JobTracker
{
public:
    explicit JobTracker(QObject* context)
        : m_context(context)
        , m_current(std::make_shared<std::atomic<quint64>>(0))
    {
    }
    ~JobTracker() { cancel(); }
    JobTracker(const JobTracker&) = delete;
    JobTracker& operator=(const JobTracker&) = delete;

    void cancel()
    {
        ++*m_current;
        m_running = false;
    }
    bool running() const { return m_running; }

    /// Runs `work` on `thread`, then `done(result)` on this thread.
    template <typename T>
    void start(BackgroundThread& thread, std::function<T()> work, std::function<void(T)> done)
    {
        const quint64 id = ++*m_current;
        m_running = true;
        auto current = m_current;
        QPointer<QObject> context = m_context;
        auto pending = thread.counter();
        thread.post([this, id, current, context, pending, work = std::move(work), done = std::move(done)] {
            if (*current != id)
                return;
            auto result = std::make_shared<T>(work());
            ++*pending;
            QMetaObject::invokeMethod(
                qApp,
                [this, id, current, context, pending, result, done] {
                    --*pending;
                    if (!context || *current != id)
                        return;
                    m_running = false;
                    done(std::move(*result));
                },
                Qt::QueuedConnection);
        });
    }

private:
    QPointer<QObject> m_context;
    std::shared_ptr<std::atomic<quint64>> m_current;
    bool m_running = false;
};

} // namespace sparserl
