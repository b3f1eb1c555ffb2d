// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/model/language_model.h"

#include <cstdint>
#include <memory>

namespace sparserl {

/// A model of Hugging Face's with a matrix embedding of ours.
struct ImportedModel
{
    std::shared_ptr<LanguageModel> model;
    int files = 0;               ///< Weight files that were read.
    std::int64_t newWeights = 0; ///< Those of the matrix embedding.
    std::int64_t untokened = 0;  ///< Rows of the embedding left out, because no token has them.
};

} // namespace sparserl
