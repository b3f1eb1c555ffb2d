// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"
#include "widgets/kernels/noted_chart.h"

#include <optional>

namespace sparserl {

/// Where a program stands below what the device can do: GFLOPS over intensity, the slopes of DRAM and L2, the
/// peak, beside it the baseline.
class RooflineView : public NotedChart
{
    Q_OBJECT

public:
    using NotedChart::NotedChart;
    /// `baseline`: a program, in place of what the record was timed against. `nnz`: of the matrix; 0:
    /// not known yet, -1: it is not in the library.
    void show(const std::optional<VerdictRecord>& record, const std::optional<VerdictRecord>& baseline,
              std::int64_t nnz);
};

} // namespace sparserl
