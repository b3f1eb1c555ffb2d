// SPDX-License-Identifier: Apache-2.0
#include "policy/causal/lora_config.h"

#include "policy/files/json_members.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparserl {

namespace {

using nlohmann::json;

const std::string otherAdapter = "Use a LoRA adapter of plain linear layers";

bool isUnset(const json& value)
{
    return value.is_null() || value == false || value.empty();
}

/// What of an adapter_config.json asks for a computation that is not known here.
Status checkKnown(const json& value)
{
    const auto member = [&](const char* key) { return value.contains(key) ? value[key] : json(); };
    if (const json kind = member("peft_type"); !kind.is_null() && kind != "LORA")
        return fail(fmt::format("the adapter is of the kind {}, and LORA is known", kind.dump()),
                    otherAdapter);
    if (const json bias = member("bias"); !bias.is_null() && bias != "none")
        return fail("the adapter changes biases (\"bias\"), which is not known", otherAdapter);
    for (const char* key :
         {"use_dora", "lora_bias", "fan_in_fan_out", "rank_pattern", "alpha_pattern", "modules_to_save",
          "layer_replication", "trainable_token_indices", "target_parameters", "alora_invocation_tokens",
          "arrow_config", "use_qalora", "kasa_config", "lora_ga_config", "monteclora_config", "use_bdlora"}) {
        if (!isUnset(member(key)))
            return fail(fmt::format("the adapter sets \"{}\", which is not known", key), otherAdapter);
    }
    // These change the weights that the adapter is put on.
    if (const json drawn = member("init_lora_weights"); drawn.is_string()) {
        const auto& name = drawn.get_ref<const std::string&>();
        for (const char* kind : {"pissa", "olora", "corda", "loftq", "lora_ga"}) {
            if (name.starts_with(kind))
                return fail(
                    fmt::format("the adapter was begun by \"{}\", which changes the model's weights", name),
                    "Convert it to a plain LoRA adapter with PEFT, or merge it there");
        }
    }
    return {};
}

} // namespace

double LoraConfig::scale() const
{
    return alpha / (rankStabilised ? std::sqrt(static_cast<double>(rank)) : static_cast<double>(rank));
}

bool LoraConfig::adapts(std::string_view layer) const
{
    return any() && std::ranges::any_of(targets, [&](const std::string& target) {
               return layer == target ||
                      (layer.ends_with(target) && layer[layer.size() - target.size() - 1] == '.');
           });
}

Status LoraConfig::check() const
{
    constexpr int most = 4096;
    if (rank < 1 || rank > most)
        return fail(fmt::format("the rank of the adapters is {}", rank),
                    fmt::format("Give a rank from 1 to {}", most));
    if (!(alpha > 0) || !std::isfinite(alpha))
        return fail("alpha of the adapters is not above 0", "Give a positive number");
    // It multiplies in single precision.
    if (const auto single = static_cast<float>(scale()); !std::isfinite(single) || single == 0)
        return fail(fmt::format("alpha of the adapters, {:g}, is out of single precision's range", alpha),
                    "Give an alpha such as twice the rank");
    for (const std::string& target : targets) {
        if (target.empty())
            return fail("a layer to adapt has no name", "Name layers such as q_proj");
    }
    return {};
}

json toJson(const LoraConfig& config)
{
    return {{"r", config.rank},
            {"lora_alpha", config.alpha},
            {"use_rslora", config.rankStabilised},
            {"target_modules", config.targets}};
}

Result<LoraConfig> loraConfigFromJson(const json& value)
{
    LoraConfig config;
    JsonMembers members(value);
    members.required("r", config.rank);
    members.required("lora_alpha", config.alpha);
    members.optional("use_rslora", config.rankStabilised);
    if (!members.status())
        return fail("the description of the adapters cannot be used: " + members.status().error().what,
                    "Compare with an adapter_config.json that PEFT has written");
    SPARSERL_CHECK(checkKnown(value));
    const json targets = value.contains("target_modules") ? value["target_modules"] : json();
    if (targets.is_array()) {
        for (const json& target : targets) {
            if (!target.is_string())
                return fail("\"target_modules\" is not a list of names", "Name layers such as q_proj");
            config.targets.push_back(target.get<std::string>());
        }
    }
    SPARSERL_CHECK(config.check());
    return config;
}

} // namespace sparserl
