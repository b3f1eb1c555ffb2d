// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A CUDA source of somebody's, with where it comes from. Never compiled, never run: text to learn from.
struct CorpusText
{
    std::string path;    ///< Below the folder that was scanned.
    std::string licence; ///< SPDX identifier.
    std::string hash;    ///< SHA-256 of the text.
    std::string text;    ///< UTF-8.
};

/// The first line of a file of such texts, and the line of one of them (docs/formats.md 7).
std::string textCorpusHead();
std::string textCorpusLine(const CorpusText& text);

/// Reads a file of `sparserl corpus scan`. Fails with file and line where a line is not such a text, or its
/// hash is another.
Result<std::vector<CorpusText>> readTextCorpus(const std::filesystem::path& file);
Result<std::vector<CorpusText>> parseTextCorpus(std::string_view bytes, const std::string& file);

} // namespace sparserl
