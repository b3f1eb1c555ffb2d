// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries.h"

#include <QWidget>
#include <optional>

class QLabel;
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
    /// The steering buttons, for whoever lays out the page.
    QWidget* buttons() const { return m_buttons; }

Q_SIGNALS:
    void pauseAsked();
    void resumeAsked(); ///< Goes on: by a command to a paused worker, or by starting a worker again.
    void stopAsked();
    void checkpointAsked();
    void changeAsked();
    void continueAsked(); ///< A new run from this one's last checkpoint.
    void starToggled(bool on);

private:
    void updateButtons();
    void updateProgress();

    std::optional<RunSummary> m_run;
    QLabel *m_title, *m_subtitle, *m_phase, *m_left;
    BadgeLabel* m_badge;
    QProgressBar* m_progress;
    QToolButton *m_star, *m_pause, *m_resume, *m_checkpoint, *m_stop, *m_change, *m_continue;
    MessageBar* m_reason;
    QWidget* m_buttons;
};

} // namespace sparserl
