// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/causal/lora_config.h"
#include "policy/causal/passed_on.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace sparserl {

/// How rotary frequencies are scaled for texts that are longer than those in the model's initial training.
enum class RopeScaling
{
    None,
    Linear, ///< All frequencies are divided by `factor` (Chen et al. 2023).
    Llama3, ///< Low frequencies are divided by `factor`, middle ones are interpolated (Llama 3.1).
    Yarn ///< Similar to Llama3, but by the number of rotations, and the rotated vectors are scaled (Peng et
         ///< al. 2023).
};

/// Settings of rotary positions (Su et al. 2021).
struct RopeConfig
{
    double theta = 10000;
    RopeScaling scaling = RopeScaling::None;
    double factor = 1;
    int originalPositions = 0; ///< `Llama3` and `Yarn`: length of texts in the initial training.
    double lowFrequency = 1, highFrequency = 4; ///< `Llama3`
    double betaFast = 32, betaSlow = 1;         ///< `Yarn`
    double attentionFactor = 1;                 ///< `Yarn`: factor on the rotated vectors.
    bool truncate = true;                       ///< `Yarn`: whether bounds are rounded to whole dimensions.
};

/// Scales a frequency for `Llama3`: divides it by the factor if its wavelength is long, keeps it if its
/// wavelength is short, and interpolates between the two. Uses the same steps in single precision as Hugging
/// Face.
float llama3Frequency(float plain, const RopeConfig& rope);

/// The shape of a decoder-only model with rotary positions, of Hugging Face's families `llama`, `qwen2`,
/// `qwen3` and `glm4`. Members that are also in config.json have the names of its keys.
struct CausalConfig
{
    std::string model_type = "llama";
    int vocab_size = 0;
    int hidden_size = 0;
    int intermediate_size = 0;
    int num_hidden_layers = 0;
    int num_attention_heads = 0;
    /// A divisor of the number of heads: several queries share a key (Ainslie et al. 2023).
    int num_key_value_heads = 0;
    int head_dim = 0; ///< heads * head_dim may differ from hidden_size.
    int max_position_embeddings = 2048;
    double rms_norm_eps = 1e-6;
    RopeConfig rope;
    bool biasOfQkv = false, biasOfOutput = false, biasOfMlp = false;
    bool normOfQueryAndKey = false; ///< Whether each head of queries and keys is normalised.
    /// Share of the numbers of each head that positions turn: the first ones.
    double partial_rotary_factor = 1;
    bool turnsNeighbours = false; ///< Positions turn the pairs (2i, 2i + 1), not (i, i + turned() / 2).
    bool normOfResults =
        false;                 ///< Whether results of attention and MLP are normalised before they are added.
    bool gateBesideUp = false; ///< The layers gate and up are one, gate_up_proj: the rows of gate come first.
    bool tie_word_embeddings = false;
    LoraConfig lora;
    PassedOn passedOn;

    Status check() const;
    /// Returns how many numbers of each head positions turn.
    int turned() const { return static_cast<int>(head_dim * partial_rotary_factor); }
    /// Returns the number of weights without the matrix embedding, to detect sizes that are too large for a
    /// file.
    double leastWeights() const;
};

/// Returns whether a model_type is one of the supported causal models.
bool isCausalType(const std::string& modelType);
/// Adds the keys of Hugging Face's config.json to `json`.
void writeCausalConfig(const CausalConfig& config, nlohmann::json& json);
/// Reads the shape from a config.json. Fails for settings that are not supported, such as mixtures of
/// experts, sliding windows, quantised weights, and other activations or positions.
Result<CausalConfig> causalConfigFromJson(const nlohmann::json& json);

} // namespace sparserl
