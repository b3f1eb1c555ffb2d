// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <QWidget>
#include <optional>

class QLabel;
class QMenu;
class QProgressBar;
class QToolButton;

namespace sparserl {

class BadgeLabel;
class MessageBar;

/// Name, state and progress of the selected run, and the buttons that steer it.
class RunHeader : public QWidget
{
    Q_OBJECT

public:
    explicit RunHeader(QWidget* parent = nullptr);
    void setRun(const std::optional<RunSummary>& run);
    const std::optional<RunSummary>& run() const { return m_run; }
    /// What a run that failed or was interrupted said last; empty hides it.
    void setLastLines(const QStringList& lines);
    /// The steering buttons, for whoever lays out the page.
    QWidget* buttons() const { return m_buttons; }
    /// What the buttons do, for a menu: by key and in the palette also where a button has no room.
    void fillMenu(QMenu* menu);

Q_SIGNALS:
    void pauseAsked();
    void resumeAsked(); ///< Goes on: by a command to a paused worker, or by starting a worker again.
    void stopAsked();
    void reachAsked(); ///< The machine that the run works on is to be tried now.
    void checkpointAsked();
    void forkAsked();     ///< The same stage again, from this one's last checkpoint.
    void continueAsked(); ///< The next stage, from this one's last checkpoint.
    void starToggled(bool on);
    void logAsked();
    void refused(const QString& sentence); ///< What was asked for from the menu cannot be done now.

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    /// Buttons without words, where there is no room for them.
    void setCompact(bool compact);
    void updateButtons();
    void updateProgress();
    void showReason();

    std::optional<RunSummary> m_run;
    QLabel *m_title, *m_subtitle, *m_phase, *m_left, *m_lastLines;
    BadgeLabel* m_badge;
    QProgressBar* m_progress;
    QToolButton *m_star, *m_pause, *m_resume, *m_checkpoint, *m_stop, *m_fork, *m_continue;
    MessageBar* m_reason;
    QWidget* m_buttons;
};

} // namespace sparserl
