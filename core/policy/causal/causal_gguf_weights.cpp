// SPDX-License-Identifier: Apache-2.0
#include "policy/causal/causal_gguf_weights.h"

#include "base/interruption.h"
#include "policy/causal/causal_gguf.h"
#include "policy/files/model_limits.h"

#include <algorithm>

namespace sparserl {

using torch::Tensor;

namespace {

constexpr const char* factorsName = "rope_freqs.weight";

/// What a tensor is in memory: itself where LibTorch has such numbers.
torch::ScalarType typeOf(GgufType type)
{
    return type == GgufType::F16    ? torch::kFloat16
           : type == GgufType::BF16 ? torch::kBFloat16
                                    : torch::kFloat32;
}

Tensor read(const GgufFile& file, const GgufTensor& entry)
{
    Tensor tensor = torch::empty(entry.shape, typeOf(entry.type));
    const auto bytes = file.bytesOf(entry);
    if (tensor.nbytes() == bytes.size()) {
        file.mapped().take(bytes.data(), bytes.size(), tensor.data_ptr());
        return tensor;
    }
    const GgufBlock block = blockOf(entry.type);
    auto* into = tensor.data_ptr<float>();
    constexpr std::int64_t blocksAtOnce = 4096;
    const auto blocks = static_cast<std::int64_t>(bytes.size() / block.bytes);
    at::parallel_for(0, blocks, blocksAtOnce, [&](std::int64_t begin, std::int64_t end) {
        const auto from = static_cast<std::uint64_t>(begin), count = static_cast<std::uint64_t>(end - begin);
        readGgufNumbers(entry.type, bytes.data() + from * block.bytes, count * block.numbers,
                        into + from * block.numbers);
    });
    file.mapped().forget(bytes.data(), bytes.size());
    return tensor;
}

/// Rows (2i, 2i + 1) of each head become rows (i, i + head_dim / 2).
Tensor unpaired(const Tensor& rows, const CausalConfig& config, std::int64_t heads)
{
    if (rows.size(0) != heads * config.head_dim)
        return rows; // is refused by its shape
    std::vector<std::int64_t> split{heads, config.head_dim / 2, 2};
    for (std::int64_t i = 1; i < rows.dim(); ++i)
        split.push_back(rows.size(i));
    return rows.view(split).transpose(1, 2).reshape(rows.sizes());
}

Result<std::vector<float>> ropeFactors(const GgufFile& file)
{
    const auto& tensors = file.header().tensors;
    const auto found = std::ranges::find(tensors, factorsName, &GgufTensor::name);
    if (found == tensors.end())
        return std::vector<float>();
    constexpr std::uint64_t most = 4096;
    if (found->type != GgufType::F32 || found->numbers() > most)
        return failAt(file.path().string(), 0,
                      std::string("tensor ") + factorsName + " is not a list of fp32");
    std::vector<float> factors(found->numbers());
    readGgufNumbers(found->type, file.bytesOf(*found).data(), factors.size(), factors.data());
    return factors;
}

} // namespace

Result<CausalGguf> readCausalGguf(const GgufFile& file, const CancelToken& cancel)
{
    const std::string name = file.path().string();
    SPARSERL_TRY(const auto factors, ropeFactors(file));
    const auto config = causalConfigFromGguf(file.header(), factors);
    if (!config)
        return failAt(name, 0, config.error().what, config.error().remedy);
    std::uint64_t bytes = 0;
    for (const GgufTensor& tensor : file.header().tensors)
        bytes += tensor.numbers() * torch::elementSize(typeOf(tensor.type));
    SPARSERL_CHECK(checkMemory(bytes, name));
    CausalGguf result{*config, {}};
    result.weights.file = file.path();
    result.weights.files = 1;
    for (const GgufTensor& entry : file.header().tensors) {
        if (cancel.cancelled())
            return fail(interruption());
        if (entry.name == factorsName)
            continue;
        const std::string known = huggingFaceName(config->model_type, entry.name);
        Tensor tensor = read(file, entry);
        if (hasPairedRows(config->model_type, known)) {
            const bool query = known.find("q_proj") != std::string::npos;
            tensor =
                unpaired(tensor, *config, query ? config->num_attention_heads : config->num_key_value_heads);
        }
        result.weights.content.tensors.emplace_back(known, std::move(tensor));
    }
    SPARSERL_CHECK(file.whole());
    return result;
}

} // namespace sparserl
