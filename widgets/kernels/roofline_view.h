// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "verdict/record.h"
#include "widgets/kernels/noted_chart.h"

#include <optional>

namespace sparserl {

/// The position of a program in the device's roofline: GFLOPS over intensity, the slopes of DRAM and L2, the
/// peak, and the baseline.
class RooflineView : public NotedChart
{
    Q_OBJECT

public:
    using NotedChart::NotedChart;
    /// `baseline`: a program that replaces the record's baseline. `nnz`: non-zeros of the matrix; 0: unknown
    /// yet, -1: the matrix is not in the library.
    void show(const std::optional<VerdictRecord>& record, const std::optional<VerdictRecord>& baseline,
              std::int64_t nnz);
};

} // namespace sparserl
