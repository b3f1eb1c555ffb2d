// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/operator_import.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/format.h"
#include "base/json.h"
#include "base/printable.h"
#include "evaluation/operators/checked_import.h"
#include "evaluation/runners/find_runner.h"
#include "operator/import/yml_task.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

namespace sparserl::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largestTask = 1u << 20;

/// A task to import, and the name of its folder.
struct Found
{
    fs::path file;
    std::string folder, level; ///< `level`: of KernelBench, or empty.
};

/// The name of a task's folder: its path below the folder that is imported, so that no two are the same.
std::string folderName(fs::path below)
{
    if (isYmlTask(below) && below.has_parent_path())
        below = below.parent_path();
    else
        below.replace_extension();
    std::string name;
    for (const fs::path& part : below)
        name += (name.empty() ? "" : "__") + part.string();
    return fileNameFor(name);
}

/// By numbers first: 2_x.py comes before 10_x.py.
bool comesBefore(const Found& a, const Found& b)
{
    const auto key = [](const fs::path& file) {
        const std::string name = file.filename().string();
        std::size_t digits = 0;
        while (digits < name.size() && name[digits] >= '0' && name[digits] <= '9')
            ++digits;
        const std::string number = name.substr(0, digits);
        return std::make_tuple(file.parent_path(), number.size(), number, name);
    };
    return key(a.file) < key(b.file);
}

/// "level3" of a checkout of KernelBench: 3.
std::optional<int> levelOf(const fs::path& folder)
{
    const std::string name = folder.filename().string();
    return name.size() == 6 && name.starts_with("level") && name[5] >= '1' && name[5] <= '9'
               ? std::optional(name[5] - '0')
               : std::nullopt;
}

/// The folders level1, level2 ... of a checkout.
Result<std::vector<fs::path>> levelsOf(const fs::path& checkout)
{
    std::vector<fs::path> found;
    if (!glance(checkout / "KernelBench").folder)
        return found;
    SPARSERL_TRY(const auto entries, listDirectory(checkout / "KernelBench"));
    for (const fs::path& entry : entries)
        if (levelOf(entry) && glance(entry).folder)
            found.push_back(entry);
    std::ranges::sort(found);
    return found;
}

Result<std::vector<Found>> tasksBelow(const fs::path& folder, const fs::path& root, const std::string& level)
{
    SPARSERL_TRY(const auto files, listTree(folder));
    std::vector<Found> tasks;
    // Beside a task.yml lie its parts, and answers.
    const bool yml = std::ranges::any_of(files, isYmlTask);
    for (const fs::path& file : files)
        if (yml ? isYmlTask(file) : file.extension() == ".py")
            tasks.push_back({file, folderName(file.lexically_relative(root)), level});
    std::ranges::sort(tasks, comesBefore);
    return tasks;
}

Result<std::vector<Found>> findTasks(const OperatorImportOptions& options)
{
    const fs::path path = options.path;
    if (!glance(path).folder) {
        if (!options.levels.empty())
            return fail("--level chooses from a checkout of KernelBench, and this is a file");
        // A task.yml is named by its folder.
        const fs::path name =
            isYmlTask(path) ? fs::absolute(path).parent_path().filename() / path.filename() : path.filename();
        return std::vector<Found>{{path, folderName(name), {}}};
    }
    SPARSERL_TRY(const auto levels, levelsOf(path));
    std::vector<Found> tasks;
    for (const fs::path& level : levels) {
        const int number = *levelOf(level);
        if (!options.levels.empty() && std::ranges::find(options.levels, number) == options.levels.end())
            continue;
        SPARSERL_TRY(auto some, tasksBelow(level, level.parent_path(), level.filename().string()));
        tasks.insert(tasks.end(), some.begin(), some.end());
    }
    if (levels.empty() && !options.levels.empty())
        return failAt(options.path, 0,
                      "this folder is no checkout of KernelBench, which --level chooses from",
                      "Name the folder that holds KernelBench/level1");
    if (levels.empty()) {
        SPARSERL_TRY(tasks, tasksBelow(path, path, {}));
    }
    if (tasks.empty())
        return failAt(options.path, 0, "there is no task (*.py, task.yml) in this folder");
    return tasks;
}

Result<TaskSource> readSource(const fs::path& file)
{
    if (isYmlTask(file))
        return readYmlTask(file);
    SPARSERL_TRY(auto text, readFile(file, largestTask));
    return TaskSource{file.stem().string(), std::move(text)};
}

/// What came of the tasks of one level.
struct Tally
{
    std::size_t tasks = 0, refused = 0, flagged = 0, full = 0, sizes = 0;
    double seconds = 0;
};

std::string tallyText(const std::map<std::string, Tally>& tallies)
{
    std::string text;
    for (const auto& [level, tally] : tallies)
        text += formatLine("{}{} of {} imported, {} in all, {} of its own size, {} flagged, {}\n",
                           level.empty() ? level : level + ": ", tally.tasks - tally.refused,
                           formatCounted(static_cast<std::int64_t>(tally.tasks), "task"),
                           formatCounted(static_cast<std::int64_t>(tally.sizes), "size"), tally.full,
                           tally.flagged, formatDuration(tally.seconds));
    return text;
}

Result<TaskRecord> importOne(const Context& context, const ImportPython& python,
                             const ImportOptions& importing, OracleProcess& oracle, const Found& found,
                             const fs::path& folder, double& seconds)
{
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    SPARSERL_TRY(const auto source, readSource(found.file));
    SPARSERL_TRY(const auto made, importChecked(python, source, importing, oracle));
    SPARSERL_CHECK(writeTaskFolder(folder, made.task, made.record, source.text));
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const TaskRecord& record = made.record;
    const SizeRecord& base = record.sizes.front();
    nlohmann::json said = fieldToJson(record);
    said.update({{"task", found.file.string()},
                 {"folder", folder.string()},
                 {"digest", base.digest},
                 {"depends_on_values", made.task.sizes.front().graph.dependsOnValues},
                 {"seconds", seconds}});
    context.emit(said);
    if (context.json)
        return record;
    std::string words =
        formatLine("{}: {}, {}, level {}, in {}\n", found.file.string(),
                   formatCounted(static_cast<std::int64_t>(record.sizes.size()), "size"),
                   formatCounted(static_cast<std::int64_t>(base.nodes), "call"), base.level, folder.string());
    for (const std::string& one : record.rejected)
        words += formatLine("  Given up: {}.\n", one);
    for (const std::string& one : record.flags)
        words += "  " + one + "\n";
    if (!record.noFull.empty())
        words += formatLine("  Not at its own size: {}.\n", record.noFull);
    context.print(words);
    return record;
}

} // namespace

int importTasks(const Context& context, const OperatorImportOptions& options)
{
    const auto tasks = findTasks(options);
    if (!tasks)
        return context.error(tasks.error());
    const auto python = findImportPython();
    if (!python)
        return context.error(python.error());
    const auto runner = findRunner(siblingProgram(context, "sparserl-runner"));
    if (!runner)
        return context.error(runner.error());
    ImportOptions importing;
    importing.runner = *runner;
    importing.mode = options.mode;
    importing.cancel = context.cancel;
    OracleProcess oracle(options.oracle);
    std::map<std::string, Tally> tallies;
    std::size_t refused = 0;
    for (std::size_t i = 0; i < tasks->size(); ++i) {
        const Found& found = (*tasks)[i];
        context.keeps(fmt::format("{} of {} are in {}", i - refused,
                                  formatCounted(static_cast<std::int64_t>(tasks->size()), "task"),
                                  printableLine(options.out)));
        context.progress(static_cast<double>(i) / static_cast<double>(tasks->size()), "importing tasks");
        Tally& tally = tallies[found.level];
        ++tally.tasks;
        double seconds = 0;
        const auto done = importOne(context, *python, importing, oracle, found,
                                    fs::path(options.out) / found.folder, seconds);
        context.endProgress();
        if (done) {
            tally.sizes += done->sizes.size();
            tally.full += done->sizes.back().size == "full" ? 1 : 0;
            tally.flagged += done->flags.empty() ? 0 : 1;
            tally.seconds += seconds;
            continue;
        }
        if (context.cancel.cancelled() || tasks->size() == 1)
            return context.failed(
                Error{done.error().what, found.file.string(), 0, done.error().remedy, done.error().kind});
        ++refused;
        ++tally.refused;
        context.emit(
            {{"task", found.file.string()}, {"refused", done.error().what}, {"remedy", done.error().remedy}});
        if (!context.json)
            context.print(formatLine("{}: {}\n", found.file.string(), done.error().what));
    }
    if (tasks->size() > 1 && !context.json)
        context.print(tallyText(tallies));
    return refused == tasks->size() ? Failed : Done;
}

} // namespace sparserl::cli
