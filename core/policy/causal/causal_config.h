// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/causal/lora_config.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace sparserl {

/// Scaling of the rotary frequencies for texts longer than in the model's initial training.
enum class RopeScaling
{
    None,
    Linear, ///< all frequencies divided by `factor` (Chen et al. 2023)
    Llama3, ///< low frequencies divided, the middle interpolated (Llama 3.1)
    Yarn    ///< the same by number of rotations, with scaled vectors (Peng et al. 2023)
};

/// Rotary positions (Su et al. 2021).
struct RopeConfig
{
    double theta = 10000;
    RopeScaling scaling = RopeScaling::None;
    double factor = 1;
    int originalPositions = 0;                  ///< `Llama3` and `Yarn`: context length of the initial
                                                ///< training.
    double lowFrequency = 1, highFrequency = 4; ///< `Llama3`
    double betaFast = 32, betaSlow = 1;         ///< `Yarn`
    double attentionFactor = 1;                 ///< `Yarn`: factor on the rotated vectors.
    bool truncate = true;                       ///< `Yarn`: bounds are rounded to whole dimensions.
};

/// Scales a frequency for `Llama3`: divides it by the factor if its wavelength exceeds the initial context,
/// and keeps short wavelengths. Uses the same single-precision steps as Hugging Face.
float llama3Frequency(float plain, const RopeConfig& rope);

/// Shape of a decoder-only model with rotary positions, for Hugging Face's families `llama`, `qwen2` and
/// `qwen3`. Members that config.json also contains have the names used there.
struct CausalConfig
{
    std::string model_type = "llama";
    int vocab_size = 0;
    int hidden_size = 0;
    int intermediate_size = 0;
    int num_hidden_layers = 0;
    int num_attention_heads = 0;
    int num_key_value_heads = 0; ///< Divides the number of heads: queries share keys (Ainslie et al. 2023).
    int head_dim = 0;            ///< heads * head_dim may differ from hidden_size.
    int max_position_embeddings = 2048;
    double rms_norm_eps = 1e-6;
    RopeConfig rope;
    bool biasOfQkv = false, biasOfOutput = false, biasOfMlp = false;
    bool normOfQueryAndKey = false; ///< A norm over each head of queries and keys.
    bool tie_word_embeddings = false;
    LoraConfig lora;

    Status check() const;
    /// The number of weights without the matrix embedding. Detects sizes that a file cannot contain.
    double leastWeights() const;
};

/// Whether a model_type is a supported causal model.
bool isCausalType(const std::string& modelType);
/// Adds the keys of Hugging Face's config.json to `json`.
void writeCausalConfig(const CausalConfig& config, nlohmann::json& json);
/// Refuses unsupported settings: mixtures of experts, sliding windows, quantised weights, other activations
/// and positions.
Result<CausalConfig> causalConfigFromJson(const nlohmann::json& json);

} // namespace sparserl
