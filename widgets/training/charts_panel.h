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

/// The charts of one or more runs, with linked x axes and cursors and with marks where a parameter was
/// changed. A tree offers all metrics; for several runs, a readout shows their values side by side.
class ChartsPanel : public QWidget
{
    Q_OBJECT

public:
    explicit ChartsPanel(QWidget* parent = nullptr);

    void setSession(ProjectSession* session);
    /// Shows these runs. The first run determines the charts and the marks. If the runs are the same as
    /// before, reads only new points. The runs of a group are drawn as one curve: their mean, with a band.
    void setRuns(const std::vector<RunSummary>& runs, const std::vector<RunGroup>& groups = {});
    const std::vector<ChartWidget*>& charts() const { return m_charts; }
    const RunCurves& curves() const { return m_curves; }
    MetricTree* metricTree() const { return m_tree; }
    /// The box that selects the run with which the others are compared. Visible if there are several runs.
    QWidget* baselineBox() const { return m_baselineBox; }
    RunReadout* readout() const { return m_readout; }
    /// How many times points were read from the index.
    int readings() const { return m_readings; }
    /// Sets the weight of the moving average, below 1; 0: no average.
    void setSmoothing(double weight);
    void setAxis(RunCurves::Axis axis);
    /// Compares the other shown runs with the run of this index; -1: no comparison.
    void setBaseline(int run);
    /// The same for the run with this id, which need not be shown yet.
    void setBaselineRun(RunId run);
    /// Adds or removes a chart for one metric.
    void setExtraMetric(const std::string& metric, bool shown);
    /// The same for any metric. A chart that the stage has by default is hidden or shown again.
    void setMetricShown(const std::string& metric, bool shown);
    /// Enlarges one chart to the area of all charts; nullopt: shows all charts again.
    void enlarge(const std::optional<std::size_t>& chart);
    /// The enlarged chart, or nullopt.
    std::optional<std::size_t> enlarged() const;
    /// Moves a chart to the place of another.
    void moveChart(std::size_t from, std::size_t to);
    void hideChart(std::size_t chart);
    void showHidden();
    /// The button that determines whether zooming one chart zooms all.
    QToolButton* linkButton() const { return m_link; }

    /// Axis and smoothing as lines for setLook(), to be saved until the next start.
    QStringList look() const;
    void setLook(const QStringList& lines);
    /// The metrics that the user added, to be saved until the next start.
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
    int leastHeight() const; ///< Minimum height of a chart, in pixels.
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
    std::string m_enlarged;           ///< Key of the enlarged chart; empty: none.
    ChartWidget* m_dragged = nullptr; ///< The chart whose title the user is dragging.
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
