// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/files/project.h"

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// The contents of project.toml.
struct ProjectFile
{
    std::string title;
    std::vector<MatrixEntry> matrices;
};

/// Parses the text of project.toml. Fails, with file and line, if names are not unique, or if a matrix has an
/// unknown split or not exactly one of `file` and `generator`.
Result<ProjectFile> parseProjectFile(const std::string& text, const std::string& file);

/// Returns the text with a [[matrix]] appended. Preserves comments and order.
std::string withMatrix(const std::string& text, const MatrixEntry& entry);

/// Returns the text of a new project.toml. Comments of an old file are lost.
std::string formatProjectFile(const ProjectFile& project);

} // namespace sparserl
