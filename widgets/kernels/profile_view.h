// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"

#include <QWidget>
#include <optional>

class QLabel;
class QTableWidget;

namespace sparserl {

class ChartWidget;

/// The program's profile beside the baseline: times with their spread, the physical floor, resources, set-up
/// with its break-even, and what the simulator counted.
class ProfileView : public QWidget
{
    Q_OBJECT

public:
    explicit ProfileView(QWidget* parent = nullptr);
    void show(const std::optional<VerdictRecord>& record);
    ChartWidget* chart() const { return m_chart; }
    QTableWidget* table() const { return m_table; }

private:
    void addRow(const QString& name, const QString& value, const QString& baseline, const QString& help);
    void fillTable(const VerdictRecord& record);
    void fillChart(const VerdictRecord& record);

    ChartWidget* m_chart;
    QTableWidget* m_table;
    QLabel* m_evidence;
};

} // namespace sparserl
