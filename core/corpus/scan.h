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
    std::uint64_t maxBytes = 256 * 1024;               ///< Of a file.
    std::uint64_t maxTotal = std::uint64_t(512) << 20; ///< Of all texts.
    double alike = 0.8; ///< Texts that share this part of their token sequences are one.
};

/// A file that was looked at and not taken.
struct ScanRefusal
{
    std::string path;   ///< Below the folder.
    std::string reason; ///< One of a few, to be counted: "no licence is stated".
    std::string detail; ///< What of this file: "GPL-3.0-only"; may be empty.
};

struct ScanResult
{
    std::vector<CorpusText> texts; ///< By path.
    std::vector<ScanRefusal> refused;
    std::int64_t others = 0; ///< Files of other kinds, which were not opened.

    std::map<std::string, std::int64_t> reasons() const; ///< How often each.
};

/// Looks for CUDA sources below a folder: names of C++ files, text with CUDA's words, a licence of the list
/// (stated in the file, or else by the nearest licence file above it, within the folder), neither binary nor
/// generated, and not nearly the same as one before. Links are not followed, only regular files are opened,
/// and nothing is compiled or run. What cannot be read is refused with its reason; only the folder itself
/// failing is an Error. The same folder gives the same result.
Result<ScanResult> scanFolder(const std::filesystem::path& folder, const ScanOptions& options,
                              const CancelToken& cancel, const Progress& progress);

/// Whether an SPDX expression ("MIT OR (GPL-2.0-only AND ISC)") can be met by licences of the list; those
/// with an exception grant more than those without.
bool licenceAllowed(std::string_view expression, const std::vector<std::string>& allowed);

/// A text without the comment that it begins with, where that is about copyright or licence.
std::string_view withoutNotice(std::string_view text);

} // namespace sparserl
