// SPDX-License-Identifier: Apache-2.0
#include "policy/families/families.h"

#include "base/json.h"
#include "policy/causal/new_causal.h"
#include "policy/t5/new_t5.h"

#include <nlohmann/json.hpp>

namespace sparserl {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// "t5" where it is not said: earlier files of ours do not.
std::string typeOf(const json& value)
{
    return value.is_object() ? jsonValue<std::string>(value, "model_type", "t5") : std::string("t5");
}

} // namespace

Result<ModelShape> modelShapeFromJson(const json& value)
{
    if (typeOf(value) == "t5") {
        SPARSERL_TRY(auto t5, t5ConfigFromJson(value));
        return t5;
    }
    SPARSERL_TRY(auto causal, causalConfigFromJson(value));
    return causal;
}

int vocabSizeOf(const ModelShape& shape)
{
    return std::visit([](const auto& config) { return config.vocab_size; }, shape);
}

Result<std::shared_ptr<LanguageModel>> readModel(const ModelShape& shape, const EmbeddingConfig& embedding,
                                                 ModelHead head, const fs::path& weights)
{
    if (const auto* t5 = std::get_if<T5Config>(&shape))
        return readT5(*t5, embedding, head, weights);
    return readCausal(std::get<CausalConfig>(shape), embedding, head, weights);
}

Result<ForeignShape> foreignShape(const fs::path& configFile)
{
    SPARSERL_TRY(const json value, readJson(configFile));
    if (typeOf(value) == "t5") {
        SPARSERL_TRY(const auto t5, readT5Shape(configFile));
        return t5;
    }
    const auto causal = causalConfigFromJson(value);
    if (!causal)
        return failAt(configFile.string(), 0, causal.error().what, causal.error().remedy);
    if (value.contains("sparserl"))
        return failAt(configFile.string(), 0, "this is a policy already", "Give it as the parent of a run");
    return *causal;
}

Result<ImportedModel> importModel(const fs::path& from, const ForeignShape& shape, int tokens,
                                  const EmbeddingConfig& embedding, std::uint64_t seed,
                                  const CancelToken& cancel)
{
    if (const auto* t5 = std::get_if<T5Shape>(&shape))
        return importT5(from, *t5, tokens, embedding, seed, cancel);
    return importCausal(from, std::get<CausalConfig>(shape), tokens, embedding, seed, cancel);
}

} // namespace sparserl
