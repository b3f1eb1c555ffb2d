// SPDX-License-Identifier: Apache-2.0
// config.json of causal models. An input is also taken as a change (RFC 7386) of a small model of each
// family, because few inputs have all sizes.
#include "base/json.h"
#include "fuzz.h"
#include "policy/causal/causal_config.h"
#include "policy/causal/causal_gguf.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace {

using namespace sparserl;
using fuzz::checkError;
using nlohmann::json;

json written(const CausalConfig& config)
{
    json value = json::object();
    writeCausalConfig(config, value);
    return value;
}

json smallModel(const char* family)
{
    CausalConfig config{.model_type = family,
                        .vocab_size = 260,
                        .hidden_size = 16,
                        .intermediate_size = 32,
                        .num_hidden_layers = 2,
                        .num_attention_heads = 4,
                        .num_key_value_heads = 2,
                        .head_dim = 8};
    config.rope = {.theta = 500000, .scaling = RopeScaling::Llama3, .factor = 8, .originalPositions = 512};
    config.lora = {.rank = 2, .targets = {"q_proj"}};
    config.partial_rotary_factor = config.model_type == "glm4" ? 0.5 : 1;
    config.passedOn = {"{{ messages }}", "{\"temperature\":1}"};
    return written(config);
}

void checkConfig(const json& value)
{
    const auto config = causalConfigFromJson(value);
    if (!config) {
        checkError(config.error());
        return;
    }
    FUZZ_CHECK(config->check().has_value());
    FUZZ_CHECK(isCausalType(config->model_type));
    FUZZ_CHECK(std::isfinite(config->leastWeights()) && config->leastWeights() > 0);
    FUZZ_CHECK(config->num_attention_heads % config->num_key_value_heads == 0);
    FUZZ_CHECK(config->turned() >= 2 && config->turned() <= config->head_dim);
    FUZZ_CHECK(!config->lora.any() || config->lora.check().has_value());
    // What is written is read as the same. Linear scaling by 1 and the like stay what they are.
    const json once = written(*config);
    const auto again = causalConfigFromJson(once);
    FUZZ_CHECK(again.has_value());
    FUZZ_CHECK(written(*again) == once);
    if (config->rope.scaling == RopeScaling::Llama3) {
        const float plain = llama3Frequency(1.0F, config->rope);
        FUZZ_CHECK(plain >= 0);
    }
    if (config->head_dim <= 4096)
        for (const float factor : ropeFactorsOf(*config))
            FUZZ_CHECK(!std::isnan(factor));
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const json families[] = {smallModel("llama"), smallModel("qwen2"), smallModel("qwen3"),
                                    smallModel("glm4")};
    const auto value = parseJson(fuzz::textOf(data, size));
    if (!value) {
        checkError(value.error());
        return 0;
    }
    checkConfig(*value);
    for (json changed : families) {
        changed.merge_patch(*value);
        checkConfig(changed);
    }
    return 0;
}
