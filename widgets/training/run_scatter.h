// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/run_figures.h"

#include <QStringList>
#include <QWidget>
#include <optional>

class QCheckBox;
class QComboBox;

namespace sparserl {

class RunList;
class ScatterView;

/// Plots a metric over a parameter, or any two metrics or parameters. Each run that passes the filter of the
/// list is a point in the run's colour.
class RunScatter : public QWidget
{
    Q_OBJECT

public:
    RunScatter(RunList* list, QWidget* parent);

    /// Sets the figures on the axes. For nullopt, a figure that suits the runs is chosen.
    void setAxes(std::optional<RunFigure> x, std::optional<RunFigure> y);
    void setLogarithmic(bool x, bool y);
    ScatterView* view() const { return m_view; }
    /// Draws the current runs of the list. Reads only while the plot is visible.
    void refresh();
    void clear();

    /// The axes, as lines for setLook().
    QStringList look() const;
    void setLook(const QStringList& lines);

Q_SIGNALS:
    void chosen(const QString& run);
    void choiceChanged();

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void fillChoices();
    void chooseFirst();
    void draw();
    std::optional<RunFigure> figureIn(const QComboBox* box) const;

    RunList* m_list;
    QComboBox *m_x, *m_y;
    QCheckBox *m_logX, *m_logY;
    ScatterView* m_view;
    std::optional<RunFigure> m_xFigure, m_yFigure;
    QStringList m_offered;
};

} // namespace sparserl
