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

/// Programs whose files the curves of runs can be written as. Nothing is read back from them.
enum class CurveFormat
{
    TensorBoard, ///< Event files: OUT/RUN/SPLIT/events.out.tfevents.*
    MLflow       ///< A file store: OUT/0/ID/{meta.yaml,metrics,params,tags}
};
std::string_view nameOf(CurveFormat format); ///< "tensorboard", "mlflow"
Result<CurveFormat> curveFormatFromName(std::string_view name);
/// The command that shows what was written, for a shell.
std::string curveViewer(CurveFormat format, const std::filesystem::path& folder);

struct CurvePoint
{
    std::int64_t step = 0;
    double t = 0; ///< Unix seconds.
    double value = 0;
    bool operator==(const CurvePoint&) const = default;
};

/// All metrics of a run, from its journal: by split and name, steps ascending, of several values at one step
/// the last.
struct RunCurveSet
{
    std::string name; ///< Folder of the run.
    RunConfig config;
    RunState state = RunState::Queued;
    double last = 0; ///< Time of the last entry; 0: there is none.
    std::map<std::pair<std::string, std::string>, std::vector<CurvePoint>> curves;
};
Result<RunCurveSet> readRunCurves(const std::filesystem::path& run, const CancelToken& cancel = {});

struct CurveExport
{
    std::filesystem::path folder; ///< Absolute.
    std::int64_t runs = 0, curves = 0, points = 0;
    std::vector<std::string> problems; ///< Sentences: runs that could not be read and are left out.
};
/// Writes the curves and parameters of runs into a new folder. On failure nothing of it is left.
Result<CurveExport> exportCurves(const std::vector<std::filesystem::path>& runs, CurveFormat format,
                                 const std::filesystem::path& out, const CancelToken& cancel = {},
                                 const Progress& progress = {});

/// Writes one run into `folder`, which is there: event files, or a run of an MLflow experiment.
Status writeEventFiles(const RunCurveSet& run, const std::filesystem::path& folder);
Status writeMlflowRun(const RunCurveSet& run, const std::filesystem::path& folder);
/// What an MLflow store has above its runs: the experiment that they are in. Returns its folder.
Result<std::filesystem::path> writeMlflowExperiment(const std::filesystem::path& folder);

} // namespace sparserl
