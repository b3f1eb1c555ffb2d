// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/run/control.h"
#include "remote/remote_host.h"
#include "widgets/common/project_page.h"
#include "widgets/training/run_model.h"

#include <QPointer>
#include <optional>
#include <set>
#include <utility>

class QStackedWidget;
class QTabWidget;

namespace sparserl {

class ChartsPanel;
class EmptyState;
class LaunchDialog;
class LogView;
class RunCostView;
class RunHeader;
class RunList;
class RunParameters;
class RunScatter;
class SteerPanel;

/// Shows the runs and their curves, and lets the user steer them.
class TrainingPage : public ProjectPage
{
    Q_OBJECT

public:
    explicit TrainingPage(QWidget* parent = nullptr);

    QString title() const override { return tr("Training"); }
    QString menuTitle() const override { return tr("&Training"); }
    QStringList layoutState() const override;
    void applyLayoutState(const QStringList& state) override;
    QString selectedKey() const override;
    bool hasSelection() const override;
    QString iconName() const override { return QStringLiteral("training"); }
    void fillMenu(QMenu* menu) override;
    RunList* list() const { return m_list; }
    RunModel* model() const;
    ChartsPanel* charts() const { return m_charts; }
    RunScatter* scatter() const { return m_scatter; }
    void restoreViewState(const QStringList& state) override;

public Q_SLOTS:
    /// Selects a run by name.
    void select(const QString& run) override;
    void newRun();

protected:
    void projectChanged() override;
    void refresh() override;

private:
    void connectList();
    QWidget* makeDetail();
    QWidget* makeNoRun();
    void showRuns(std::vector<RunSummary> runs);
    void tellViewState();
    void showDetails();
    /// Shows that no run passes the filter instead of the details of a run. Returns false if a run does.
    bool showNoRun();
    void showResumes();
    void showSteering();
    void showLastLines();
    /// How a new run continues from another.
    enum class From
    {
        Nothing,
        Fork, ///< The same stage, with the current parameters of the run.
        NextStage
    };
    void openLaunch(From how, const std::optional<RunSummary>& from = {},
                    const std::map<std::string, std::string>& values = {});
    void launch(const RunConfig& config, const std::optional<RemoteHost>& host);
    void launchThere(const RunConfig& config, const RemoteHost& host);
    /// Shows the sentence in the form in which the run was requested. The form still has the user's entries.
    void launchFailed(LaunchDialog* form, const QString& sentence);
    void resumeThere(const RunSummary& run);
    /// Ensures that a process follows a run on another machine (ensureFollower).
    void follow(const RunSummary& run, bool anew);
    void followAll(const std::vector<RunSummary>& runs);
    void resume();
    void send(ControlCommand::Kind kind);
    void change(const std::map<std::string, std::string>& values, bool checkpointFirst);
    std::optional<RunSummary> currentRun() const;

    RunList* m_list;
    QStackedWidget* m_sides; ///< The details of a run, and what is shown if no run passes the filter.
    EmptyState* m_noRun;
    RunHeader* m_header;
    QTabWidget* m_tabs;
    ChartsPanel* m_charts;
    LogView* m_log;
    SteerPanel* m_steering;
    RunParameters* m_parameters;
    RunCostView* m_cost;
    RunScatter* m_scatter;
    RunId m_linesOf = 0;
    std::pair<RunId, int> m_resumesOf; ///< The run and its generation whose resumes the header shows.
    bool m_restoring = false;
    std::set<std::string> m_followed;   ///< Runs for which follow() was called in this session.
    QPointer<LaunchDialog> m_launching; ///< The form in which a run has been requested.
    JobTracker m_steerJobs{this}, m_lineJobs{this}, m_launchJobs{this}, m_checkpointJobs{this},
        m_resumeJobs{this};
};

} // namespace sparserl
