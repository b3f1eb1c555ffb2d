// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/chart_data.h"
#include "widgets/evaluation/evaluation_data.h"

namespace sparserl {

/// pass@k over k, one line per shown policy.
ChartData passChart(const EvaluationView& view);
/// Shares of programs that compile, are correct, and are faster, per split, in percent; one bar per shown
/// policy.
ChartData ratesChart(const EvaluationView& view);
/// GFLOPS of the best programs by non-zeros, one box per shown policy and one for the baseline.
ChartData boxChart(const EvaluationView& view);

/// "Held-out", "Training"; other names unchanged.
QString splitName(const QString& split);

} // namespace sparserl
