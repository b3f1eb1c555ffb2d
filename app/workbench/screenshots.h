// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <vector>

class QTabWidget;

namespace sparserl {

class MainWindow;

/// Writes every page of the window as DIR/PAGE.png, and each tab that is not in front as DIR/PAGE-TAB.png,
/// after their data have arrived. Then emits finished.
class Screenshots : public QObject
{
    Q_OBJECT

public:
    Screenshots(MainWindow* window, const QString& directory, const QString& suffix = {});
    void start();

Q_SIGNALS:
    void finished(bool ok);

private:
    struct Shot
    {
        int page = 0;
        QTabWidget* tabs = nullptr; ///< Null: the page with its current tabs.
        int tab = 0, front = 0;     ///< The tab to show, and the tab to return to afterwards.
        bool last = false;          ///< Whether this is the last of these tabs.
    };
    void poll();
    void show(const Shot& shot);
    QString fileOf(const Shot& shot) const;

    MainWindow* m_window;
    QString m_directory, m_suffix;
    std::vector<Shot> m_shots;
    std::size_t m_next = 0;
    int m_quiet = 0, m_waited = 0, m_forTasks = 0;
    bool m_ok = true;
};

} // namespace sparserl
