// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/chart_data.h"
#include "widgets/common/session.h"
#include "widgets/training/chart_arrangement.h"
#include "widgets/training/metric_panels.h"
#include "widgets/training/run_curves.h"

#include <QWidget>
#include <vector>

class QComboBox;
class QDoubleSpinBox;
class QGridLayout;
class QKeyEvent;
class QMenu;
class QSplitter;
class QToolButton;

namespace sparserl {

class ChartWidget;
class MetricTree;
class RunReadout;

/// The charts of one or more runs: linked in x and cursor, marked where something was changed, with a tree of
/// all metrics to choose from and, for several runs, their values side by side.
class ChartsPanel : public QWidget
{
    Q_OBJECT

public:
    explicit ChartsPanel(QWidget* parent = nullptr);

    void setSession(ProjectSession* session);
    /// Shows these runs (the first one rules panels and marks). The same runs again: only refreshes, and
    /// reads no point that was read before.
    /// Runs of a group are drawn as one curve, their mean in its band.
    void setRuns(const std::vector<RunSummary>& runs, const std::vector<RunGroup>& groups = {});
    const std::vector<ChartWidget*>& charts() const { return m_charts; }
    const RunCurves& curves() const { return m_curves; }
    MetricTree* metricTree() const { return m_tree; }
    /// The choice of what the others are compared with, seen where there are several.
    QWidget* baselineBox() const { return m_baselineBox; }
    RunReadout* readout() const { return m_readout; }
    /// How often points were read from the index.
    int readings() const { return m_readings; }
    /// The weight of the moving average, below 1; 0 for none.
    void setSmoothing(double weight);
    void setAxis(RunCurves::Axis axis);
    /// Compares the other runs with this one of those shown; -1: with none.
    void setBaseline(int run);
    /// The same, by its identity, and before it is among those shown.
    void setBaselineRun(RunId run);
    /// Adds or removes a chart for one metric.
    void setExtraMetric(const std::string& metric, bool shown);
    /// The same for any: a chart that the stage has by itself is hidden, or comes back.
    void setMetricShown(const std::string& metric, bool shown);
    /// Fills the room of all charts with one, until it is asked for again; nothing: shows all.
    void enlarge(const std::optional<std::size_t>& chart);
    /// Which chart is alone now.
    std::optional<std::size_t> enlarged() const;
    /// Puts a chart into the place of another, between those around it.
    void moveChart(std::size_t from, std::size_t to);
    void hideChart(std::size_t chart);
    void showHidden();
    /// Whether zooming one chart zooms all.
    QToolButton* linkButton() const { return m_link; }

    /// Axis and smoothing: lines for setLook(), for the next start.
    QStringList look() const;
    void setLook(const QStringList& lines);
    /// The metrics that were added, for the next start.
    QStringList chosenMetrics() const;
    void setChosenMetrics(const QStringList& metrics);

Q_SIGNALS:
    void problem(const QString& sentence);
    void choiceChanged();
    void baselineChanged(const std::optional<RunId>& run);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeBar();
    void refresh();
    void reset();
    void show();
    void showReadout();
    void showTree();
    void rebuild();
    void layOut();
    int leastHeight() const; ///< Of a chart, pixels.
    void link(ChartWidget* chart);
    void moveCursor(double x);
    std::vector<MetricPanel> panels() const;
    std::vector<MetricPanel> allPanels() const;
    void rearrange();
    void makeMovable(ChartWidget* chart);
    void fillChartMenu(ChartWidget* chart, QMenu* menu);
    std::optional<std::size_t> placeOf(const QObject* chart) const;
    bool chartKey(std::size_t chart, const QKeyEvent& event);
    bool chartDrag(ChartWidget* chart, QEvent* event);
    int baseline() const;

    ProjectSession* m_session = nullptr;
    RunCurves m_curves;
    std::vector<RunGroup> m_groups;
    std::vector<std::string> m_extra;
    ChartArrangement m_arrangement;
    std::string m_enlarged;           ///< Key of the chart that is alone; empty: none is.
    ChartWidget* m_dragged = nullptr; ///< Held by its title.
    std::vector<ChartWidget*> m_charts;
    QGridLayout* m_grid;
    QSplitter *m_across, *m_down;
    QComboBox* m_axis;
    QDoubleSpinBox* m_smoothing;
    QComboBox* m_baseline;
    QWidget* m_baselineBox;
    QToolButton *m_metrics, *m_link;
    MetricTree* m_tree;
    RunReadout* m_readout;
    std::optional<RunId> m_baselineRun;
    bool m_again = false, m_following = false;
    int m_readings = 0, m_columns = 0;
    JobTracker m_jobs{this};
};

} // namespace sparserl
