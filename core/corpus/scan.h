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
    /// SPDX identifiers that may be learned from; those of SparseRL 3.1 by default.
    std::vector<std::string> licences = {"MIT",     "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause",
                                         "CC0-1.0", "Unlicense",  "ISC"};
    std::uint64_t maxBytes = 256 * 1024;               ///< Limit for a file.
    std::uint64_t maxTotal = std::uint64_t(512) << 20; ///< Limit for all texts together.
    double alike = 0.8; ///< Texts that share at least this part of their token sequences count as one.
};

/// A file that was examined and refused.
struct ScanRefusal
{
    std::string path;   ///< Relative to the folder.
    std::string reason; ///< One of a few reasons, for counting: "no licence is stated".
    std::string detail; ///< The detail of this file: "GPL-3.0-only". May be empty.
};

struct ScanResult
{
    std::vector<CorpusText> texts; ///< Sorted by path.
    std::vector<ScanRefusal> refused;
    std::int64_t others = 0; ///< Number of files of other kinds, which were not opened.

    std::map<std::string, std::int64_t> reasons() const; ///< Number of refusals for each reason.
};

/// Finds CUDA sources below a folder. A source must have the name of a C++ file, contain CUDA words and have
/// a licence of the list, stated in the file or otherwise by the nearest licence file above it within the
/// folder. It must not be binary, generated or nearly identical to an earlier source. Links are not followed,
/// only regular files are opened, and nothing is compiled or run. Unreadable files are refused with a reason.
/// Fails only if the folder itself cannot be read. The same folder gives the same result.
Result<ScanResult> scanFolder(const std::filesystem::path& folder, const ScanOptions& options,
                              const CancelToken& cancel, const Progress& progress);

/// Whether an SPDX expression ("MIT OR (GPL-2.0-only AND ISC)") can be met by licences of the list; those
/// with an exception grant more than those without.
bool licenceAllowed(std::string_view expression, const std::vector<std::string>& allowed);

/// A text without its first comment, if that comment is about copyright or licence.
std::string_view withoutNotice(std::string_view text);

} // namespace sparserl
