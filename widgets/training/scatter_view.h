// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/chart_scale.h"

#include <QStringList>
#include <QWidget>
#include <optional>
#include <vector>

namespace sparserl {

/// One point of a scatter plot.
struct ScatterPoint
{
    QString key, name; ///< The identity of the point, and its display name.
    double x = 0, y = 0;
    int colour = 0; ///< For Theme::seriesColour().
    bool operator==(const ScatterPoint&) const = default;
};

/// The contents of a scatter plot.
struct ScatterData
{
    QString xName, yName;
    QStringList xTexts; ///< If x is an index of texts: the texts below x = 0, 1, ...
    std::vector<ScatterPoint> points;
    bool logX = false, logY = false; ///< On a logarithmic axis, points that are not positive are omitted.
    QString emptyText;
    bool operator==(const ScatterData&) const = default;
};

/// A scatter plot of named points. The mouse shows the name and both values of the nearest point, and a click
/// chooses this point. Arrow keys go from point to point, and Enter chooses.
class ScatterView : public QWidget
{
    Q_OBJECT

public:
    explicit ScatterView(QWidget* parent = nullptr);

    void setData(ScatterData data);
    const ScatterData& data() const { return m_data; }
    /// Draws the point with this key larger.
    void setCurrent(const QString& key);
    /// The position of a point; nullopt if it is not drawn.
    std::optional<QPointF> placeOf(std::size_t point) const;
    /// The name and the values of a point as text.
    QString textOf(std::size_t point) const;
    /// Lines "name,x,y".
    QByteArray csv() const;

    QSize sizeHint() const override { return {420, 300}; }
    QSize minimumSizeHint() const override { return {200, 140}; }

Q_SIGNALS:
    void chosen(const QString& key);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    bool drawn(const ScatterPoint& point) const;
    QList<AxisTick> ticks(bool horizontal) const;
    QRectF plot() const;
    void fit();
    void point(const std::optional<std::size_t>& at);
    void paintAxes(QPainter& painter) const;

    ScatterData m_data;
    AxisScale m_x, m_y;
    QString m_current;
    std::optional<std::size_t> m_pointed;
};

} // namespace sparserl
