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

/// Export formats for the curves of runs. Nothing is read back.
enum class CurveFormat
{
    TensorBoard, ///< Event files: OUT/RUN/SPLIT/events.out.tfevents.*
    MLflow       ///< A file store: OUT/0/ID/{meta.yaml,metrics,params,tags}
};
std::string_view nameOf(CurveFormat format); ///< "tensorboard", "mlflow"
Result<CurveFormat> curveFormatFromName(std::string_view name);
/// A shell command that displays the exported files.
std::string curveViewer(CurveFormat format, const std::filesystem::path& folder);

struct CurvePoint
{
    std::int64_t step = 0;
    double t = 0; ///< Unix seconds.
    double value = 0;
    bool operator==(const CurvePoint&) const = default;
};

/// All metrics of a run from its journal, by split and name, steps ascending. If a step has several values,
/// the last one counts.
struct RunCurveSet
{
    std::string name; ///< Folder of the run.
    RunConfig config;
    RunState state = RunState::Queued;
    double last = 0; ///< Time of the last entry; 0 if there is none.
    std::map<std::pair<std::string, std::string>, std::vector<CurvePoint>> curves;
};
Result<RunCurveSet> readRunCurves(const std::filesystem::path& run, const CancelToken& cancel = {});

struct CurveExport
{
    std::filesystem::path folder; ///< Absolute.
    std::int64_t runs = 0, curves = 0, points = 0;
    std::vector<std::string> problems; ///< Sentences about unreadable runs, which are left out.
};
/// Writes the curves and parameters of runs to a new folder. On failure nothing remains.
Result<CurveExport> exportCurves(const std::vector<std::filesystem::path>& runs, CurveFormat format,
                                 const std::filesystem::path& out, const CancelToken& cancel = {},
                                 const Progress& progress = {});

/// Writes one run to the existing `folder`: event files, or a run of an MLflow experiment.
Status writeEventFiles(const RunCurveSet& run, const std::filesystem::path& folder);
Status writeMlflowRun(const RunCurveSet& run, const std::filesystem::path& folder);
/// Writes the experiment that contains the runs of an MLflow store. Returns its folder.
Result<std::filesystem::path> writeMlflowExperiment(const std::filesystem::path& folder);

} // namespace sparserl
