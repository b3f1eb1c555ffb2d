// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/background.h"

namespace sparserl {

BackgroundThread::BackgroundThread(const QString& name)
    : m_worker(std::make_unique<QObject>())
    , m_pending(std::make_shared<std::atomic<int>>(0))
    , m_quitting(std::make_shared<std::atomic<bool>>(false))
{
    m_thread.setObjectName(name);
    m_worker->moveToThread(&m_thread);
    m_thread.start();
}

BackgroundThread::~BackgroundThread()
{
    *m_quitting = true;
    m_thread.quit();
    m_thread.wait();
}

void BackgroundThread::post(std::function<void()> work)
{
    ++*m_pending;
    QMetaObject::invokeMethod(
        m_worker.get(),
        [work = std::move(work), pending = m_pending, quitting = m_quitting] {
            if (!*quitting)
                work();
            --*pending;
        },
        Qt::QueuedConnection);
}

void BackgroundThread::finish()
{
    // Closures run in the order in which they were posted.
    QMetaObject::invokeMethod(
        m_worker.get(), [] {}, Qt::BlockingQueuedConnection);
}

} // namespace sparserl
