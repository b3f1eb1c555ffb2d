// SPDX-License-Identifier: Apache-2.0
#include "policy/causal/causal_joint_stepper.h"

#include "policy/compute/transfer.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

using torch::Tensor;

namespace {

/// The weights of a block as the layers compute with them. Tensors that have this type already are shared.
CausalBlock inPrecision(CausalBlock block, torch::ScalarType precision)
{
    for (Tensor* tensor : block.tensors())
        *tensor = tensor->detach().to(precision);
    return block;
}

/// The norms of `block`, which are computed in fp32.
void takeNorms(CausalBlock& block, const CausalBlock& from)
{
    for (const auto member : {&CausalBlock::attentionNorm, &CausalBlock::feedNorm, &CausalBlock::queryNorm,
                              &CausalBlock::keyNorm, &CausalBlock::attendedNorm, &CausalBlock::fedNorm}) {
        if ((from.*member).defined())
            block.*member = (from.*member).detach().to(torch::kFloat32);
    }
}

/// Attends with one query a head, [rows, heads, width], to keys and values [rows, shared heads, n, width]; the
/// result is [rows, heads * width]. The queries that share a head of keys are one matrix, so that keys need
/// not be repeated. The mask is [rows, 1, 1, n].
Tensor attend(const Tensor& query, const Tensor& keys, const Tensor& values, const Tensor& mask)
{
    const std::int64_t rows = query.size(0), shared = keys.size(1), width = query.size(2);
    const Tensor queries = query.view({rows, shared, -1, width});
    if (query.scalar_type() != torch::kFloat32)
        return at::scaled_dot_product_attention(queries, keys, values, mask).reshape({rows, -1});
    // In single precision, LibTorch's attention takes about twice as long for few queries.
    const Tensor scores = torch::bmm(queries.flatten(0, 1), keys.flatten(0, 1).transpose(1, 2)) *
                          (1 / std::sqrt(double(width)));
    const Tensor weights = torch::softmax(scores.view({rows, shared, -1, keys.size(2)}) + mask, -1);
    return torch::bmm(weights.flatten(0, 1), values.flatten(0, 1)).view({rows, -1});
}

std::int64_t longestOf(const Offsets& offsets)
{
    std::int64_t longest = 0;
    for (std::size_t m = 0; m + 1 < offsets.size(); ++m)
        longest = std::max(longest, offsets[m + 1] - offsets[m]);
    return longest;
}

} // namespace

CausalJointStepper::CausalJointStepper(const CausalModel& model, const CausalInputs& inputs,
                                       const std::vector<int>& inputOf, std::int64_t maxTokens)
    : m_model(model)
    , m_place(placeOfTokens(longestOf(inputs.offsets)))
{
    const torch::NoGradGuard guard;
    const Compute& compute = model.compute();
    const CausalConfig& config = model.config();
    const auto rows = std::int64_t(inputOf.size());
    const std::int64_t capacity = m_place + (maxTokens + keyStep - 1) / keyStep * keyStep;
    const auto real = torch::TensorOptions().device(compute.device).dtype(compute.precision);
    for (const CausalBlock& block : model.blocks()) {
        Layer layer{inPrecision(block, compute.precision), {}, {}};
        takeNorms(layer.weights, block);
        for (Tensor* cache : {&layer.keys, &layer.values})
            *cache = torch::zeros({rows, config.num_key_value_heads, capacity, config.head_dim}, real);
        m_layers.push_back(std::move(layer));
    }
    m_head = model.storedHead().detach();
    m_splitsHead = m_head.is_cuda() && m_head.scalar_type() == torch::kBFloat16;
    if (!m_splitsHead)
        m_head = m_head.to(torch::kFloat32);
    m_ramp = torch::arange(capacity, torch::TensorOptions().device(compute.device).dtype(torch::kInt64));
    cacheInputs(inputs, inputOf);
}

void CausalJointStepper::cacheInputs(const CausalInputs& inputs, const std::vector<int>& inputOf)
{
    std::vector<std::int64_t> lengths, inputOfRow(inputOf.begin(), inputOf.end());
    for (std::size_t row = 0; row < inputOf.size(); ++row) {
        const auto input = std::size_t(inputOf[row]);
        const std::int64_t from = inputs.offsets[input], length = inputs.offsets[input + 1] - from;
        lengths.push_back(length);
        for (std::size_t i = 0; i < m_layers.size(); ++i) {
            const auto place = [&](const Tensor& cache, const Tensor& read) {
                cache[std::int64_t(row)]
                    .narrow(1, m_place - length, length)
                    .copy_(read.narrow(0, from, length).transpose(0, 1));
            };
            place(m_layers[i].keys, inputs.layers[i].key);
            place(m_layers[i].values, inputs.layers[i].value);
        }
    }
    const torch::Device device = m_model.compute().device;
    m_length = onDevice(torch::tensor(lengths, torch::kInt64), device);
    m_last = inputs.last.index_select(0, onDevice(torch::tensor(inputOfRow, torch::kInt64), device));
}

Tensor CausalJointStepper::logits(const Tensor& hidden) const
{
    if (!m_splitsHead)
        return torch::mm(hidden, m_head.t());
    // The sum of two bf16 numbers has 16 bits of a hidden state. Two products with sums in fp32 then cost less
    // than one in fp32, and the head need not be converted.
    const Tensor high = hidden.to(torch::kBFloat16);
    const Tensor low = (hidden - high.to(torch::kFloat32)).to(torch::kBFloat16);
    return at::mm(high, m_head.t(), torch::kFloat32) + at::mm(low, m_head.t(), torch::kFloat32);
}

Tensor CausalJointStepper::first()
{
    return logits(m_last);
}

Tensor CausalJointStepper::next(const Tensor& tokens, const Tensor& step, std::int64_t keys)
{
    const auto precision = m_model.compute().precision;
    const std::int64_t seen = std::min(m_place + keys, m_ramp.size(0));
    const Tensor place = step + (m_place - 1);
    Rope::Angles angles = m_model.rope().anglesOf(m_length + (step - 1));
    angles.cosines = angles.cosines.to(precision);
    angles.sines = angles.sines.to(precision);
    const Tensor ramp = m_ramp.narrow(0, 0, seen).unsqueeze(0);
    const Tensor hidden = (ramp > place).logical_or(ramp < (m_place - m_length).unsqueeze(1));
    const Tensor mask = (hidden.to(torch::kFloat32) * maskedScore).to(precision).view({-1, 1, 1, seen});
    Tensor x = torch::embedding(m_model.words(), tokens).to(torch::kFloat32);
    for (const Layer& layer : m_layers) {
        const auto [query, keyValue] = m_model.project(layer.weights, x, angles);
        layer.keys.index_copy_(2, place, keyValue.key.unsqueeze(2));
        layer.values.index_copy_(2, place, keyValue.value.unsqueeze(2));
        const Tensor attended =
            attend(query, layer.keys.narrow(2, 0, seen), layer.values.narrow(2, 0, seen), mask);
        x = m_model.finish(layer.weights, x, attended);
    }
    return logits(m_model.lastNorm(x));
}

void CausalJointStepper::keep(const std::vector<std::int64_t>& rows)
{
    const Tensor index = onDevice(torch::tensor(rows, torch::kInt64), m_model.compute().device);
    for (Layer& layer : m_layers) {
        layer.keys = layer.keys.index_select(0, index);
        layer.values = layer.values.index_select(0, index);
    }
    m_length = m_length.index_select(0, index);
    m_last = m_last.index_select(0, index);
}

std::unique_ptr<JointStepper> CausalModel::jointStepper(const std::shared_ptr<const ReadInputs>& inputs,
                                                        const std::vector<int>& inputOf,
                                                        std::int64_t maxTokens) const
{
    return std::make_unique<CausalJointStepper>(*this, dynamic_cast<const CausalInputs&>(*inputs), inputOf,
                                                maxTokens);
}

double CausalModel::bytesOfSequence(const ReadInputs& inputs, int maxTokens) const
{
    const double element = m_compute.precision == torch::kFloat32 ? 4 : 2;
    const double perPosition =
        2.0 * m_config.num_hidden_layers * m_config.num_key_value_heads * m_config.head_dim * element;
    const std::int64_t place =
        CausalJointStepper::placeOfTokens(longestOf(dynamic_cast<const CausalInputs&>(inputs).offsets));
    return perPosition * double(place + maxTokens) + 40.0 * m_config.vocab_size;
}

} // namespace sparserl
