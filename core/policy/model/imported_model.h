// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/model/language_model.h"

#include <cstdint>
#include <memory>

namespace sparserl {

/// A model from Hugging Face with our matrix embedding.
struct ImportedModel
{
    std::shared_ptr<LanguageModel> model;
    int files = 0;               ///< Number of weight files that were read.
    std::int64_t newWeights = 0; ///< Number of weights in the matrix embedding.
    /// Number of rows of the token embedding that belong to no token and were left out.
    std::int64_t untokened = 0;
};

} // namespace sparserl
