// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A third-party CUDA source and its origin. It serves only as text for training and is never compiled or
/// run.
struct CorpusText
{
    std::string path;    ///< The path relative to the scanned folder.
    std::string licence; ///< The SPDX identifier of the licence.
    std::string hash;    ///< The SHA-256 of the text.
    std::string text;    ///< UTF-8.
};

/// Returns the first line of a file of corpus texts, or the line of one text (docs/formats.md 7).
std::string textCorpusHead();
std::string textCorpusLine(const CorpusText& text);

/// Reads a file written by `sparserl corpus scan`. If a line is not a valid text or has a wrong hash, the
/// Error names the file and the line.
Result<std::vector<CorpusText>> readTextCorpus(const std::filesystem::path& file);
Result<std::vector<CorpusText>> parseTextCorpus(std::string_view bytes, const std::string& file);

} // namespace sparserl
