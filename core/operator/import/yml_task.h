// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "operator/import/task_import.h"

#include <filesystem>
#include <string_view>

namespace sparserl {

/// Whether a file is a task in GPU MODE's form by its name: task.yml or task.yaml.
bool isYmlTask(const std::filesystem::path& file);

/// What a task.yml says that an import needs.
struct YmlTask
{
    std::map<std::string, std::string> sources; ///< Paths of files by the names of their modules.
    std::vector<nlohmann::json> tests, benchmarks;
};
/// Reads the part of YAML that these files are written in: lists named `files`, `tests` and `benchmarks`
/// whose items are maps in braces, each on one line. `file` is for messages.
Result<YmlTask> parseYmlTask(std::string_view text, const std::string& file = {});

/// Reads a task.yml and the Python files beside it that it names. They lie at most two folders above it.
Result<TaskSource> readYmlTask(const std::filesystem::path& file);

} // namespace sparserl
