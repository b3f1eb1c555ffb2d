// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/causal/lora_config.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace sparserl {

/// How the frequencies of rotary positions are changed for texts longer than a model was first trained on.
enum class RopeScaling
{
    None,
    Linear, ///< all divided by `factor` (Chen et al. 2023)
    Llama3, ///< low ones divided, those between interpolated (Llama 3.1)
    Yarn    ///< the same by rotations, and longer vectors (Peng et al. 2023)
};

/// Rotary positions (Su et al. 2021).
struct RopeConfig
{
    double theta = 10000;
    RopeScaling scaling = RopeScaling::None;
    double factor = 1;
    int originalPositions = 0;                  ///< `Llama3` and `Yarn`: positions of the first training.
    double lowFrequency = 1, highFrequency = 4; ///< `Llama3`
    double betaFast = 32, betaSlow = 1;         ///< `Yarn`
    double attentionFactor = 1;                 ///< `Yarn`: factor of the rotated vectors.
    bool truncate = true;                       ///< `Yarn`: whether bounds are whole dimensions.
};

/// What `Llama3` makes of a frequency: waves longer than the first training's texts are divided by the
/// factor, short ones stay. In the same steps of single precision as Hugging Face's.
float llama3Frequency(float plain, const RopeConfig& rope);

/// Shape of a decoder-only model with rotary positions: one description for the families `llama`, `qwen2` and
/// `qwen3` of Hugging Face. Names as in config.json where it has them.
struct CausalConfig
{
    std::string model_type = "llama";
    int vocab_size = 0;
    int hidden_size = 0;
    int intermediate_size = 0;
    int num_hidden_layers = 0;
    int num_attention_heads = 0;
    int num_key_value_heads = 0; ///< Divides the number of heads: queries share keys (Ainslie et al. 2023).
    int head_dim = 0;            ///< heads * head_dim need not be hidden_size.
    int max_position_embeddings = 2048;
    double rms_norm_eps = 1e-6;
    RopeConfig rope;
    bool biasOfQkv = false, biasOfOutput = false, biasOfMlp = false;
    bool normOfQueryAndKey = false; ///< A norm over each head of queries and keys.
    bool tie_word_embeddings = false;
    LoraConfig lora;

    Status check() const;
    /// How many weights such a model has without its matrix embedding, for telling sizes that a file cannot
    /// hold.
    double leastWeights() const;
};

/// Whether a model_type is one of a causal model that is known.
bool isCausalType(const std::string& modelType);
/// Adds the keys of Hugging Face's config.json to `json`.
void writeCausalConfig(const CausalConfig& config, nlohmann::json& json);
/// Refuses in a sentence what would be computed otherwise: mixtures of experts, sliding windows, quantised
/// weights, other activations and positions.
Result<CausalConfig> causalConfigFromJson(const nlohmann::json& json);

} // namespace sparserl
