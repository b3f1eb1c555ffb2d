// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries.h"
#include "widgets/common/chart_data.h"
#include "widgets/common/session.h"
#include "widgets/training/metric_panels.h"

#include <QWidget>
#include <map>
#include <vector>

class QComboBox;
class QGridLayout;
class QMenu;
class QToolButton;

namespace sparserl {

class ChartWidget;

/// What a refresh brings for all charts at once.
struct ChartsAnswer
{
    struct Curve
    {
        std::size_t run = 0; ///< Index into the runs asked for.
        MetricSeries series;
    };
    std::vector<std::vector<Curve>> panels;
    std::vector<ControlMark> marks; ///< Of the first run.
    std::vector<std::string> names; ///< All metrics of all the runs.
    std::string stamp;              ///< Equal stamps: equal answers.
    bool unchanged = false;         ///< The stamp is the one that was asked with; the rest is empty.
};

/// The charts of one or more runs: linked in x and cursor, resampled when zoomed, marked where something was
/// changed.
class ChartsPanel : public QWidget
{
    Q_OBJECT

public:
    explicit ChartsPanel(QWidget* parent = nullptr);

    void setSession(ProjectSession* session);
    /// Shows these runs (the first one rules panels and marks). The same runs again: only refreshes, and
    /// reads no point where the index has no new one.
    void setRuns(const std::vector<RunSummary>& runs);
    const std::vector<ChartWidget*>& charts() const { return m_charts; }
    /// How often points were read from the index.
    int readings() const { return m_readings; }
    /// The weight of the moving average, 0 for none; one of those the box offers.
    void setSmoothing(double weight);
    /// Adds or removes a chart for one metric.
    void setExtraMetric(const std::string& metric, bool shown);

Q_SIGNALS:
    void problem(const QString& sentence);

private:
    void refresh();
    void show(ChartsAnswer answer);
    void rebuild();
    void fillMetricMenu();
    ChartData chartFor(std::size_t panel, const ChartsAnswer& answer) const;
    std::vector<MetricPanel> panels() const;

    ProjectSession* m_session = nullptr;
    std::vector<RunSummary> m_runs;
    std::vector<std::string> m_extra, m_names;
    std::vector<ChartWidget*> m_charts;
    QGridLayout* m_grid;
    QComboBox* m_smoothing;
    QToolButton* m_add;
    QMenu* m_metrics;
    std::int64_t m_from = INT64_MIN, m_to = INT64_MAX;
    bool m_again = false;
    std::string m_stamp; ///< Of what the charts show.
    int m_readings = 0;
    JobTracker m_jobs{this};
};

} // namespace sparserl
