// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/session.h"

#include <QTimer>
#include <QWidget>
#include <optional>

class QLabel;
class QToolButton;

namespace sparserl {

/// The project's whole job (`sparserl job`) in the status bar: what it does now, and a button that stops it.
/// It is a process of its own, which goes on when the window closes; the strip finds it again.
class JobStrip : public QWidget
{
    Q_OBJECT

public:
    explicit JobStrip(QWidget* parent = nullptr);
    /// Null: no project is open.
    void setSession(ProjectSession* session);
    void start();
    void stop();
    bool isRunning() const { return m_running; }

Q_SIGNALS:
    void started();
    void problem(const QString& sentence);
    /// It ended by itself; its last line.
    void ended(const QString& sentence);

private:
    struct Look
    {
        bool running = false;
        std::string line; ///< What it said last.
    };
    void look();
    void show(const Look& now);

    ProjectSession* m_session = nullptr;
    JobTracker m_looking{this}, m_acting{this};
    QTimer m_timer;
    QLabel* m_text;
    QToolButton* m_stop;
    bool m_running = false;
    std::int64_t m_launched = 0; ///< The process that was started here, until it has ended.
};

} // namespace sparserl
