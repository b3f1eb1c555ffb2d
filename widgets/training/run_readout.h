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

/// The values of several runs side by side at the cursor of the charts, or the last ones while there is none;
/// against a baseline where one is chosen.
class RunReadout : public QWidget
{
    Q_OBJECT

public:
    explicit RunReadout(QWidget* parent = nullptr);

    /// `colours` are indices into Theme::series. `baseline` is an index into the runs.
    void setRuns(const QStringList& runs, const std::vector<int>& colours, std::optional<int> baseline);
    void setRows(std::vector<ReadoutRow> rows);
    /// NaN: the last values. `text` says where that is.
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
    std::vector<std::pair<QString, QString>> m_names; ///< Of the runs, each after its colour.
    QTableWidget* m_table;
    std::vector<ReadoutRow> m_rows;
    std::optional<int> m_baseline;
    double m_cursor = qQNaN();
};

} // namespace sparserl
