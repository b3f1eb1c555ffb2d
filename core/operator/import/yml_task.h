// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "operator/import/task_import.h"

#include <filesystem>
#include <string_view>

namespace sparserl {

/// Returns whether a file has the name of a task in GPU MODE's form: task.yml or task.yaml.
bool isYmlTask(const std::filesystem::path& file);

/// The parts of a task.yml that an import needs.
struct YmlTask
{
    std::map<std::string, std::string> sources; ///< Paths of the Python files, by the names of their modules.
    std::vector<nlohmann::json> tests, benchmarks;
};
/// Parses a task.yml. Understands only the part of YAML in which these files are written: lists named
/// `files`, `tests` and `benchmarks`, whose items are maps in braces, each on one line. `file` is for
/// messages.
Result<YmlTask> parseYmlTask(std::string_view text, const std::string& file = {});

/// Reads a task.yml and the Python files that it names. Their paths lead at most two folders up.
Result<TaskSource> readYmlTask(const std::filesystem::path& file);

} // namespace sparserl
