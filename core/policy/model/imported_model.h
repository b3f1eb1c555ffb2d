// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/model/language_model.h"

#include <cstdint>
#include <memory>

namespace sparserl {

/// A Hugging Face model with our matrix embedding.
struct ImportedModel
{
    std::shared_ptr<LanguageModel> model;
    int files = 0;               ///< Number of weight files read.
    std::int64_t newWeights = 0; ///< Weights of the matrix embedding.
    std::int64_t untokened = 0;  ///< Omitted rows of the embedding, which belong to no token.
};

} // namespace sparserl
