// SPDX-License-Identifier: Apache-2.0
// adapter_config.json of PEFT, as a whole or as a change (RFC 7386) of a usual one.
#include "base/json.h"
#include "fuzz.h"
#include "policy/causal/lora_config.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace {

using namespace sparserl;
using fuzz::checkError;
using nlohmann::json;

constexpr const char* layers[] = {"model.layers.0.self_attn.q_proj", "model.layers.13.mlp.up_proj", "lm_head",
                                  "q_proj", ""};

void checkAdapter(const json& value)
{
    const auto config = loraConfigFromJson(value);
    if (!config) {
        checkError(config.error());
        return;
    }
    FUZZ_CHECK(config->any() && config->check().has_value());
    const auto single = static_cast<float>(config->scale());
    FUZZ_CHECK(std::isfinite(single) && single > 0);
    const auto again = loraConfigFromJson(toJson(*config));
    FUZZ_CHECK(again.has_value() && toJson(*again) == toJson(*config));
    FUZZ_CHECK(again->scale() == config->scale());
    for (const std::string layer : layers) {
        const bool named = std::ranges::any_of(config->targets, [&](const std::string& target) {
            return layer == target || layer.ends_with("." + target);
        });
        FUZZ_CHECK(config->adapts(layer) == named && again->adapts(layer) == named);
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const json usual = {{"peft_type", "LORA"},
                               {"task_type", "CAUSAL_LM"},
                               {"r", 8},
                               {"lora_alpha", 16},
                               {"use_rslora", false},
                               {"bias", "none"},
                               {"fan_in_fan_out", false},
                               {"init_lora_weights", true},
                               {"modules_to_save", nullptr},
                               {"target_modules", {"q_proj", "v_proj"}}};
    const auto value = parseJson(fuzz::textOf(data, size));
    if (!value) {
        checkError(value.error());
        return 0;
    }
    checkAdapter(*value);
    json changed = usual;
    changed.merge_patch(*value);
    checkAdapter(changed);
    return 0;
}
