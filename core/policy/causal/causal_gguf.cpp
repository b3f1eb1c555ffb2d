// SPDX-License-Identifier: Apache-2.0
#include "policy/causal/causal_gguf.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

namespace sparserl {

namespace {

using nlohmann::json;

const std::string remedy = "Use a dense model of the families llama, qwen2, qwen3 or glm4";

/// What a tensor, or the layer's part that it belongs to, is called by either.
struct Names
{
    std::string_view gguf, huggingFace;
};
constexpr std::string_view gateBesideUp = "mlp.gate_up_proj";
constexpr Names layers{"blk.", "model.layers."};
constexpr Names tensors[] = {
    {"token_embd", "model.embed_tokens"}, {"output_norm", "model.norm"}, {"output", "lm_head"}};
constexpr Names tensorsOfLayers[] = {{"attn_norm", "input_layernorm"},
                                     {"attn_q", "self_attn.q_proj"},
                                     {"attn_k", "self_attn.k_proj"},
                                     {"attn_v", "self_attn.v_proj"},
                                     {"attn_output", "self_attn.o_proj"},
                                     {"attn_q_norm", "self_attn.q_norm"},
                                     {"attn_k_norm", "self_attn.k_norm"},
                                     {"ffn_norm", "post_attention_layernorm"},
                                     {"ffn_gate", "mlp.gate_proj"},
                                     {"ffn_up", "mlp.up_proj"},
                                     {"ffn_down", "mlp.down_proj"},
                                     {"ffn_up", gateBesideUp},
                                     {"post_attention_norm", "post_self_attn_layernorm"},
                                     {"post_ffw_norm", "post_mlp_layernorm"}};

/// A name without what it begins with, the number of a layer and a dot; the number with it, or empty.
std::pair<std::string_view, std::string_view> layerOf(std::string_view name, std::string_view begin)
{
    if (!name.starts_with(begin))
        return {};
    name.remove_prefix(begin.size());
    const std::size_t dot = name.find('.');
    const std::string_view number = name.substr(0, dot);
    constexpr std::size_t mostDigits = 6;
    if (dot == std::string_view::npos || number.empty() || number.size() > mostDigits ||
        number.find_first_not_of("0123456789") != std::string_view::npos)
        return {};
    return {number, name.substr(dot + 1)};
}

/// The other name of a tensor; nothing where that is not known.
std::optional<std::string> renamed(std::string_view name, std::string_view Names::*from,
                                   std::string_view Names::*to)
{
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos)
        return std::nullopt;
    const std::string_view stem = name.substr(0, dot), kind = name.substr(dot);
    for (const Names& known : tensors) {
        if (stem == known.*from)
            return fmt::format("{}{}", known.*to, kind);
    }
    const auto [layer, rest] = layerOf(stem, layers.*from);
    for (const Names& known : tensorsOfLayers) {
        if (rest == known.*from)
            return fmt::format("{}{}.{}{}", layers.*to, layer, known.*to, kind);
    }
    return std::nullopt;
}

/// Reads the values of a model, all under the name of its architecture.
class ShapeReader
{
public:
    ShapeReader(const GgufHeader& header, const std::vector<float>& factors)
        : m_header(header)
        , m_factors(factors)
    {
    }

    /// As Hugging Face's config.json has it.
    Result<json> read()
    {
        SPARSERL_TRY(const auto type, m_header.text("general.architecture"));
        if (!type)
            return fail(GgufHeader::missing("general.architecture"));
        m_type = *type;
        if (!isCausalType(m_type))
            return fail("the architecture is \"" + m_type + "\", which is not known", remedy);
        SPARSERL_CHECK(checkKnown());
        m_json["model_type"] = m_type;
        for (const auto& [key, into] : {std::pair("embedding_length", "hidden_size"),
                                        std::pair("feed_forward_length", "intermediate_size"),
                                        std::pair("block_count", "num_hidden_layers"),
                                        std::pair("attention.head_count", "num_attention_heads"),
                                        std::pair("context_length", "max_position_embeddings")})
            SPARSERL_CHECK(take(key, into, true));
        SPARSERL_CHECK(take("attention.head_count_kv", "num_key_value_heads", false));
        SPARSERL_CHECK(headSize());
        SPARSERL_TRY(const auto epsilon, m_header.number(key("attention.layer_norm_rms_epsilon")));
        if (!epsilon)
            return fail(GgufHeader::missing(key("attention.layer_norm_rms_epsilon")));
        m_json["rms_norm_eps"] = *epsilon;
        m_json["hidden_act"] = "silu";
        m_json["attention_bias"] = m_header.hasTensor("blk.0.attn_q.bias");
        m_json["mlp_bias"] = m_header.hasTensor("blk.0.ffn_up.bias");
        m_json["tie_word_embeddings"] = !m_header.hasTensor("output.weight");
        SPARSERL_CHECK(vocabulary());
        SPARSERL_CHECK(positions());
        return std::move(m_json);
    }

private:
    std::string key(std::string_view name) const { return fmt::format("{}.{}", m_type, name); }

    Status take(const char* from, const char* into, bool required)
    {
        SPARSERL_TRY(const auto held, m_header.integer(key(from)));
        if (held)
            m_json[into] = *held;
        else if (required)
            return fail(GgufHeader::missing(key(from)));
        return {};
    }

    /// What llama.cpp would compute otherwise.
    Status checkKnown() const
    {
        SPARSERL_TRY(const auto experts, m_header.integer(key("expert_count")));
        if (experts.value_or(0) != 0)
            return fail(fmt::format("this is a mixture of {} experts, which is not known", *experts), remedy);
        for (const char* factor :
             {"attention.sliding_window", "logit_scale", "residual_scale", "embedding_scale",
              "attention.scale", "attention.clamp_kqv", "attention.max_alibi_bias", "attn_logit_softcapping",
              "final_logit_softcapping"}) {
            SPARSERL_TRY(const auto held, m_header.number(key(factor)));
            if (held.value_or(0) != 0)
                return fail(fmt::format("the model sets {}, which is not known", key(factor)), remedy);
        }
        SPARSERL_TRY(const auto causal, m_header.flag(key("attention.causal")));
        SPARSERL_TRY(const auto parallel, m_header.flag(key("use_parallel_residual")));
        if (!causal.value_or(true) || parallel.value_or(false))
            return fail("the model's layers compute in an order that is not known", remedy);
        return {};
    }

    Status headSize()
    {
        SPARSERL_TRY(const auto given, m_header.integer(key("attention.key_length")));
        SPARSERL_TRY(const auto value, m_header.integer(key("attention.value_length")));
        SPARSERL_TRY(const auto turned, m_header.integer(key("rope.dimension_count")));
        const auto heads = m_json["num_attention_heads"].get<std::int64_t>();
        const auto width = m_json["hidden_size"].get<std::int64_t>();
        if (!given && (heads < 1 || width % heads != 0))
            return fail(fmt::format("the model has {} heads in {} numbers", heads, width),
                        "Convert the model again");
        const std::int64_t size = given ? *given : width / heads;
        if (value.value_or(size) != size)
            return fail("values have another size than keys, which is not known", remedy);
        if (m_type == "glm4") {
            if (size < 1 || turned.value_or(size) > size)
                return fail(fmt::format("{} of {} numbers of each head have positions", *turned, size),
                            "Convert the model again");
            m_json["partial_rotary_factor"] =
                static_cast<double>(turned.value_or(size)) / static_cast<double>(size);
        } else if (turned.value_or(size) != size)
            return fail(fmt::format("only {} of {} numbers of each head have positions, which is not known",
                                    *turned, size),
                        remedy);
        m_json["head_dim"] = size;
        return {};
    }

    Status vocabulary()
    {
        const auto embedding = std::ranges::find(m_header.tensors, "token_embd.weight", &GgufTensor::name);
        if (embedding == m_header.tensors.end())
            return fail("tensor token_embd.weight is missing", "Convert the model again");
        m_json["vocab_size"] = embedding->shape.front();
        return {};
    }

    Status positions()
    {
        SPARSERL_TRY(const auto base, m_header.number(key("rope.freq_base")));
        if (base)
            m_json["rope_theta"] = *base;
        SPARSERL_TRY(const auto kind, m_header.text(key("rope.scaling.type")));
        SPARSERL_TRY(auto factor, m_header.number(key("rope.scaling.factor")));
        SPARSERL_TRY(const auto old, m_header.number(key("rope.scale_linear")));
        SPARSERL_TRY(const auto original, m_header.integer(key("rope.scaling.original_context_length")));
        const bool linear = kind ? *kind == "linear" : factor || old;
        if (!factor)
            factor = old;
        if (!m_factors.empty()) {
            if ((kind && *kind != "none" && *kind != "linear") || factor.value_or(1) != 1)
                return fail("positions are scaled twice, which is not known", remedy);
            return llama3();
        }
        if (linear && factor.value_or(1) != 1) {
            m_json["rope_scaling"] = {{"rope_type", "linear"}, {"factor", *factor}};
        } else if (kind && *kind == "yarn") {
            json scaling = {{"rope_type", "yarn"}, {"factor", factor.value_or(1)}};
            if (original)
                scaling["original_max_position_embeddings"] = *original;
            for (const auto& [from, into] : {std::pair("rope.scaling.yarn_beta_fast", "beta_fast"),
                                             std::pair("rope.scaling.yarn_beta_slow", "beta_slow")}) {
                SPARSERL_TRY(const auto bound, m_header.number(key(from)));
                if (bound)
                    scaling[into] = *bound;
            }
            for (const char* other : {"rope.scaling.attn_factor", "rope.scaling.yarn_attn_factor",
                                      "rope.scaling.yarn_ext_factor", "rope.scaling.yarn_log_multiplier"}) {
                SPARSERL_TRY(const auto held, m_header.number(key(other)));
                const double usual = std::string_view(other).ends_with("multiplier") ? 0 : 1;
                if (held.value_or(usual) != usual)
                    return fail(fmt::format("the model sets {}, which is not known", key(other)), remedy);
            }
            m_json["rope_scaling"] = scaling;
        } else if (kind && *kind != "none" && *kind != "linear") {
            return fail(fmt::format("positions are scaled by \"{}\", which is not known", *kind), remedy);
        }
        return {};
    }

    /// The file has only what frequencies are divided by. Published models differ in the factor alone.
    Status llama3()
    {
        const std::string other =
            "positions are scaled by factors (rope_freqs.weight) that are not those of Llama 3";
        if (m_json["head_dim"] != 2 * m_factors.size())
            return fail(other, remedy);
        CausalConfig tried;
        tried.head_dim = static_cast<int>(2 * m_factors.size());
        tried.rope.theta = m_json.value("rope_theta", tried.rope.theta);
        tried.rope.scaling = RopeScaling::Llama3;
        tried.rope.factor = static_cast<double>(*std::ranges::max_element(m_factors));
        constexpr int publishedPositions = 8192;
        tried.rope.originalPositions = publishedPositions;
        const auto expected = ropeFactorsOf(tried);
        bool same = expected.size() == m_factors.size();
        for (std::size_t i = 0; same && i < expected.size(); ++i)
            same = std::abs(m_factors[i] - expected[i]) <= 1e-4F * expected[i];
        if (!same)
            return fail(other, remedy);
        m_json["rope_scaling"] = {{"rope_type", "llama3"},
                                  {"factor", tried.rope.factor},
                                  {"low_freq_factor", tried.rope.lowFrequency},
                                  {"high_freq_factor", tried.rope.highFrequency},
                                  {"original_max_position_embeddings", publishedPositions}};
        return {};
    }

    const GgufHeader& m_header;
    const std::vector<float>& m_factors;
    std::string m_type;
    json m_json = json::object();
};

} // namespace

Result<CausalConfig> causalConfigFromGguf(const GgufHeader& header, const std::vector<float>& ropeFactors)
{
    SPARSERL_TRY(const json value, ShapeReader(header, ropeFactors).read());
    return causalConfigFromJson(value);
}

std::string huggingFaceName(const std::string& modelType, const std::string& ggufName)
{
    auto name = renamed(ggufName, &Names::gguf, &Names::huggingFace);
    if (!name)
        return ggufName;
    constexpr std::string_view alone = "mlp.up_proj";
    if (const auto at = name->find(alone); modelType == "glm4" && at != std::string::npos)
        name->replace(at, alone.size(), gateBesideUp);
    return std::move(*name);
}

std::string ggufName(const std::string& huggingFaceName)
{
    return renamed(huggingFaceName, &Names::huggingFace, &Names::gguf).value_or("");
}

bool hasPairedRows(const std::string& modelType, const std::string& name)
{
    return modelType == "llama" && (name.find(".self_attn.q_proj.") != std::string::npos ||
                                    name.find(".self_attn.k_proj.") != std::string::npos);
}

std::vector<float> ropeFactorsOf(const CausalConfig& config)
{
    if (config.rope.scaling != RopeScaling::Llama3)
        return {};
    std::vector<float> factors;
    for (int i = 0; i < config.turned() / 2; ++i) {
        const auto plain = static_cast<float>(std::pow(config.rope.theta, -2.0 * i / config.turned()));
        const float scaled = llama3Frequency(plain, config.rope);
        // A frequency that is too low for single precision is one of the lowest, which are divided.
        factors.push_back(std::isnormal(scaled) ? plain / scaled : static_cast<float>(config.rope.factor));
    }
    return factors;
}

} // namespace sparserl
