// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QLabel;

namespace sparserl {

class ChartWidget;

/// A chart that fills its tab. A sentence is below the chart, or in its tool tip if the tab is not high
/// enough.
class NotedChart : public QWidget
{
    Q_OBJECT

public:
    explicit NotedChart(QWidget* parent = nullptr);
    ChartWidget* chart() const { return m_chart; }
    QSize minimumSizeHint() const override;

protected:
    void setNote(const QString& sentence);
    void resizeEvent(QResizeEvent* event) override;

private:
    ChartWidget* m_chart;
    QLabel* m_note;
};

} // namespace sparserl
