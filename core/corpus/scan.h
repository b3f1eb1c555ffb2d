// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "corpus/text_corpus.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace sparserl {

struct ScanOptions
{
    /// The SPDX identifiers of licences whose texts a policy may learn from. The default is the list of
    /// SparseRL 3.1.
    std::vector<std::string> licences = {"MIT",     "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause",
                                         "CC0-1.0", "Unlicense",  "ISC"};
    std::uint64_t maxBytes = 256 * 1024;               ///< Limit for a file.
    std::uint64_t maxTotal = std::uint64_t(512) << 20; ///< Limit for all texts together.
    double alike = 0.8; ///< Texts that share at least this part of their token sequences count as one text.
};

/// A file that was examined and refused.
struct ScanRefusal
{
    std::string path;   ///< Relative to the folder.
    std::string reason; ///< One of a few reasons, which can be counted: "no licence is stated".
    std::string detail; ///< A detail about this file: "GPL-3.0-only". May be empty.
};

struct ScanResult
{
    std::vector<CorpusText> texts; ///< Sorted by path.
    std::vector<ScanRefusal> refused;
    std::int64_t others = 0; ///< The number of files of other kinds, which were not opened.

    std::map<std::string, std::int64_t> reasons() const; ///< The number of refusals for each reason.
};

/// Finds CUDA sources below a folder. A source must have the name of a C++ file, contain CUDA words and have
/// a licence of the list. The file itself states the licence, or else the nearest licence file in its folder
/// or above, within `folder`. A source must not be binary, generated or nearly identical to an earlier
/// source. Follows no links, opens only regular files, and compiles and runs nothing. Unreadable files are
/// refused with a reason. Fails only if the folder itself cannot be read. The same folder gives the same
/// result.
Result<ScanResult> scanFolder(const std::filesystem::path& folder, const ScanOptions& options,
                              const CancelToken& cancel, const Progress& progress);

/// Whether licences of the list satisfy an SPDX expression ("MIT OR (GPL-2.0-only AND ISC)"). A licence with
/// an exception ("X WITH E") is allowed if X is on the list, because an exception grants more.
bool licenceAllowed(std::string_view expression, const std::vector<std::string>& allowed);

/// Returns a text without its first comment if this comment is about copyright or a licence.
std::string_view withoutNotice(std::string_view text);

} // namespace sparserl
