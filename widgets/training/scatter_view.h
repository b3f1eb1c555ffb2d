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
    QString key, name; ///< What is clicked, and what it is called.
    double x = 0, y = 0;
    int colour = 0; ///< Of Theme::seriesColour().
    bool operator==(const ScatterPoint&) const = default;
};

/// Everything that a scatter plot shows.
struct ScatterData
{
    QString xName, yName;
    QStringList xTexts; ///< Where x counts texts: what stands under 0, 1, ...
    std::vector<ScatterPoint> points;
    bool logX = false, logY = false; ///< Points that are not positive are left out then.
    QString emptyText;
    bool operator==(const ScatterData&) const = default;
};

/// Points with a name each. The mouse shows the name and both values of the nearest one, a click chooses it;
/// arrows go from point to point, Enter chooses.
class ScatterView : public QWidget
{
    Q_OBJECT

public:
    explicit ScatterView(QWidget* parent = nullptr);

    void setData(ScatterData data);
    const ScatterData& data() const { return m_data; }
    /// Draws this one larger.
    void setCurrent(const QString& key);
    /// Where a point is drawn; nothing where it is not.
    std::optional<QPointF> placeOf(std::size_t point) const;
    /// Name and values of a point.
    QString textOf(std::size_t point) const;
    /// "name,x,y" lines.
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
