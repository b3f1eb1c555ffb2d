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

/// Parses and checks project.toml: names unique, each matrix with exactly one of `file` and `generator`, a
/// known split. Errors name file and line.
Result<ProjectFile> parseProjectFile(const std::string& text, const std::string& file);

/// The text with one more [[matrix]] at its end; comments and order stay as they are.
std::string withMatrix(const std::string& text, const MatrixEntry& entry);

/// The whole file anew (comments are lost).
std::string formatProjectFile(const ProjectFile& project);

} // namespace sparserl
