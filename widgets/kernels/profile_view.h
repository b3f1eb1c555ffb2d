// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"

#include <QWidget>
#include <optional>

class QLabel;
class QTableWidget;

namespace sparserl {

class ChartWidget;

/// The program's profile beside the baseline, with the difference in each row: times with their spread, the
/// physical floor, resources, set-up with its break-even, and simulator counts.
class ProfileView : public QWidget
{
    Q_OBJECT

public:
    explicit ProfileView(QWidget* parent = nullptr);
    /// Compares with `baseline` if given, otherwise with the record's baseline.
    void show(const std::optional<VerdictRecord>& record,
              const std::optional<VerdictRecord>& baseline = std::nullopt);
    ChartWidget* chart() const { return m_chart; }
    QTableWidget* table() const { return m_table; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void share();
    void arrange();
    void fillTable(const VerdictRecord& record, const std::optional<VerdictRecord>& baseline);
    void fillChart(const VerdictRecord& record, const std::optional<VerdictRecord>& baseline);

    ChartWidget* m_chart;
    QTableWidget* m_table;
    QLabel* m_evidence;
    bool m_comparing = false; ///< Compares two programs, rather than one with its baseline.
};

} // namespace sparserl
