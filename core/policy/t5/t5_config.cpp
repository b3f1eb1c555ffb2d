// SPDX-License-Identifier: Apache-2.0
#include "policy/t5/t5_config.h"

#include "policy/files/json_members.h"
#include "policy/files/model_limits.h"

#include <algorithm>
#include <fmt/format.h>

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
    SPARSERL_CHECK(checkLayers(std::max(num_layers, num_decoder_layers)));
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

double T5Config::leastWeights() const
{
    const double width = d_model, inner = static_cast<double>(d_kv) * num_heads;
    const double attention = 4 * width * inner, feed = (gated ? 3.0 : 2.0) * width * d_ff;
    const double positions = 2.0 * relative_attention_num_buckets * num_heads; // of encoder and decoder
    return vocab_size * width + num_layers * (attention + feed) +
           num_decoder_layers * (2 * attention + feed) + positions;
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
    json["decoder_start_token_id"] = T5Config::startToken;
    json["eos_token_id"] = 2;
}

Result<T5Config> t5ConfigFromJson(const nlohmann::json& json)
{
    T5Config c;
    JsonMembers members(json);
    std::string type = "t5", feed = "relu";
    int start = 0;
    members.optional("model_type", type);
    members.required("vocab_size", c.vocab_size);
    members.required("d_model", c.d_model);
    members.required("d_kv", c.d_kv);
    members.required("d_ff", c.d_ff);
    members.required("num_layers", c.num_layers);
    c.num_decoder_layers = c.num_layers;
    members.optional("num_decoder_layers", c.num_decoder_layers);
    members.required("num_heads", c.num_heads);
    members.optional("relative_attention_num_buckets", c.relative_attention_num_buckets);
    members.optional("relative_attention_max_distance", c.relative_attention_max_distance);
    members.optional("layer_norm_epsilon", c.layer_norm_epsilon);
    members.optional("initializer_factor", c.initializer_factor);
    members.optional("feed_forward_proj", feed);
    members.optional("tie_word_embeddings", c.tie_word_embeddings);
    members.optional("decoder_start_token_id", start);
    if (!members.status())
        return fail("the T5 configuration cannot be used: " + members.status().error().what,
                    "Compare with a config.json of Hugging Face's T5");
    if (type != "t5")
        return fail("model_type is \"" + type + "\"", "Only T5 models are known");
    if (feed != "relu" && feed != "gated-gelu")
        return fail("feed_forward_proj \"" + feed + "\" is not known", "Use relu or gated-gelu");
    c.gated = feed == "gated-gelu";
    if (start != T5Config::startToken)
        return fail("decoder_start_token_id is not 0", "The decoder starts with <pad>, token 0, as in T5");
    SPARSERL_CHECK(c.check());
    return c;
}

} // namespace sparserl
