// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/control.h"
#include "widgets/common/page.h"
#include "widgets/common/session.h"
#include "widgets/training/run_model.h"

#include <optional>

class QLineEdit;
class QSortFilterProxyModel;
class QStackedWidget;
class QTableView;
class QTableWidget;
class QTabWidget;

namespace sparserl {

class ChartsPanel;
class EmptyState;
class LaunchDialog;
class LogView;
class RunHeader;

/// Runs, their course, and the means to steer them.
class TrainingPage : public Page
{
    Q_OBJECT

public:
    explicit TrainingPage(QWidget* parent = nullptr);

    QString title() const override { return tr("Training"); }
    QString iconName() const override { return QStringLiteral("training"); }
    void fillMenu(QMenu* menu) override;
    RunModel* model() const { return m_model; }
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
    QWidget* makeList();
    QWidget* makeDetail();
    void showRuns(std::vector<RunSummary> runs);
    void selectionChanged();
    void showDetails();
    void showParameters(const RunConfig& config);
    void openLaunch(const std::optional<RunSummary>& from);
    void launch(const RunConfig& config);
    void resume();
    void send(ControlCommand::Kind kind, const std::string& key = {}, const std::string& value = {});
    void changeParameter();
    std::vector<RunSummary> selectedRuns() const;
    std::optional<RunSummary> currentRun() const;

    RunModel* m_model;
    QSortFilterProxyModel* m_proxy;
    QTableView* m_table;
    QLineEdit* m_search;
    QStackedWidget* m_stack;
    EmptyState* m_empty;
    RunHeader* m_header;
    QTabWidget* m_tabs;
    ChartsPanel* m_charts;
    LogView* m_log;
    QTableWidget* m_parameters;
    QString m_wanted;
    std::string m_parametersOf;
    bool m_again = false;
    JobTracker m_runJobs{this}, m_configJobs{this}, m_launchJobs{this}, m_actionJobs{this};
};

} // namespace sparserl
