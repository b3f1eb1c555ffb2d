// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "policy/model/language_model.h"
#include "policy/t5/t5_config.h"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace sparserl {

/// The shape of the model, and whether the head's input is scaled. transformers 5 writes the latter by itself
/// ("scale_decoder_outputs") and calls every model tied; before, only tied models scaled theirs.
struct T5Shape
{
    T5Config t5;
    bool tied = true; ///< As the file says.
    bool scaled = true;
    bool byItself = false; ///< The scale is in the file.
};

/// Reads the config.json of a Hugging Face T5.
Result<T5Shape> readT5Shape(const std::filesystem::path& file);

/// A T5 of Hugging Face's with a matrix embedding of ours.
struct T5Import
{
    std::shared_ptr<LanguageModel> model;
    int files = 0;               ///< Weight files that were read.
    std::int64_t newWeights = 0; ///< Those of the matrix embedding.
    std::int64_t untokened = 0;  ///< Rows of the embedding left out, because no token has them.
};

/// Reads the weights of a Hugging Face directory for a vocabulary of `tokens`. The matrix embedding is drawn
/// from `seed`, its scale that of the token embedding.
Result<T5Import> importT5(const std::filesystem::path& from, T5Shape shape, int tokens,
                          const EmbeddingConfig& embedding, std::uint64_t seed, const CancelToken& cancel);

} // namespace sparserl
