// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/files/project.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// Contents of project.toml.
struct ProjectFile
{
    std::string title;
    std::vector<MatrixEntry> matrices;
};

/// Parses and checks project.toml: unique names, exactly one of `file` and `generator` per matrix, a known
/// split. Errors name file and line.
Result<ProjectFile> parseProjectFile(const std::string& text, const std::string& file);

/// Appends a [[matrix]] to the text. Preserves comments and order.
std::string withMatrix(const std::string& text, const MatrixEntry& entry);

/// Formats the whole file. Comments are lost.
std::string formatProjectFile(const ProjectFile& project);

} // namespace sparserl
