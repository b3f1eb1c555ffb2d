// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "policy/model/imported_model.h"
#include "policy/t5/t5_config.h"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace sparserl {

/// The shape of the model, and whether the head's input is scaled. transformers 5 states the latter
/// explicitly ("scale_decoder_outputs") and declares every model tied; earlier versions scaled only tied
/// models.
struct T5Shape
{
    T5Config t5;
    bool tied = true; ///< As stated in the file.
    bool scaled = true;
    bool byItself = false; ///< The file states the scale.
};

/// Reads the config.json of a Hugging Face T5.
Result<T5Shape> readT5Shape(const std::filesystem::path& file);

/// Reads the weights of a Hugging Face directory for a vocabulary of `tokens`. Draws the matrix embedding
/// from `seed`, with the scale of the token embedding.
Result<ImportedModel> importT5(const std::filesystem::path& from, T5Shape shape, int tokens,
                               const EmbeddingConfig& embedding, std::uint64_t seed,
                               const CancelToken& cancel);

} // namespace sparserl
