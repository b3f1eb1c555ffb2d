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

/// Shows the name, state and progress of the selected run, and the buttons that steer it.
class RunHeader : public QWidget
{
    Q_OBJECT

public:
    explicit RunHeader(QWidget* parent = nullptr);
    void setRun(const std::optional<RunSummary>& run);
    /// Sets how many times a worker resumed the run; setRun() with another run resets it. A fork's first
    /// start and the end of a pause are no resumes.
    void setResumes(int resumes);
    const std::optional<RunSummary>& run() const { return m_run; }
    /// Shows the last log lines of a run that failed or was interrupted. An empty list hides them.
    void setLastLines(const QStringList& lines);
    /// The steering buttons, which the page places in its layout.
    QWidget* buttons() const { return m_buttons; }
    /// Adds the actions of the buttons to a menu, so that they are available by shortcut and in the command
    /// palette even if a button has no room.
    void fillMenu(QMenu* menu);

Q_SIGNALS:
    void pauseAsked();
    void resumeAsked(); ///< The user wants the run to continue: by a command to the paused worker, or by a
                        ///< new worker.
    void stopAsked();
    void reachAsked(); ///< A connection to the run's machine should be tried now.
    void checkpointAsked();
    void forkAsked();     ///< A run of the same stage should start from the run's last checkpoint.
    void continueAsked(); ///< A run of the next stage should start from the run's last checkpoint.
    void starToggled(bool on);
    void logAsked();
    void refused(const QString& sentence); ///< An action that was selected in the menu is not possible now.

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    /// Hides the labels of buttons if there is no room for them.
    void setCompact(bool compact);
    void updateButtons();
    void updateProgress();
    void showFacts();
    void showReason();

    std::optional<RunSummary> m_run;
    int m_resumes = 0;
    QLabel *m_title, *m_subtitle, *m_phase, *m_left, *m_lastLines;
    BadgeLabel* m_badge;
    QProgressBar* m_progress;
    QToolButton *m_star, *m_pause, *m_resume, *m_checkpoint, *m_stop, *m_fork, *m_continue;
    MessageBar* m_reason;
    QWidget* m_buttons;
};

} // namespace sparserl
