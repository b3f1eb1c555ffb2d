// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/chart_data.h"
#include "widgets/training/metric_panels.h"
#include "widgets/training/run_curves.h"
#include "widgets/training/run_readout.h"

namespace sparserl {

/// The chart of one panel, with a curve for each combination of metric, split and run that has points.
/// `baseline` is an index into the runs, or -1.
ChartData chartOf(const MetricPanel& panel, const RunCurves& curves, int baseline);
/// The rows of the readout, for all panels.
std::vector<ReadoutRow> readoutRows(const std::vector<MetricPanel>& panels, const RunCurves& curves);

} // namespace sparserl
