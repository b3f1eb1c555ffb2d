// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Low-rank adapters (LoRA, Hu et al. 2021). A linear layer W computes W x + scale * B (A x), where only A
/// [rank, inputs] and B [outputs, rank] are trained.
struct LoraConfig
{
    int rank = 0; ///< 0: no adapters.
    double alpha = 16;
    /// Scale by alpha / sqrt(rank) instead of alpha / rank (rsLoRA, Kalajdzievski 2023).
    bool rankStabilised = false;
    /// Layers by name suffix: "q_proj" for all blocks, "layers.3.mlp.up_proj" for one.
    std::vector<std::string> targets;

    bool any() const { return rank > 0; }
    double scale() const;
    /// Whether a layer, such as "model.layers.3.mlp.up_proj", has an adapter.
    bool adapts(std::string_view layer) const;
    Status check() const;
};

/// Uses the keys of PEFT's adapter_config.json.
nlohmann::json toJson(const LoraConfig& config);
/// Refuses unsupported settings: other kinds of adapters, biases, ranks that differ between layers. `targets`
/// is empty if the file has a pattern instead of a list of names.
Result<LoraConfig> loraConfigFromJson(const nlohmann::json& json);

} // namespace sparserl
