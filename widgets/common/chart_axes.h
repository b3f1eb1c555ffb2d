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
class QBarCategoryAxis;
class QCategoryAxis;
class QChart;
class QLogValueAxis;
class QValueAxis;

namespace sparserl {

/// The axes of one QChart. They are built for the data, and then set to a visible range.
class ChartAxes : public QObject
{
    Q_OBJECT

public:
    explicit ChartAxes(QChart* chart);

    /// Replaces all axes with axes for the data. The chart must have no series at this time.
    void rebuild(const ChartData& data);
    /// Attaches a series. One series per y axis suffices, because all attached series share its range.
    void attach(QAbstractSeries* series, bool right) const;
    /// Sets ranges, ticks at round values, and labels with as many decimals as necessary.
    void show(const ChartData& data, const ChartView& view, const QRectF& plot);
    /// Whether a chart of this height (in pixels) has room for the name of its x axis.
    bool namesX(double height) const;
    void setLook(const ChartData& data, const Theme& theme, const QFont& font);

private:
    /// `pixels`: length of the axis; `least`: minimum step.
    void showTicks(QValueAxis* axis, double low, double high, double pixels, int wanted, double least);
    /// `widest`: width of the widest label, in pixels.
    void showDates(double low, double high, double pixels, double widest);
    /// `shortened`: shows only the beginning of each range.
    void nameCategories(bool shortened);
    void showScale(QAbstractAxis* axis, const AxisScale& scale, double pixels, int wanted);

    QChart* m_chart;
    QValueAxis* m_x = nullptr;        ///< Null for a logarithmic x, and for bars on categories.
    QCategoryAxis* m_dates = nullptr; ///< Equals m_x if x is a date.
    QLogValueAxis* m_logX = nullptr;
    QBarCategoryAxis* m_categories = nullptr;
    QAbstractAxis *m_y = nullptr, *m_right = nullptr;
    QStringList m_names; ///< Category names as text; the axis has them as HTML.
    bool m_shortened = false;
    QFont m_font;
};

} // namespace sparserl
