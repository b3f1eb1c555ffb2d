// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Settings of low-rank adapters (LoRA, Hu et al. 2021). With an adapter, a linear layer W computes W x +
/// scale * B (A x). Only A [rank, inputs] and B [outputs, rank] are trained.
struct LoraConfig
{
    int rank = 0; ///< 0: there are no adapters.
    double alpha = 16;
    /// Scale by alpha / sqrt(rank) instead of alpha / rank (rsLoRA, Kalajdzievski 2023).
    bool rankStabilised = false;
    /// The ends of the names of layers that have adapters: "q_proj" for all blocks, "layers.3.mlp.up_proj"
    /// for one.
    std::vector<std::string> targets;

    bool any() const { return rank > 0; }
    double scale() const;
    /// Returns whether a layer, such as "model.layers.3.mlp.up_proj", has an adapter.
    bool adapts(std::string_view layer) const;
    Status check() const;
};

/// Converts the settings to JSON with the keys of PEFT's adapter_config.json.
nlohmann::json toJson(const LoraConfig& config);
/// Reads the settings from an adapter_config.json. Fails for settings that are not supported, such as other
/// kinds of adapters, biases, and ranks that differ between layers. `targets` is empty if the file has a
/// pattern instead of a list of names.
Result<LoraConfig> loraConfigFromJson(const nlohmann::json& json);

} // namespace sparserl
