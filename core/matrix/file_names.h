// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

// File names of matrices, for search and display only. The format of a file depends only on its contents.
namespace sparserl {

/// Returns the suffixes, in lower case, of files with a single matrix: ".mtx", ".npz", ".rua", ...
const std::vector<std::string_view>& matrixEndings();
/// Returns the suffixes of archives and compressed files, longest first: ".tar.gz", ".tgz", ".zip", ".gz",
/// ...
const std::vector<std::string_view>& archiveEndings();
/// Returns patterns for file dialogs and searches: "*.mtx", "*.mtx.gz", ..., "*.tar.gz", "*.zip".
std::vector<std::string> matrixFilePatterns();

/// Returns true if a name matches one of these patterns, ignoring case. An archive matches because it may
/// contain a matrix.
bool isMatrixFileName(const std::string& name);

/// Removes the suffixes above, ignoring case: "cant.mtx.gz" and "cant.tar.gz" become "cant". Does not change
/// other names.
std::string withoutMatrixEndings(std::string name);
/// Returns true if a name has the suffix of a file with a single matrix, with or without ".gz".
bool hasMatrixEnding(const std::string& name);

} // namespace sparserl
