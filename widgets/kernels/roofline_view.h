// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"

#include <QWidget>
#include <optional>

class QLabel;

namespace sparserl {

class ChartWidget;

/// Where a program stands below what the device can do: GFLOPS over intensity, the slopes of DRAM and L2, the
/// peak, beside it the baseline.
class RooflineView : public QWidget
{
    Q_OBJECT

public:
    explicit RooflineView(QWidget* parent = nullptr);
    /// `baseline`: a program, in place of what the record was timed against. `nnz`: of the matrix; 0 if
    /// unknown.
    void show(const std::optional<VerdictRecord>& record, const std::optional<VerdictRecord>& baseline,
              std::int64_t nnz);
    ChartWidget* chart() const { return m_chart; }

private:
    ChartWidget* m_chart;
    QLabel* m_note;
};

} // namespace sparserl
