// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Low-rank adapters (LoRA, Hu et al. 2021): a linear layer W computes W x + scale * B (A x), of which only
/// A [rank, inputs] and B [outputs, rank] learn.
struct LoraConfig
{
    int rank = 0; ///< 0: there are none.
    double alpha = 16;
    /// The scale is alpha / sqrt(rank), not alpha / rank (rsLoRA, Kalajdzievski 2023).
    bool rankStabilised = false;
    /// Layers by the ends of their names: "q_proj" of all blocks, "layers.3.mlp.up_proj" of one.
    std::vector<std::string> targets;

    bool any() const { return rank > 0; }
    double scale() const;
    /// Whether a layer, such as "model.layers.3.mlp.up_proj", has an adapter.
    bool adapts(std::string_view layer) const;
    Status check() const;
};

/// By the keys of PEFT's adapter_config.json.
nlohmann::json toJson(const LoraConfig& config);
/// Refuses in a sentence what would be computed otherwise: other kinds of adapters, biases, ranks that differ
/// between layers. `targets` is empty where the file has no list of names but a pattern.
Result<LoraConfig> loraConfigFromJson(const nlohmann::json& json);

} // namespace sparserl
