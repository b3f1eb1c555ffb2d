// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/model/language_model.h"
#include "policy/t5/t5_config.h"

#include <cstdint>
#include <filesystem>
#include <memory>

namespace sparserl {

/// Creates a T5 with initial weights drawn from `seed`.
Result<std::shared_ptr<LanguageModel>> newT5(const T5Config& config, const EmbeddingConfig& embedding,
                                             std::uint64_t seed);
/// Creates a T5 with the weights in a policy's file. Fails if the file does not match the shape.
Result<std::shared_ptr<LanguageModel>> readT5(const T5Config& config, const EmbeddingConfig& embedding,
                                              ModelHead head, const std::filesystem::path& weights);

} // namespace sparserl
