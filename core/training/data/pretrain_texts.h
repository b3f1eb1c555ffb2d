// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A text for pretraining or its evaluation.
struct PretrainText
{
    enum class Origin
    {
        Idiom,  ///< corpus/idioms.h
        Kernel, ///< A program of a kernel family, without its plan.
        Scanned ///< From a file of `sparserl corpus scan`.
    };
    Origin origin = Origin::Idiom;
    bool heldOut = false;
    std::string text;
};

struct PretrainTextOptions
{
    std::int64_t texts = 4000; ///< Number of generated texts; duplicates are dropped.
    double idioms = 0.5;       ///< Fraction of idioms; the rest are kernels of both tasks.
    double variety = 0.6;
    double heldOut = 0.05;        ///< Held-out fraction, chosen by codeHash(): equal code stays together.
    std::filesystem::path corpus; ///< A file from `sparserl corpus scan`, or empty.
    std::uint64_t seed = 1;
};

/// Returns all texts of a run, for training and for evaluation: first the generated texts in the order of
/// their draws, then the scanned ones. No text is a fine-tuning program, because none has a plan.
Result<std::vector<PretrainText>> makePretrainTexts(const PretrainTextOptions& options,
                                                    const CancelToken& cancel);

/// Writes the texts as JSON Lines. A run keeps its own copy, because a corpus file may change before the run
/// is resumed.
Status savePretrainTexts(const std::filesystem::path& file, const std::vector<PretrainText>& texts);
Result<std::vector<PretrainText>> loadPretrainTexts(const std::filesystem::path& file);
/// Returns the SHA-256 of all texts. A resumed run uses it to check that its texts are unchanged.
std::string hashOf(const std::vector<PretrainText>& texts);

/// Returns a prefix of the hash of codeOf(). It identifies the code of a program without plan and constants.
std::string codeHash(std::string_view text);
/// Returns the code hashes of the texts used for training (without the held-out ones). Each checkpoint stores
/// them in pretrained_code.json for later stages. loadShownCode() returns an empty set if the file is
/// missing.
std::set<std::string> shownCode(const std::vector<PretrainText>& texts);
Status saveShownCode(const std::filesystem::path& file, const std::set<std::string>& hashes);
Result<std::set<std::string>> loadShownCode(const std::filesystem::path& file);

} // namespace sparserl
