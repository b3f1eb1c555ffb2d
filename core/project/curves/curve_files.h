// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "project/run/run_config.h"
#include "verdict/event.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sparserl {

/// A format in which the curves of runs are exported. Exported files are never read.
enum class CurveFormat
{
    TensorBoard, ///< Event files named OUT/RUN/SPLIT/events.out.tfevents.*
    MLflow       ///< A file store with the folders OUT/0/ID/{meta.yaml,metrics,params,tags}.
};
std::string_view nameOf(CurveFormat format); ///< "tensorboard", "mlflow"
Result<CurveFormat> curveFormatFromName(std::string_view name);
/// Returns a shell command that displays the exported files.
std::string curveViewer(CurveFormat format, const std::filesystem::path& folder);

struct CurvePoint
{
    std::int64_t step = 0;
    double t = 0; ///< Unix seconds.
    double value = 0;
    bool operator==(const CurvePoint&) const = default;
};

/// All metrics of a run, as read from its journal, by split and name. The points of a curve are in ascending
/// order of steps. If the journal has several values for a step, the curve has the last one.
struct RunCurveSet
{
    std::string name; ///< Name of the run's folder.
    RunConfig config;
    RunState state = RunState::Queued;
    double last = 0; ///< Time of the journal's last entry in Unix seconds; 0 if there is none.
    std::map<std::pair<std::string, std::string>, std::vector<CurvePoint>> curves;
};
Result<RunCurveSet> readRunCurves(const std::filesystem::path& run, const CancelToken& cancel = {});

struct CurveExport
{
    std::filesystem::path folder; ///< Absolute.
    std::int64_t runs = 0, curves = 0, points = 0;
    std::vector<std::string> problems; ///< Sentences about runs that could not be read and are left out.
};
/// Writes the curves and parameters of runs to the new folder `out`. If this fails, the folder is removed.
Result<CurveExport> exportCurves(const std::vector<std::filesystem::path>& runs, CurveFormat format,
                                 const std::filesystem::path& out, const CancelToken& cancel = {},
                                 const Progress& progress = {});

/// Write one run to an existing folder, as event files or as a run of an MLflow experiment.
Status writeEventFiles(const RunCurveSet& run, const std::filesystem::path& folder);
Status writeMlflowRun(const RunCurveSet& run, const std::filesystem::path& folder);
/// Writes the experiment that will contain the runs of an MLflow store, and returns the experiment's folder.
Result<std::filesystem::path> writeMlflowExperiment(const std::filesystem::path& folder);

} // namespace sparserl
