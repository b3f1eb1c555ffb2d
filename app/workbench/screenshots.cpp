// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/screenshots.h"

#include "app/workbench/main_window.h"
#include "base/printable.h"
#include "widgets/common/page.h"
#include "widgets/common/session.h"
#include "widgets/common/tasks.h"

#include <QDir>
#include <QPixmap>
#include <QRegularExpression>
#include <QTabWidget>
#include <QTimer>
#include <cstdio>

namespace sparserl {

namespace {

constexpr int pollMilliseconds = 60;
constexpr int quietPolls = 5;    // idle that long: everything that was asked has been painted
constexpr int patience = 20'000; // milliseconds a page may take
constexpr int forTasks = 30'000; // milliseconds, over all pages, for work that pictures are better with

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
    for (int page = 0; page < m_window->pageCount(); ++page)
        m_shots.push_back({page});
    show(m_shots.front());
    QTimer::singleShot(pollMilliseconds, this, &Screenshots::poll);
}

void Screenshots::show(const Shot& shot)
{
    m_window->showPage(shot.page);
    if (shot.tabs)
        shot.tabs->setCurrentIndex(shot.tab);
}

QString Screenshots::fileOf(const Shot& shot) const
{
    QString name = m_window->pageKey(shot.page);
    if (shot.tabs) {
        static const QRegularExpression between(QStringLiteral("[^a-z]+"));
        const QString title = shot.tabs->tabText(shot.tab).remove(QLatin1Char('&')).toLower();
        name += QLatin1Char('-') + // titles may end in a count in brackets
                title.section(QStringLiteral(" ("), 0, 0).replace(between, QStringLiteral("-"));
    }
    return QDir(m_directory).filePath(name + m_suffix + QStringLiteral(".png"));
}

void Screenshots::poll()
{
    // Counters of a program's lines come from a task; a job of hours is one, too, and is not waited for.
    ProjectSession* session = m_window->session();
    const bool works = session && m_forTasks < forTasks && session->tasks()->activeCount() > 0;
    (works ? m_forTasks : m_waited) += pollMilliseconds;
    m_quiet = m_window->busy() || works ? 0 : m_quiet + 1;
    if (m_quiet >= quietPolls || m_waited > patience) {
        const Shot shot = m_shots[m_next];
        m_ok = m_window->grab().save(fileOf(shot)) && m_waited <= patience && m_ok;
        m_quiet = m_waited = 0;
        if (shot.tabs && shot.last) // settings remember which tab is in front
            shot.tabs->setCurrentIndex(shot.front);
        if (!shot.tabs) { // only now is known which tabs the data of the page has
            auto after = m_shots.begin() + static_cast<std::ptrdiff_t>(m_next) + 1;
            for (auto* tabs : m_window->page(m_window->pageKey(shot.page))->findChildren<QTabWidget*>()) {
                for (int tab = 0; tabs->isVisible() && tab < tabs->count(); ++tab)
                    if (tab != tabs->currentIndex() && tabs->isTabVisible(tab))
                        after = m_shots.insert(after, {shot.page, tabs, tab, tabs->currentIndex()}) + 1;
                (after - 1)->last = true;
            }
        }
        if (++m_next == m_shots.size()) {
            if (!m_window->lastProblem().isEmpty()) {
                std::fprintf(stderr, "%s\n", printable(m_window->lastProblem().toStdString()).c_str());
                m_ok = false;
            }
            Q_EMIT finished(m_ok);
            return;
        }
        show(m_shots[m_next]);
    }
    QTimer::singleShot(pollMilliseconds, this, &Screenshots::poll);
}

} // namespace sparserl
