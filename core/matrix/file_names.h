// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

// How files of matrices are called. Only for what is looked for and shown: what a file is follows from its
// contents.
namespace sparserl {

/// What files that hold one matrix end with, in small letters: ".mtx", ".npz", ".rua", ...
const std::vector<std::string_view>& matrixEndings();
/// What archives and compressed files end with, the longer first: ".tar.gz", ".tgz", ".zip", ".gz", ...
const std::vector<std::string_view>& archiveEndings();
/// Patterns for dialogs and searches: "*.mtx", "*.mtx.gz", ..., "*.tar.gz", "*.zip".
std::vector<std::string> matrixFilePatterns();

/// Whether a name fits one of them, whatever case it has: an archive may hold a matrix.
bool isMatrixFileName(const std::string& name);

/// A name without the endings above, whatever case they have: "cant" of "cant.mtx.gz" and of "cant.tar.gz".
/// Others stay.
std::string withoutMatrixEndings(std::string name);
/// Whether a name ends with that of a file that holds one matrix, compressed or not.
bool hasMatrixEnding(const std::string& name);

} // namespace sparserl
