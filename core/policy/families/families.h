// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "policy/causal/causal_config.h"
#include "policy/model/imported_model.h"
#include "policy/t5/t5_config.h"
#include "policy/t5/t5_import.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <variant>

namespace sparserl {

/// The shape of a model of a supported family.
using ModelShape = std::variant<T5Config, CausalConfig>;

/// Reads the shape from the Hugging Face keys of a policy's config.json.
Result<ModelShape> modelShapeFromJson(const nlohmann::json& json);
int vocabSizeOf(const ModelShape& shape);
/// Creates a model of this shape with the weights in a file.
Result<std::shared_ptr<LanguageModel>> readModel(const ModelShape& shape, const EmbeddingConfig& embedding,
                                                 ModelHead head, const std::filesystem::path& weights);

/// The shape of a model in a Hugging Face directory, which has no matrix embedding.
using ForeignShape = std::variant<T5Shape, CausalConfig>;

Result<ForeignShape> foreignShape(const std::filesystem::path& configFile);
/// Creates a model with the weights in a Hugging Face directory, for a vocabulary of `tokens`. Draws the
/// matrix embedding from `seed`.
Result<ImportedModel> importModel(const std::filesystem::path& from, const ForeignShape& shape, int tokens,
                                  const EmbeddingConfig& embedding, std::uint64_t seed,
                                  const CancelToken& cancel);

} // namespace sparserl
