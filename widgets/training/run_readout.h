// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/chart_data.h"
#include "widgets/common/plain_text.h"

#include <QStringList>
#include <QWidget>
#include <optional>
#include <utility>
#include <vector>

class QLabel;
class QTableWidget;

namespace sparserl {

/// One line of the readout: a metric, and its curve in each run (null: the run has none).
struct ReadoutRow
{
    QString metric;
    std::vector<std::shared_ptr<const Curve>> curves;
};

/// Shows the values of several runs side by side, at the cursor of the charts or, without a cursor, the last
/// values. If a baseline is chosen, values are compared with it.
class RunReadout : public QWidget
{
    Q_OBJECT

public:
    explicit RunReadout(QWidget* parent = nullptr);

    /// `colours` are indices into Theme::series. `baseline` is an index into the runs.
    void setRuns(const QStringList& runs, const std::vector<int>& colours, std::optional<int> baseline);
    void setRows(std::vector<ReadoutRow> rows);
    /// Shows the values at `x`; NaN: the last values. `text`: the display text of x.
    void setCursor(double x, const QString& text);

    const QTableWidget* table() const { return m_table; }

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fill();
    void fitValues();
    void showWhere();

    QLabel* m_where;
    QString m_cursorText;
    std::vector<std::pair<QString, QString>> m_names; ///< Names of the runs, each with its colour.
    QTableWidget* m_table;
    std::vector<ReadoutRow> m_rows;
    std::optional<int> m_baseline;
    double m_cursor = qQNaN();
};

} // namespace sparserl
