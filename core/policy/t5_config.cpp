// SPDX-License-Identifier: Apache-2.0
#include "policy/t5_config.h"

#include "base/json_exact.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sparserl {

Status T5Config::check() const
{
    const auto positive = [](std::initializer_list<std::pair<const char*, int>> values) -> Status {
        for (const auto& [name, value] : values) {
            if (value < 1 || value > (1 << 24))
                return fail(fmt::format("{} is {}", name, value), "Give a positive size");
        }
        return {};
    };
    if (auto ok = positive({{"vocab_size", vocab_size},
                            {"d_model", d_model},
                            {"d_kv", d_kv},
                            {"d_ff", d_ff},
                            {"num_layers", num_layers},
                            {"num_decoder_layers", num_decoder_layers},
                            {"num_heads", num_heads}});
        !ok)
        return ok;
    if (relative_attention_num_buckets < 4 || relative_attention_num_buckets % 4 != 0)
        return fail(fmt::format("relative_attention_num_buckets is {}", relative_attention_num_buckets),
                    "Give a multiple of 4");
    if (relative_attention_max_distance <= relative_attention_num_buckets / 2)
        return fail(fmt::format("relative_attention_max_distance is {}", relative_attention_max_distance),
                    "Give more than half the number of buckets");
    if (!(layer_norm_epsilon > 0) || !(initializer_factor > 0))
        return fail("layer_norm_epsilon and initializer_factor must be above 0");
    return {};
}

void writeT5Config(const T5Config& c, nlohmann::json& json)
{
    json["architectures"] = {"T5ForConditionalGeneration"};
    json["model_type"] = "t5";
    json["is_encoder_decoder"] = true;
    json["vocab_size"] = c.vocab_size;
    json["d_model"] = c.d_model;
    json["d_kv"] = c.d_kv;
    json["d_ff"] = c.d_ff;
    json["num_layers"] = c.num_layers;
    json["num_decoder_layers"] = c.num_decoder_layers;
    json["num_heads"] = c.num_heads;
    json["relative_attention_num_buckets"] = c.relative_attention_num_buckets;
    json["relative_attention_max_distance"] = c.relative_attention_max_distance;
    json["layer_norm_epsilon"] = c.layer_norm_epsilon;
    json["initializer_factor"] = c.initializer_factor;
    json["feed_forward_proj"] = c.gated ? "gated-gelu" : "relu";
    json["tie_word_embeddings"] = c.tie_word_embeddings;
    json["dropout_rate"] = 0.0;
    json["pad_token_id"] = 0;
    json["decoder_start_token_id"] = 0;
    json["eos_token_id"] = 2;
}

Result<T5Config> t5ConfigFromJson(const nlohmann::json& json)
try {
    if (json.value("model_type", "t5") != "t5")
        return fail("model_type is \"" + json.value("model_type", "") + "\"", "Only T5 models are known");
    T5Config c;
    c.vocab_size = jsonExact<int>(json.at("vocab_size"));
    c.d_model = jsonExact<int>(json.at("d_model"));
    c.d_kv = jsonExact<int>(json.at("d_kv"));
    c.d_ff = jsonExact<int>(json.at("d_ff"));
    c.num_layers = jsonExact<int>(json.at("num_layers"));
    c.num_decoder_layers = jsonExact<int>(json.value("num_decoder_layers", nlohmann::json(c.num_layers)));
    c.num_heads = jsonExact<int>(json.at("num_heads"));
    c.relative_attention_num_buckets =
        jsonExact<int>(json.value("relative_attention_num_buckets", nlohmann::json(32)));
    c.relative_attention_max_distance =
        jsonExact<int>(json.value("relative_attention_max_distance", nlohmann::json(128)));
    c.layer_norm_epsilon = json.value("layer_norm_epsilon", 1e-6);
    c.initializer_factor = json.value("initializer_factor", 1.0);
    const std::string feed = json.value("feed_forward_proj", "relu");
    if (feed != "relu" && feed != "gated-gelu")
        return fail("feed_forward_proj \"" + feed + "\" is not known", "Use relu or gated-gelu");
    c.gated = feed == "gated-gelu";
    c.tie_word_embeddings = json.value("tie_word_embeddings", true);
    if (jsonExact<int>(json.value("decoder_start_token_id", nlohmann::json(0))) != 0)
        return fail("decoder_start_token_id is not 0", "The decoder starts with <pad>, token 0, as in T5");
    SPARSERL_CHECK(c.check());
    return c;
} catch (const nlohmann::json::exception& error) {
    return fail(std::string("the T5 configuration lacks a value or has one of the wrong type: ") +
                    error.what(),
                "Compare with a config.json of Hugging Face's T5");
}

} // namespace sparserl
