// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/chart_view.h"
#include "widgets/common/theme.h"

#include <QFont>
#include <QObject>
#include <QRectF>
#include <QStringList>

class QAbstractAxis;
class QAbstractSeries;
class QCategoryAxis;
class QChart;
class QLogValueAxis;
class QValueAxis;

namespace sparserl {

/// The axes of one QChart: made for the data, then told what to show.
class ChartAxes : public QObject
{
    Q_OBJECT

public:
    explicit ChartAxes(QChart* chart);

    /// Replaces all axes by those that the data needs; the chart must have no series then.
    void rebuild(const ChartData& data);
    /// One series is enough for each y axis: ranges are passed on through all that are attached.
    void attach(QAbstractSeries* series, bool right) const;
    /// Ranges, ticks at round values and labels with as many decimals as they need.
    void show(const ChartData& data, const ChartView& view, const QRectF& plot);
    void setLook(const ChartData& data, const Theme& theme, const QFont& font);

private:
    /// `pixels`: how long the axis is; `least`: no step is smaller.
    void showTicks(QValueAxis* axis, double low, double high, double pixels, int wanted, double least);
    /// `widest`: of a label, pixels.
    void showDates(double low, double high, double pixels, double widest);
    void showScale(QAbstractAxis* axis, const AxisScale& scale, double pixels, int wanted);

    QChart* m_chart;
    QValueAxis* m_x = nullptr;        ///< Null where x is logarithmic or bars stand on categories.
    QCategoryAxis* m_dates = nullptr; ///< The same as m_x, where x is a date.
    QLogValueAxis* m_logX = nullptr;
    QAbstractAxis* m_categories = nullptr;
    QAbstractAxis *m_y = nullptr, *m_right = nullptr;
    QStringList m_names; ///< Of the categories, as text; the axis has them as HTML.
    QFont m_font;
};

} // namespace sparserl
