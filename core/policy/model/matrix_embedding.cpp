// SPDX-License-Identifier: Apache-2.0
#include "policy/model/matrix_embedding.h"

#include "policy/compute/transfer.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

using torch::Tensor;

MatrixEmbedding::MatrixEmbedding(const EmbeddingConfig& config, std::int64_t width)
    : m_config(config)
    , m_entryWeight(torch::zeros({width, config.entryWidth()}))
    , m_entryBias(torch::zeros({width}))
{
    if (config.featureWidth() > 0) {
        m_featureWeight = torch::zeros({config.featureTokens * width, config.featureWidth()});
        m_featureBias = torch::zeros({config.featureTokens * width});
    }
}

void MatrixEmbedding::visit(const TensorVisitor& visitor)
{
    visitor("matrix.entry.weight", m_entryWeight);
    visitor("matrix.entry.bias", m_entryBias);
    if (m_featureWeight.defined()) {
        visitor("matrix.features.weight", m_featureWeight);
        visitor("matrix.features.bias", m_featureBias);
    }
}

void MatrixEmbedding::initialise(std::uint64_t seed, double scale)
{
    const torch::NoGradGuard guard;
    const Rng base(seed);
    visit([&](const std::string& name, Tensor& tensor) {
        Rng rng = base.derive(name);
        if (name.ends_with(".weight"))
            fillNormal(rng, tensor, scale / std::sqrt(double(tensor.size(1))));
        else
            tensor.zero_();
    });
}

MatrixEmbedding::Rows MatrixEmbedding::embed(const std::vector<ModelInput>& inputs, const Tensor& words) const
{
    const std::int64_t count = std::int64_t(inputs.size()), d = words.size(1);
    const std::int64_t width = m_config.entryWidth(), featureWidth = m_config.featureWidth();
    const std::int64_t head = featureWidth > 0 ? m_config.featureTokens : 0;
    std::int64_t entries = 0, prompts = 0;
    for (const ModelInput& input : inputs) {
        prompts += std::int64_t(input.prompt.size());
        if (input.matrix == nullptr)
            continue;
        TORCH_CHECK(std::int64_t(input.matrix->entries.size()) == input.matrix->count * width &&
                        std::int64_t(input.matrix->features.size()) == featureWidth &&
                        std::int64_t(input.matrix->parents.size()) ==
                            (m_config.mode == EmbeddingMode::QuadtreeAttention ? input.matrix->count : 0),
                    "matrix tokens were made with another embedding configuration");
        entries += input.matrix->count;
    }
    Tensor entryData = torch::empty({entries, width}), featureData = torch::zeros({count, featureWidth});
    Tensor ids = torch::empty({prompts}, torch::kInt64);
    // The three kinds are embedded together and then put in order: features, entries, prompt of each input.
    Tensor order = torch::empty({count * head + entries + prompts}, torch::kInt64);
    static const MatrixTokens nothing;
    Rows result;
    result.offsets = {0};
    std::int64_t entryAt = 0, wordAt = 0, at = 0;
    for (std::int64_t m = 0; m < count; ++m) {
        const bool reads = inputs[m].matrix != nullptr;
        const MatrixTokens& tokens = reads ? *inputs[m].matrix : nothing;
        std::copy(tokens.entries.begin(), tokens.entries.end(),
                  entryData.data_ptr<float>() + entryAt * width);
        std::copy(tokens.features.begin(), tokens.features.end(),
                  featureData.data_ptr<float>() + m * featureWidth);
        std::copy(inputs[m].prompt.begin(), inputs[m].prompt.end(), ids.data_ptr<std::int64_t>() + wordAt);
        std::int64_t* row = order.data_ptr<std::int64_t>();
        for (std::int64_t i = 0; reads && i < head; ++i)
            row[at++] = m * head + i;
        for (std::int64_t i = 0; i < tokens.count; ++i)
            row[at++] = count * head + entryAt++;
        for (std::size_t i = 0; i < inputs[m].prompt.size(); ++i)
            row[at++] = count * head + entries + wordAt++;
        result.offsets.push_back(at);
    }
    const torch::Device device = words.device();
    std::vector<Tensor> parts;
    if (head > 0)
        parts.push_back(
            torch::linear(onDevice(featureData, device), m_featureWeight, m_featureBias).view({-1, d}));
    parts.push_back(torch::linear(onDevice(entryData, device), m_entryWeight, m_entryBias));
    if (prompts > 0)
        parts.push_back(torch::embedding(words, onDevice(ids, device)).to(torch::kFloat32));
    result.x = parts.size() == 1
                   ? parts[0]
                   : torch::cat(parts).index_select(0, onDevice(order.narrow(0, 0, at), device));
    return result;
}

void fillNormal(Rng& rng, const Tensor& tensor, double deviation)
{
    float* data = tensor.data_ptr<float>();
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
        data[i] = float(deviation * rng.normal());
}

} // namespace sparserl
