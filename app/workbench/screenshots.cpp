// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/screenshots.h"

#include "app/workbench/main_window.h"

#include <QDir>
#include <QPixmap>
#include <QTimer>
#include <cstdio>

namespace sparserl {

namespace {

constexpr int pollMilliseconds = 60;
constexpr int quietPolls = 5;    // idle that long: everything that was asked has been painted
constexpr int patience = 20'000; // milliseconds a page may take

} // namespace

Screenshots::Screenshots(MainWindow* window, const QString& directory, const QString& suffix)
    : QObject(window)
    , m_window(window)
    , m_directory(directory)
    , m_suffix(suffix)
{
}

void Screenshots::start()
{
    QDir().mkpath(m_directory);
    m_window->showPage(0);
    QTimer::singleShot(pollMilliseconds, this, &Screenshots::poll);
}

void Screenshots::poll()
{
    m_waited += pollMilliseconds;
    m_quiet = m_window->busy() ? 0 : m_quiet + 1;
    if (m_quiet >= quietPolls || m_waited > patience) {
        const QString file =
            QDir(m_directory).filePath(m_window->pageKey(m_page) + m_suffix + QStringLiteral(".png"));
        m_ok = m_window->grab().save(file) && m_waited <= patience && m_ok;
        m_quiet = m_waited = 0;
        if (++m_page == m_window->pageCount()) {
            if (!m_window->lastProblem().isEmpty()) {
                std::fprintf(stderr, "%s\n", qPrintable(m_window->lastProblem()));
                m_ok = false;
            }
            Q_EMIT finished(m_ok);
            return;
        }
        m_window->showPage(m_page);
    }
    QTimer::singleShot(pollMilliseconds, this, &Screenshots::poll);
}

} // namespace sparserl
