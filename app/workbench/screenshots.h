// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>

namespace sparserl {

class MainWindow;

/// Writes every page of the window as DIR/PAGE.png once its data has arrived, then emits finished.
class Screenshots : public QObject
{
    Q_OBJECT

public:
    Screenshots(MainWindow* window, const QString& directory, const QString& suffix = {});
    void start();

Q_SIGNALS:
    void finished(bool ok);

private:
    void poll();

    MainWindow* m_window;
    QString m_directory, m_suffix;
    int m_page = 0, m_quiet = 0, m_waited = 0;
    bool m_ok = true;
};

} // namespace sparserl
