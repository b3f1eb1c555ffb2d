// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/chart_data.h"
#include "widgets/evaluation/evaluation_data.h"

namespace sparserl {

/// pass@k over k, a line for each shown policy.
ChartData passChart(const EvaluationView& view);
/// Compiled, correct and faster shares of each split, in percent, a bar for each shown policy.
ChartData ratesChart(const EvaluationView& view);
/// GFLOPS of the best programs by non-zeros, a box for each shown policy and one for the baseline.
ChartData boxChart(const EvaluationView& view);

/// "Held-out", "Training"; other names as they are.
QString splitName(const QString& split);

} // namespace sparserl
