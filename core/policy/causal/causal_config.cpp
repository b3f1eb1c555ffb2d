// SPDX-License-Identifier: Apache-2.0
#include "policy/causal/causal_config.h"

#include "policy/files/json_members.h"
#include "policy/files/model_limits.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <numbers>

namespace sparserl {

namespace {

using nlohmann::json;

const std::string otherModel = "Use a T5, or a dense model of the families llama, qwen2, qwen3 or glm4";

/// The member, or null where it is missing.
json memberOf(const json& object, const char* key)
{
    return object.is_object() && object.contains(key) ? object[key] : json();
}

constexpr const char* glm4 = "glm4";

/// The share of each head that has positions, or null. transformers 5 writes it beside the scaling.
json turnedPart(const json& value)
{
    const char* const key = "partial_rotary_factor";
    const json part = memberOf(memberOf(value, "rope_parameters"), key);
    return part.is_null() ? memberOf(value, key) : part;
}

/// What of a configuration asks for a computation that is not known here.
Status checkKnown(const json& value, const std::string& family)
{
    for (const char* key :
         {"num_experts", "num_local_experts", "n_routed_experts", "moe_intermediate_size"}) {
        if (!memberOf(value, key).is_null())
            return fail(fmt::format("this is a mixture of experts (\"{}\"), which is not known", key),
                        otherModel);
    }
    if (memberOf(value, "use_sliding_window") == true)
        return fail("layers look at a sliding window (\"use_sliding_window\"), which is not known",
                    otherModel);
    if (const json types = memberOf(value, "layer_types"); types.is_array()) {
        for (const json& type : types) {
            if (type != "full_attention")
                return fail(fmt::format("a layer's attention is {}, which is not known", type.dump()),
                            otherModel);
        }
    }
    if (!memberOf(value, "quantization_config").is_null())
        return fail("the weights are quantised (\"quantization_config\")",
                    "Take the model in fp32, fp16 or bf16");
    const json activation = memberOf(value, "hidden_act");
    if (!activation.is_null() && activation != "silu")
        return fail(fmt::format("hidden_act is {}, and only \"silu\" is known", activation.dump()),
                    otherModel);
    const json part = turnedPart(value);
    if (family != glm4 && !part.is_null() && part != 1 && part != 1.0)
        return fail("only a part of each head has positions (\"partial_rotary_factor\"), which is not known",
                    otherModel);
    return {};
}

double yarnAttention(double factor, double scale)
{
    return factor <= 1 ? 1.0 : 0.1 * scale * std::log(factor) + 1.0;
}

Result<RopeConfig> ropeFromJson(const json& value, int positions)
{
    RopeConfig rope;
    JsonMembers all(value);
    // transformers 5 writes both into one object.
    json scaling = memberOf(value, "rope_parameters");
    if (scaling.is_object()) {
        JsonMembers own(scaling);
        own.optional("rope_theta", rope.theta);
        SPARSERL_CHECK(own.status());
    } else {
        all.optional("rope_theta", rope.theta);
        SPARSERL_CHECK(all.status());
        scaling = memberOf(value, "rope_scaling");
    }
    if (!scaling.is_object())
        return rope;
    const json named = scaling.contains("rope_type") ? scaling["rope_type"] : memberOf(scaling, "type");
    const std::string kind = named.is_string() ? named.get<std::string>() : std::string("default");
    JsonMembers members(scaling);
    if (kind == "default")
        return rope;
    members.required("factor", rope.factor);
    rope.originalPositions = positions;
    if (kind == "linear") {
        rope.scaling = RopeScaling::Linear;
    } else if (kind == "llama3") {
        rope.scaling = RopeScaling::Llama3;
        members.required("low_freq_factor", rope.lowFrequency);
        members.required("high_freq_factor", rope.highFrequency);
        members.required("original_max_position_embeddings", rope.originalPositions);
    } else if (kind == "yarn") {
        rope.scaling = RopeScaling::Yarn;
        double scale = 0, allScale = 0;
        members.optional("original_max_position_embeddings", rope.originalPositions);
        members.optional("beta_fast", rope.betaFast);
        members.optional("beta_slow", rope.betaSlow);
        members.optional("truncate", rope.truncate);
        members.optional("mscale", scale);
        members.optional("mscale_all_dim", allScale);
        rope.attentionFactor = scale > 0 && allScale > 0
                                   ? yarnAttention(rope.factor, scale) / yarnAttention(rope.factor, allScale)
                                   : yarnAttention(rope.factor, 1);
        if (!memberOf(scaling, "attention_factor").is_null())
            members.required("attention_factor", rope.attentionFactor);
    } else {
        return fail(fmt::format("positions are scaled by \"{}\", which is not known", kind),
                    "Use a model whose rope_scaling is linear, llama3 or yarn, or none");
    }
    SPARSERL_CHECK(members.status());
    return rope;
}

} // namespace

float llama3Frequency(float plain, const RopeConfig& rope)
{
    const auto single = [](double value) { return static_cast<float>(value); };
    const double positions = rope.originalPositions;
    const float longWave = single(positions / rope.lowFrequency);
    const float shortWave = single(positions / rope.highFrequency);
    const float wave = 1.0F / plain * single(2 * std::numbers::pi), factor = single(rope.factor);
    if (wave < shortWave)
        return plain;
    if (wave > longWave)
        return plain / factor;
    const float smooth = (1.0F / wave * single(positions) - single(rope.lowFrequency)) /
                         single(rope.highFrequency - rope.lowFrequency);
    return (1.0F - smooth) * plain / factor + smooth * plain;
}

bool isCausalType(const std::string& modelType)
{
    return modelType == "llama" || modelType == "qwen2" || modelType == "qwen3" || modelType == glm4;
}

Status CausalConfig::check() const
{
    for (const auto& [name, value] : std::initializer_list<std::pair<const char*, int>>{
             {"vocab_size", vocab_size},
             {"hidden_size", hidden_size},
             {"intermediate_size", intermediate_size},
             {"num_hidden_layers", num_hidden_layers},
             {"num_attention_heads", num_attention_heads},
             {"num_key_value_heads", num_key_value_heads},
             {"head_dim", head_dim},
             {"max_position_embeddings", max_position_embeddings}}) {
        if (value < 1 || value > (1 << 24))
            return fail(fmt::format("{} is {}", name, value), "Give a positive size");
    }
    SPARSERL_CHECK(checkLayers(num_hidden_layers));
    if (num_attention_heads % num_key_value_heads != 0)
        return fail(fmt::format("num_attention_heads is {}, no multiple of num_key_value_heads, {}",
                                num_attention_heads, num_key_value_heads));
    if (head_dim % 2 != 0)
        return fail(fmt::format("head_dim is {}", head_dim), "Give an even number: positions turn pairs");
    if (!(partial_rotary_factor > 0) || partial_rotary_factor > 1 || turned() < 2 || turned() % 2 != 0)
        return fail(fmt::format("partial_rotary_factor is {:g} for heads of {} numbers",
                                partial_rotary_factor, head_dim),
                    "Give a share up to 1 of an even number: positions turn pairs");
    if (!(rms_norm_eps > 0))
        return fail("rms_norm_eps must be above 0");
    const bool bounds = rope.scaling != RopeScaling::Llama3 || rope.highFrequency > rope.lowFrequency;
    if (!(rope.theta > 1) || !(rope.factor >= 1) || !(rope.attentionFactor > 0) || !(rope.lowFrequency > 0) ||
        !(rope.betaFast > 0) || !(rope.betaSlow > 0) || rope.originalPositions < 0 || !bounds)
        return fail("the scaling of positions cannot be used",
                    "Give rope_theta above 1, a factor of at least 1 and bounds in order");
    return {};
}

double CausalConfig::leastWeights() const
{
    const double width = hidden_size, inner = static_cast<double>(num_attention_heads) * head_dim;
    const double shared = static_cast<double>(num_key_value_heads) * head_dim;
    return vocab_size * width * (tie_word_embeddings ? 1 : 2) +
           num_hidden_layers * (2 * width * (inner + shared) + 3 * width * intermediate_size);
}

void writeCausalConfig(const CausalConfig& c, json& value)
{
    for (const auto& [family, name] :
         std::initializer_list<std::pair<const char*, const char*>>{{"llama", "LlamaForCausalLM"},
                                                                    {"qwen2", "Qwen2ForCausalLM"},
                                                                    {"qwen3", "Qwen3ForCausalLM"},
                                                                    {glm4, "Glm4ForCausalLM"}}) {
        if (c.model_type == family)
            value["architectures"] = {name};
    }
    value["model_type"] = c.model_type;
    value["vocab_size"] = c.vocab_size;
    value["hidden_size"] = c.hidden_size;
    value["intermediate_size"] = c.intermediate_size;
    value["num_hidden_layers"] = c.num_hidden_layers;
    value["num_attention_heads"] = c.num_attention_heads;
    value["num_key_value_heads"] = c.num_key_value_heads;
    value["head_dim"] = c.head_dim;
    value["max_position_embeddings"] = c.max_position_embeddings;
    value["rms_norm_eps"] = c.rms_norm_eps;
    value["tie_word_embeddings"] = c.tie_word_embeddings;
    value["hidden_act"] = "silu";
    if (c.model_type == "qwen2") {
        value["use_sliding_window"] = false;
    } else {
        value["attention_bias"] = c.biasOfQkv;
        if (c.model_type == "llama")
            value["mlp_bias"] = c.biasOfMlp;
    }
    if (c.model_type == glm4)
        value["partial_rotary_factor"] = c.partial_rotary_factor;
    value["rope_theta"] = c.rope.theta;
    json scaling;
    switch (c.rope.scaling) {
    case RopeScaling::None:
        break;
    case RopeScaling::Linear:
        scaling = {{"rope_type", "linear"}, {"factor", c.rope.factor}};
        break;
    case RopeScaling::Llama3:
        scaling = {{"rope_type", "llama3"},
                   {"factor", c.rope.factor},
                   {"low_freq_factor", c.rope.lowFrequency},
                   {"high_freq_factor", c.rope.highFrequency},
                   {"original_max_position_embeddings", c.rope.originalPositions}};
        break;
    case RopeScaling::Yarn:
        scaling = {{"rope_type", "yarn"},
                   {"factor", c.rope.factor},
                   {"beta_fast", c.rope.betaFast},
                   {"beta_slow", c.rope.betaSlow},
                   {"attention_factor", c.rope.attentionFactor},
                   {"truncate", c.rope.truncate},
                   {"original_max_position_embeddings", c.rope.originalPositions}};
        break;
    }
    value["rope_scaling"] = scaling;
    if (c.lora.any())
        value["sparserl"]["lora"] = toJson(c.lora);
    writePassedOn(c.passedOn, value["sparserl"]);
    if (value["sparserl"].empty())
        value.erase("sparserl");
}

Result<CausalConfig> causalConfigFromJson(const json& value)
{
    CausalConfig c;
    JsonMembers members(value);
    members.required("model_type", c.model_type);
    if (members.status() && !isCausalType(c.model_type))
        return fail("model_type is \"" + c.model_type + "\", which is not known", otherModel);
    SPARSERL_CHECK(checkKnown(value, c.model_type));
    const bool isGlm4 = c.model_type == glm4;
    c.turnsNeighbours = c.normOfResults = c.gateBesideUp = isGlm4;
    const auto optional = [&](const char* key, auto& into) { // null is as good as missing
        if (!memberOf(value, key).is_null())
            members.required(key, into);
    };
    members.required("vocab_size", c.vocab_size);
    members.required("hidden_size", c.hidden_size);
    members.required("intermediate_size", c.intermediate_size);
    members.required("num_hidden_layers", c.num_hidden_layers);
    members.required("num_attention_heads", c.num_attention_heads);
    c.num_key_value_heads = c.num_attention_heads;
    optional("num_key_value_heads", c.num_key_value_heads);
    c.head_dim = c.model_type == "qwen3" || isGlm4 ? 128
                 : c.num_attention_heads > 0       ? c.hidden_size / c.num_attention_heads
                                                   : 0;
    optional("head_dim", c.head_dim);
    optional("max_position_embeddings", c.max_position_embeddings);
    optional("rms_norm_eps", c.rms_norm_eps);
    optional("tie_word_embeddings", c.tie_word_embeddings);
    if (c.model_type == "qwen2") {
        c.biasOfQkv = true;
    } else {
        c.biasOfQkv = isGlm4;
        optional("attention_bias", c.biasOfQkv);
        c.biasOfOutput = c.biasOfQkv && !isGlm4;
    }
    if (c.model_type == "llama")
        optional("mlp_bias", c.biasOfMlp);
    c.normOfQueryAndKey = c.model_type == "qwen3";
    if (isGlm4) {
        c.partial_rotary_factor = 0.5;
        if (const json part = turnedPart(value); part.is_number())
            c.partial_rotary_factor = part.get<double>();
        else if (!part.is_null())
            return fail("\"partial_rotary_factor\" is not a number", "Give a share such as 0.5");
    }
    if (!members.status())
        return fail("the configuration of the model cannot be used: " + members.status().error().what,
                    "Compare with a config.json of Hugging Face's " + c.model_type);
    SPARSERL_TRY(c.rope, ropeFromJson(value, c.max_position_embeddings));
    if (const json lora = memberOf(memberOf(value, "sparserl"), "lora"); !lora.is_null()) {
        SPARSERL_TRY(c.lora, loraConfigFromJson(lora));
    }
    SPARSERL_TRY(c.passedOn, passedOnFromJson(memberOf(value, "sparserl")));
    SPARSERL_CHECK(c.check());
    return c;
}

} // namespace sparserl
