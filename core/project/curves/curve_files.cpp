// SPDX-License-Identifier: Apache-2.0
#include "project/curves/curve_files.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/format.h"
#include "base/interruption.h"
#include "base/new_folders.h"
#include "base/new_place.h"
#include "base/printable.h"
#include "base/shell.h"
#include "project/curves/event_file.h"
#include "project/files/file_handle.h"
#include "project/files/run_files.h"
#include "project/run/journal.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <system_error>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view formatNames[] = {"tensorboard", "mlflow"};

/// Events are written in pieces of about so many bytes.
constexpr std::size_t pieceBytes = 1 << 20;

/// In which a later value of the same step takes the place of the one before.
void addPoint(std::vector<CurvePoint>& points, const CurvePoint& point)
{
    if (points.empty() || points.back().step < point.step) {
        points.push_back(point);
        return;
    }
    const auto at = std::lower_bound(points.begin(), points.end(), point.step,
                                     [](const CurvePoint& p, std::int64_t step) { return p.step < step; });
    if (at->step == point.step)
        *at = point;
    else
        points.insert(at, point);
}

/// A table of the parameters, in Markdown.
std::string parameterTable(const RunCurveSet& run)
{
    std::string text = fmt::format("Stage {}, from SparseRL Workbench.\n\n| parameter | value |\n|---|---|\n",
                                   printableLine(run.config.stage));
    for (const auto& [key, value] : run.config.parameters) {
        std::string shown = printableLine(toText(value));
        for (std::size_t at = 0; (at = shown.find('|', at)) != std::string::npos; at += 2)
            shown.insert(at, "\\");
        text += fmt::format("| {} | {} |\n", printableLine(key), shown);
    }
    return text;
}

/// The file of one split: events by step, values of one step and time in one event.
class EventFile
{
public:
    static Result<EventFile> create(const fs::path& folder, double created)
    {
        NewFolders folders;
        SPARSERL_CHECK(folders.make(folder));
        // The name that TensorBoard looks for; the time orders several files of a folder.
        SPARSERL_TRY(auto file,
                     FileHandle::openAppend(folder / fmt::format("events.out.tfevents.{:010.0f}.sparserl",
                                                                 std::isfinite(created) ? created : 0)));
        folders.keep();
        EventFile result(std::move(file));
        SPARSERL_CHECK(result.add(versionEvent(created)));
        return result;
    }
    Status add(std::string_view event)
    {
        m_bytes += tfRecord(event);
        return m_bytes.size() < pieceBytes ? Status() : flush();
    }
    Status flush() { return m_file.write(std::exchange(m_bytes, {})); }

private:
    explicit EventFile(FileHandle file)
        : m_file(std::move(file))
    {
    }
    FileHandle m_file;
    std::string m_bytes;
};

struct SplitPoint
{
    CurvePoint point;
    std::string_view metric;
};

} // namespace

std::string_view nameOf(CurveFormat format)
{
    return formatNames[static_cast<std::size_t>(format)];
}

Result<CurveFormat> curveFormatFromName(std::string_view name)
{
    for (const CurveFormat format : {CurveFormat::TensorBoard, CurveFormat::MLflow})
        if (name == nameOf(format))
            return format;
    return fail(fmt::format("curves cannot be written as \"{}\"", printableLine(name)),
                "Use tensorboard or mlflow");
}

std::string curveViewer(CurveFormat format, const fs::path& folder)
{
    if (format == CurveFormat::TensorBoard)
        return shellCommand("tensorboard --logdir {}", {folder.string()});
    // Since 3.13, MLflow opens a file store only where this is set; earlier versions pass over it.
    return shellCommand("MLFLOW_ALLOW_FILE_STORE=true mlflow ui --backend-store-uri {}", {folder.string()});
}

Result<RunCurveSet> readRunCurves(const fs::path& run, const CancelToken& cancel)
{
    RunCurveSet set;
    set.name = run.filename().string();
    SPARSERL_TRY(set.config, readRunConfig(run / runFile));
    JournalPosition position;
    for (;;) {
        if (cancel.cancelled())
            return fail(interruption());
        SPARSERL_TRY(const auto batch, readJournal(run, position, 4 << 20, JournalPart::Lists));
        if (batch.rewound) { // it was resumed meanwhile
            set.curves.clear();
            set.state = RunState::Queued;
        }
        for (const JournalEntry& entry : batch.entries) {
            if (const auto* state = std::get_if<StateEvent>(&entry.event))
                set.state = state->state;
            const auto* metric = std::get_if<MetricEvent>(&entry.event);
            if (!metric)
                continue;
            for (const auto& [name, value] : metric->values)
                addPoint(set.curves[{metric->split, name}], {entry.step, entry.t, value});
        }
        set.last = batch.next.t.value_or(set.last);
        position = batch.next;
        if (batch.atEnd && !batch.rewound)
            return set;
    }
}

Status writeEventFiles(const RunCurveSet& run, const fs::path& folder)
{
    std::map<std::string, std::vector<SplitPoint>> splits;
    for (const auto& [key, points] : run.curves)
        for (const CurvePoint& point : points)
            splits[key.first].push_back({point, key.second});
    if (splits.empty())
        splits["train"]; // its parameters are worth looking at
    bool first = true;
    for (auto& [split, points] : splits) {
        std::stable_sort(points.begin(), points.end(), [](const SplitPoint& a, const SplitPoint& b) {
            return a.point.step != b.point.step ? a.point.step < b.point.step : a.point.t < b.point.t;
        });
        SPARSERL_TRY(auto file, EventFile::create(folder / fileNameFor(split), run.config.created));
        if (std::exchange(first, false))
            SPARSERL_CHECK(file.add(textEvent(run.config.created, "parameters", parameterTable(run))));
        for (std::size_t i = 0; i < points.size();) {
            const CurvePoint& begin = points[i].point;
            std::vector<std::pair<std::string_view, double>> values;
            for (; i < points.size() && points[i].point.step == begin.step && points[i].point.t == begin.t;
                 ++i)
                values.emplace_back(points[i].metric, points[i].point.value);
            SPARSERL_CHECK(file.add(scalarEvent(begin.t, begin.step, values)));
        }
        SPARSERL_CHECK(file.flush());
    }
    return {};
}

Result<CurveExport> exportCurves(const std::vector<fs::path>& runs, CurveFormat format, const fs::path& out,
                                 const CancelToken& cancel, const Progress& progress)
{
    std::error_code code;
    CurveExport result;
    result.folder = fs::absolute(out, code).lexically_normal();
    if (!result.folder.has_filename())
        result.folder = result.folder.parent_path();
    if (runs.empty())
        return fail("there is no run to write", "Choose at least one");
    SPARSERL_CHECK(checkNewFolder(result.folder));
    const bool isNew = !glance(result.folder).exists;
    NewFolders folders;
    SPARSERL_CHECK(folders.make(result.folder));
    const auto write = [&]() -> Status {
        fs::path place = result.folder;
        if (format == CurveFormat::MLflow) {
            SPARSERL_TRY(place, writeMlflowExperiment(result.folder));
        }
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (progress)
                progress(static_cast<double>(i) / static_cast<double>(runs.size()),
                         "writing " + printableLine(runs[i].filename().string()));
            const auto run = readRunCurves(runs[i], cancel);
            if (!run && isInterruption(run.error()))
                return fail(run.error());
            if (!run) { // one broken run does not stop the others
                result.problems.push_back(run.error().sentence());
                continue;
            }
            SPARSERL_CHECK(format == CurveFormat::MLflow
                               ? writeMlflowRun(*run, place)
                               : writeEventFiles(*run, place / fileNameFor(run->name)));
            ++result.runs;
            result.curves += static_cast<std::int64_t>(run->curves.size());
            for (const auto& [key, points] : run->curves)
                result.points += static_cast<std::int64_t>(points.size());
        }
        return result.runs > 0 ? Status() : fail(result.problems.front());
    };
    if (auto status = write(); !status) {
        for (const fs::path& entry : entriesOf(result.folder))
            removeTree(entry, code);
        if (isNew)
            removeEntry(result.folder, code);
        return fail(status.error());
    }
    folders.keep();
    return result;
}

} // namespace sparserl
