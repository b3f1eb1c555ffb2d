// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/control.h"
#include "widgets/common/page.h"
#include "widgets/common/session.h"
#include "widgets/training/run_model.h"

#include <optional>

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
class SteerPanel;

/// Runs, their course, and the means to steer them.
class TrainingPage : public Page
{
    Q_OBJECT

public:
    explicit TrainingPage(QWidget* parent = nullptr);

    QString title() const override { return tr("Training"); }
    QString iconName() const override { return QStringLiteral("training"); }
    void fillMenu(QMenu* menu) override;
    RunList* list() const { return m_list; }
    RunModel* model() const;
    ChartsPanel* charts() const { return m_charts; }
    void restoreViewState(const QStringList& state) override;

public Q_SLOTS:
    /// Selects a run by name.
    void select(const QString& run) override;
    void newRun();

protected:
    void sessionChanged() override;
    void refresh() override;

private:
    void connectList();
    QWidget* makeDetail();
    void showRuns(std::vector<RunSummary> runs);
    void tellViewState();
    void showDetails();
    void showSteering();
    void showLastLines();
    /// How a new run goes on from another.
    enum class From
    {
        Nothing,
        Fork, ///< The same stage, with the parameters that the run has by now.
        NextStage
    };
    void openLaunch(From how, const std::optional<RunSummary>& from = {},
                    const std::map<std::string, std::string>& values = {});
    void launch(const RunConfig& config);
    void resume();
    void send(ControlCommand::Kind kind, const std::string& key = {}, const std::string& value = {});
    void change(const std::map<std::string, std::string>& values, bool checkpointFirst);
    std::optional<RunSummary> currentRun() const;

    RunList* m_list;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    RunHeader* m_header;
    QTabWidget* m_tabs;
    ChartsPanel* m_charts;
    LogView* m_log;
    SteerPanel* m_steering;
    RunParameters* m_parameters;
    RunCostView* m_cost;
    RunId m_linesOf = 0;
    bool m_again = false, m_restoring = false;
    JobTracker m_runJobs{this}, m_steerJobs{this}, m_lineJobs{this}, m_launchJobs{this}, m_actionJobs{this};
};

} // namespace sparserl
