// SPDX-License-Identifier: Apache-2.0
#include "policy/policy/policy_gguf.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/interruption.h"
#include "base/new_place.h"
#include "policy/causal/causal_gguf.h"
#include "policy/causal/causal_model.h"
#include "policy/files/gguf_writer.h"
#include "policy/files/output_file.h"
#include "policy/policy/policy_adapters.h"
#include "policy/tokenizer/tokenizer_gguf.h"

#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <utility>
#include <vector>

namespace sparserl {

using torch::Tensor;

namespace {

/// Rows (i, i + head_dim / 2) of each head become rows (2i, 2i + 1).
Tensor paired(const Tensor& rows, const CausalConfig& config, std::int64_t heads)
{
    std::vector<std::int64_t> split{heads, 2, config.head_dim / 2};
    for (std::int64_t i = 1; i < rows.dim(); ++i)
        split.push_back(rows.size(i));
    return rows.reshape(split).transpose(1, 2).reshape(rows.sizes());
}

/// Blocks of 32 numbers: their largest size / 127 in half precision, and a byte for each.
Tensor asQ8(const Tensor& tensor)
{
    constexpr std::int64_t block = 32;
    constexpr float most = 127;
    const Tensor blocks = tensor.to(torch::kFloat32).contiguous().view({-1, block});
    const Tensor scale = std::get<0>(blocks.abs().max(1, /*keepdim=*/true)) / most;
    const Tensor inverse = torch::where(scale > 0, 1 / scale, torch::zeros_like(scale));
    const Tensor scaled = blocks * inverse, whole = scaled.abs().floor();
    // Halves are rounded away from zero, as llama.cpp does.
    const Tensor bytes = (scaled.sign() * (whole + (2 * (scaled.abs() - whole)).floor())).to(torch::kInt8);
    return torch::cat(
        {scale.to(torch::kFloat16).contiguous().view(torch::kUInt8), bytes.contiguous().view(torch::kUInt8)},
        1);
}

Tensor stored(const Tensor& tensor, GgufType type)
{
    if (type == GgufType::Q8_0)
        return asQ8(tensor).contiguous();
    return tensor.to(type == GgufType::F16 ? torch::kFloat16 : torch::kFloat32).contiguous();
}

void addRope(GgufWriter& writer, const std::string& type, const CausalConfig& config)
{
    const RopeConfig& rope = config.rope;
    writer.add(type + ".rope.dimension_count", static_cast<std::uint32_t>(config.turned()));
    writer.add(type + ".rope.freq_base", static_cast<float>(rope.theta));
    if (rope.scaling != RopeScaling::Linear && rope.scaling != RopeScaling::Yarn)
        return;
    const bool yarn = rope.scaling == RopeScaling::Yarn;
    writer.add(type + ".rope.scaling.type", std::string_view(yarn ? "yarn" : "linear"));
    writer.add(type + ".rope.scaling.factor", static_cast<float>(rope.factor));
    if (!yarn)
        return;
    writer.add(type + ".rope.scaling.original_context_length",
               static_cast<std::uint32_t>(rope.originalPositions));
    writer.add(type + ".rope.scaling.yarn_beta_fast", static_cast<float>(rope.betaFast));
    writer.add(type + ".rope.scaling.yarn_beta_slow", static_cast<float>(rope.betaSlow));
}

/// What llama.cpp cannot be told, or does not compute.
Status checkKnown(const CausalConfig& config)
{
    const RopeConfig& rope = config.rope;
    const std::string remedy = "Use the policy's own files";
    const double usual = rope.factor <= 1 ? 1 : 0.1 * std::log(rope.factor) + 1;
    if (rope.scaling == RopeScaling::Yarn &&
        (!rope.truncate || std::abs(rope.attentionFactor - usual) > 1e-6))
        return fail("positions are scaled by a kind of yarn that GGUF files do not describe", remedy);
    constexpr int published = 8192;
    if (rope.scaling == RopeScaling::Llama3 &&
        (rope.originalPositions != published || rope.lowFrequency != 1 || rope.highFrequency != 4))
        return fail("positions are scaled otherwise than in published models of Llama 3", remedy);
    if (config.model_type == "qwen3" && config.biasOfQkv)
        return fail("llama.cpp has no biases in models of qwen3", remedy);
    return {};
}

void addShape(GgufWriter& writer, const CausalConfig& config, GgufType type)
{
    const std::string& family = config.model_type;
    writer.add("general.architecture", std::string_view(family));
    writer.add("general.file_type", type == GgufType::Q8_0 ? 7u : type == GgufType::F16 ? 1u : 0u);
    for (const auto& [key, value] : std::initializer_list<std::pair<const char*, int>>{
             {"block_count", config.num_hidden_layers},
             {"context_length", config.max_position_embeddings},
             {"embedding_length", config.hidden_size},
             {"feed_forward_length", config.intermediate_size},
             {"attention.head_count", config.num_attention_heads},
             {"attention.head_count_kv", config.num_key_value_heads},
             {"attention.key_length", config.head_dim},
             {"attention.value_length", config.head_dim},
             {"vocab_size", config.vocab_size}})
        writer.add(fmt::format("{}.{}", family, key), static_cast<std::uint32_t>(value));
    writer.add(family + ".attention.layer_norm_rms_epsilon", static_cast<float>(config.rms_norm_eps));
    addRope(writer, family, config);
}

struct WrittenTensor
{
    std::string name;
    Tensor tensor;
    GgufType type;
    std::string known; ///< Hugging Face's name.
};

Status writeFile(const std::filesystem::path& file, const GgufWriter& writer,
                 const std::vector<WrittenTensor>& entries, const CausalConfig& config,
                 const CancelToken& cancel)
{
    SPARSERL_TRY(auto output, OutputFile::create(file));
    const std::string header = writer.header();
    output.put(header.data(), header.size());
    const std::string zeros(GgufWriter::alignment, '\0');
    bool stopped = false;
    for (const WrittenTensor& entry : entries) {
        stopped = stopped || cancel.cancelled();
        if (stopped)
            break;
        Tensor rows = entry.tensor.detach().to(torch::kCPU);
        if (hasPairedRows(config.model_type, entry.known))
            rows = paired(rows, config,
                          entry.known.find("q_proj") != std::string::npos ? config.num_attention_heads
                                                                          : config.num_key_value_heads);
        constexpr double mostHalf = 65504;
        if (entry.type != GgufType::F32 && rows.numel() > 0 && rows.abs().max().item<double>() > mostHalf)
            return failAt(file.string(), 0,
                          "tensor " + entry.name + " has numbers that half precision cannot represent",
                          "Write the file in F32");
        const Tensor bytes = stored(rows, entry.type);
        output.put(bytes.const_data_ptr(), bytes.nbytes());
        output.put(zeros.data(), GgufWriter::paddingAfter(bytes.nbytes()));
    }
    SPARSERL_CHECK(output.finish());
    if (stopped)
        return fail(interruption());
    return {};
}

/// Writes the file beside its place, and renames it.
Status putInPlace(const std::filesystem::path& file, const GgufWriter& writer,
                  const std::vector<WrittenTensor>& entries, const CausalConfig& config,
                  const CancelToken& cancel)
{
    const auto target = std::filesystem::absolute(file).lexically_normal();
    SPARSERL_TRY(auto temporary, TempDir::create(".gguf", target.parent_path()));
    const auto whole = temporary.path() / target.filename();
    if (const auto written = writeFile(whole, writer, entries, config, cancel); !written) {
        Error error = written.error();
        error.file = file.string();
        return fail(std::move(error));
    }
    std::error_code error;
    renameEntry(whole, target, error);
    if (error)
        return failAt(file.string(), 0, "the file cannot be put in place: " + error.message(),
                      "Check the folder's permissions");
    return {};
}

} // namespace

Status writeGguf(const Policy& policy, const std::filesystem::path& file, GgufType type,
                 const CancelToken& cancel)
{
    const torch::NoGradGuard guard;
    const auto* model = dynamic_cast<const CausalModel*>(&policy.model());
    if (model == nullptr)
        return fail("the policy is a T5, which is not written as GGUF",
                    "Export a policy that comes from a llama, qwen2, qwen3 or glm4");
    if (model->config().lora.any()) {
        SPARSERL_TRY(const Policy merged, mergedPolicy(policy));
        return writeGguf(merged, file, type, cancel);
    }
    SPARSERL_CHECK(checkFree(file, "file"));
    const CausalConfig& config = model->config();
    SPARSERL_CHECK(checkKnown(config));
    GgufWriter writer;
    addShape(writer, config, type);
    SPARSERL_CHECK(addTokenizer(writer, policy.tokenizer(), config.vocab_size));
    if (!config.passedOn.chatTemplate.empty())
        writer.add("tokenizer.chat_template", std::string_view(config.passedOn.chatTemplate));
    std::vector<WrittenTensor> entries;
    const auto add = [&](const std::string& name, const Tensor& tensor, const std::string& known) {
        GgufType stored = tensor.dim() == 1 ? GgufType::F32 : type;
        if (tensor.size(-1) % std::int64_t(blockOf(stored).numbers) != 0)
            stored = GgufType::F16;
        writer.addTensor(name, tensor.sizes(), stored);
        entries.push_back({name, tensor, stored, known});
    };
    for (const auto& [name, tensor] : model->weights()) {
        if (name.starts_with("matrix."))
            continue;
        add(ggufName(name), tensor, name);
    }
    if (auto factors = ropeFactorsOf(config); !factors.empty())
        add("rope_freqs.weight", torch::tensor(factors), {});
    return putInPlace(file, writer, entries, config, cancel);
}

Status writeAdaptersGguf(const Policy& policy, const std::filesystem::path& file, const CancelToken& cancel)
{
    const torch::NoGradGuard guard;
    SPARSERL_TRY(const auto adapters, adaptersOf(policy));
    SPARSERL_CHECK(checkFree(file, "file"));
    const CausalConfig& config = dynamic_cast<const CausalModel&>(policy.model()).config();
    GgufWriter writer;
    writer.add("general.architecture", std::string_view(config.model_type));
    writer.add("general.type", std::string_view("adapter"));
    writer.add("general.file_type", 0U);
    writer.add("adapter.type", std::string_view("lora"));
    writer.add("adapter.lora.alpha", static_cast<float>(config.lora.scale() * config.lora.rank));
    std::vector<WrittenTensor> entries;
    for (const AdapterWeights& one : adapters) {
        const std::string known = one.layer + ".weight", name = ggufName(known);
        writer.addTensor(name + ".lora_a", one.down.sizes(), GgufType::F32);
        entries.push_back({name + ".lora_a", one.down, GgufType::F32, {}});
        writer.addTensor(name + ".lora_b", one.up.sizes(), GgufType::F32);
        // Its rows are those of the layer, in the same order.
        entries.push_back({name + ".lora_b", one.up, GgufType::F32, known});
    }
    return putInPlace(file, writer, entries, config, cancel);
}

} // namespace sparserl
