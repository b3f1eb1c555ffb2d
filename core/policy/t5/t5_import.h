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

/// The shape of a model, and whether the input of its head is scaled. Files from transformers 5 state whether
/// it is scaled ("scale_decoder_outputs") and call every model tied. Earlier versions scaled the input in
/// tied models only.
struct T5Shape
{
    T5Config t5;
    bool tied = true; ///< The file calls the model tied.
    bool scaled = true;
    bool byItself = false; ///< The file states whether the input is scaled.
};

/// Reads the config.json of a Hugging Face T5.
Result<T5Shape> readT5Shape(const std::filesystem::path& file);

/// Creates a T5 with the weights in a Hugging Face directory, for a vocabulary of `tokens`. Draws the matrix
/// embedding from `seed`, with the scale of the token embedding.
Result<ImportedModel> importT5(const std::filesystem::path& from, T5Shape shape, int tokens,
                               const EmbeddingConfig& embedding, std::uint64_t seed,
                               const CancelToken& cancel);

} // namespace sparserl
