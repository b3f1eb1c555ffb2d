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
        Kernel, ///< A program of a kernel family without its plan.
        Scanned ///< From a file of `sparserl corpus scan`.
    };
    Origin origin = Origin::Idiom;
    bool heldOut = false;
    std::string text;
};

struct PretrainTextOptions
{
    std::int64_t texts = 4000; ///< Number of derived texts; duplicates are dropped.
    double idioms = 0.5;       ///< Fraction of idioms; the rest are kernels of both tasks.
    double variety = 0.6;
    double heldOut = 0.05;        ///< Fraction by codeHash, so texts with the same code stay together.
    std::filesystem::path corpus; ///< A file from `sparserl corpus scan`, or empty.
    std::uint64_t seed = 1;
};

/// All texts of a run, for training and measurement: derived texts in order of their draws, then scanned
/// ones. No text is a fine-tuning program, because none has a plan.
Result<std::vector<PretrainText>> makePretrainTexts(const PretrainTextOptions& options,
                                                    const CancelToken& cancel);

/// Writes the texts as JSON Lines. The run keeps its own copy, because a corpus file may change before the
/// run is resumed.
Status savePretrainTexts(const std::filesystem::path& file, const std::vector<PretrainText>& texts);
Result<std::vector<PretrainText>> loadPretrainTexts(const std::filesystem::path& file);
/// SHA-256 over all texts. A resumed run checks that its texts are unchanged.
std::string hashOf(const std::vector<PretrainText>& texts);

/// Identifies a program's code, independently of plan and constants: a prefix of the hash of codeOf().
std::string codeHash(std::string_view text);
/// The code hashes of the texts used for training (not the held-out ones), for later stages: a checkpoint's
/// pretrained_code.json. Loading a missing file returns an empty set.
std::set<std::string> shownCode(const std::vector<PretrainText>& texts);
Status saveShownCode(const std::filesystem::path& file, const std::set<std::string>& hashes);
Result<std::set<std::string>> loadShownCode(const std::filesystem::path& file);

} // namespace sparserl
