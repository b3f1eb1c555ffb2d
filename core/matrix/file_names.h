// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

// File names of matrices, for search and display only. The contents alone determine the format.
namespace sparserl {

/// Lower-case suffixes of files with a single matrix: ".mtx", ".npz", ".rua", ...
const std::vector<std::string_view>& matrixEndings();
/// Suffixes of archives and compressed files, longest first: ".tar.gz", ".tgz", ".zip", ".gz", ...
const std::vector<std::string_view>& archiveEndings();
/// Patterns for file dialogs and searches: "*.mtx", "*.mtx.gz", ..., "*.tar.gz", "*.zip".
std::vector<std::string> matrixFilePatterns();

/// Whether a name matches one of these patterns, ignoring case. An archive matches because it may contain a
/// matrix.
bool isMatrixFileName(const std::string& name);

/// Removes the suffixes above, ignoring case: "cant" for "cant.mtx.gz" and "cant.tar.gz". Other names do not
/// change.
std::string withoutMatrixEndings(std::string name);
/// Whether a name has the suffix of a file with a single matrix, compressed or not.
bool hasMatrixEnding(const std::string& name);

} // namespace sparserl
