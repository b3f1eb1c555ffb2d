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

/// A text that pretraining shows or measures.
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
    std::int64_t texts = 4000; ///< To derive; equal ones are dropped.
    double idioms = 0.5;       ///< Share of idioms among them; the rest are kernels of both tasks.
    double variety = 0.6;
    double heldOut = 0.05;        ///< Share by codeHash, so that texts of the same code are on one side.
    std::filesystem::path corpus; ///< A file of `sparserl corpus scan`, or empty.
    std::uint64_t seed = 1;
};

/// Everything that a run learns from and is measured on: derived texts in the order of their draws, then
/// scanned ones. None is a program of fine-tuning: they have no plans.
Result<std::vector<PretrainText>> makePretrainTexts(const PretrainTextOptions& options,
                                                    const CancelToken& cancel);

/// As JSON Lines. The run keeps them: a corpus file may change before it is resumed.
Status savePretrainTexts(const std::filesystem::path& file, const std::vector<PretrainText>& texts);
Result<std::vector<PretrainText>> loadPretrainTexts(const std::filesystem::path& file);
/// SHA-256 over all of them: whether a run that goes on has what it began with.
std::string hashOf(const std::vector<PretrainText>& texts);

/// Which code a program has, whatever its plan or constants: the beginning of a hash of codeOf().
std::string codeHash(std::string_view text);
/// The codes of the texts that were shown (not the held-out ones), for the stages behind: a checkpoint's
/// pretrained_code.json. Loading gives an empty set where the file does not exist.
std::set<std::string> shownCode(const std::vector<PretrainText>& texts);
Status saveShownCode(const std::filesystem::path& file, const std::set<std::string>& hashes);
Result<std::set<std::string>> loadShownCode(const std::filesystem::path& file);

} // namespace sparserl
