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

/// Runs `work` on one of our threads and converts exceptions, such as exhausted memory, to an Error.
template <typename T>
Result<T> guarded(const std::function<Result<T>()>& work)
{
    try {
        return work();
    } catch (const std::bad_alloc&) {
    } catch (const std::length_error&) { // A container asked for more memory than can exist.
    }
    return fail("memory ran out", "Close other programs or use a machine with more memory");
}

/// A thread that runs closures in sequence; they must not throw (see `guarded`). The destructor drops waiting
/// closures and waits for the current one.
class BackgroundThread
{
public:
    explicit BackgroundThread(const QString& name);
    ~BackgroundThread();
    BackgroundThread(const BackgroundThread&) = delete;
    BackgroundThread& operator=(const BackgroundThread&) = delete;

    void post(std::function<void()> work);
    /// Waits until all closures posted so far have run.
    void finish();
    /// The number of unfinished closures, including results on their way to the window.
    int pending() const { return m_pending->load(); }

    std::shared_ptr<std::atomic<int>> counter() const { return m_pending; }

private:
    QThread m_thread;
    std::unique_ptr<QObject> m_worker;
    std::shared_ptr<std::atomic<int>> m_pending;
    std::shared_ptr<std::atomic<bool>> m_quitting;
};

/// Runs a repeated query, such as one for the rows of a table or the points of a chart. Only the newest
/// answer arrives: starting a job, cancelling, or destroying the tracker invalidates all older jobs. Use it
/// on one thread.
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

    /// Runs `work` on `thread`, and then `done(result)` on the tracker's thread.
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
