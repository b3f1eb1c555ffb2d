// SPDX-License-Identifier: Apache-2.0
#include "policy/t5/new_t5.h"

#include "policy/files/weight_files.h"
#include "policy/t5/t5.h"

namespace sparserl {

Result<std::shared_ptr<LanguageModel>> newT5(const T5Config& config, const EmbeddingConfig& embedding,
                                             std::uint64_t seed)
{
    SPARSERL_CHECK(config.check());
    SPARSERL_CHECK(embedding.check());
    auto model = std::make_shared<T5Model>(config, embedding, ModelHead::Vocabulary);
    model->initialise(seed);
    return model;
}

Result<std::shared_ptr<LanguageModel>> readT5(const T5Config& config, const EmbeddingConfig& embedding,
                                              ModelHead head, const std::filesystem::path& weights)
{
    SPARSERL_TRY(const auto content, readSafeTensors(weights));
    SPARSERL_CHECK(checkEnoughWeights(config.leastWeights(), content, weights.string()));
    auto model = std::make_shared<T5Model>(config, embedding, head);
    SPARSERL_CHECK(model->importTensors(content, weights.string()));
    return model;
}

} // namespace sparserl
