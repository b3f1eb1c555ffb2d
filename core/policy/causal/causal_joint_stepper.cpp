// SPDX-License-Identifier: Apache-2.0
#include "policy/causal/causal_joint_stepper.h"

#include "policy/compute/transfer.h"
#include "policy/kernels/head_product.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

using torch::Tensor;

namespace {

/// In models up to this width, a step takes its time for starting operations rather than for reading weights,
/// so layers that read the same input are joined, which copies their weights. Larger models would need the
/// memory, and gain little.
constexpr int widestJoined = 2048;

/// Attends with one query a head, [rows, heads, width], to keys and values [rows, shared heads, n, width];
/// the result is [rows, heads * width]. The queries that share a head of keys are one matrix, so that keys
/// need not be repeated. The mask is [rows, 1, 1, n].
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
    , m_head(headOperand(model.head().weight.detach()))
    , m_place(placeOfTokens(longestOf(inputs.offsets)))
{
    const torch::NoGradGuard guard;
    const std::int64_t capacity = m_place + (maxTokens + keyStep - 1) / keyStep * keyStep;
    for (const CausalBlock& block : model.blocks())
        m_layers.push_back(layerOf(block, std::int64_t(inputOf.size()), capacity));
    m_ramp =
        torch::arange(capacity, torch::TensorOptions().device(model.compute().device).dtype(torch::kInt64));
    cacheInputs(inputs, inputOf);
}

CausalJointStepper::Layer CausalJointStepper::layerOf(const CausalBlock& block, std::int64_t rows,
                                                      std::int64_t capacity) const
{
    const CausalConfig& config = m_model.config();
    const Compute& compute = m_model.compute();
    const bool join = config.hidden_size <= widestJoined;
    const auto norm = [](const Tensor& weight) {
        return weight.defined() ? weight.detach().to(torch::kFloat32) : Tensor();
    };
    const auto linear = [&](const std::vector<const CausalLinear*>& layers) {
        return JoinedLinear(layers, config.lora.scale(), compute.precision, join);
    };
    const auto cache = [&] {
        return torch::zeros({rows, config.num_key_value_heads, capacity, config.head_dim},
                            torch::TensorOptions().device(compute.device).dtype(compute.precision));
    };
    const bool apart = block.up.weight.defined();
    return {norm(block.attentionNorm),
            norm(block.feedNorm),
            norm(block.queryNorm),
            norm(block.keyNorm),
            norm(block.attendedNorm),
            norm(block.fedNorm),
            linear({&block.query, &block.key, &block.value}),
            linear({&block.out}),
            apart ? linear({&block.gate, &block.up}) : linear({&block.gate}),
            linear({&block.down}),
            cache(),
            cache()};
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

Tensor CausalJointStepper::first()
{
    return headProduct(m_last, m_head);
}

/// Rope::turned() with three operations instead of seven where a head is turned as a whole, in halves.
Tensor CausalJointStepper::rotated(const Tensor& x, const Step& step)
{
    if (!step.wideCosines.defined())
        return Rope::turned(x, step.angles);
    const auto halves = x.chunk(2, -1);
    return torch::addcmul(x * step.wideCosines, torch::cat({halves[1], halves[0]}, -1), step.wideSines);
}

Tensor CausalJointStepper::attended(const Layer& layer, const Tensor& x, const Step& step) const
{
    const CausalConfig& config = m_model.config();
    const auto precision = m_model.compute().precision;
    const std::int64_t heads = config.num_attention_heads, shared = config.num_key_value_heads;
    const Tensor all = layer.projections(m_model.norm(x, layer.attentionNorm).to(precision))
                           .view({x.size(0), heads + 2 * shared, config.head_dim});
    Tensor turning = all.narrow(1, 0, heads + shared);
    if (layer.queryNorm.defined())
        turning = torch::cat({m_model.norm(all.narrow(1, 0, heads), layer.queryNorm),
                              m_model.norm(all.narrow(1, heads, shared), layer.keyNorm)},
                             1)
                      .to(precision);
    const Tensor turned = rotated(turning, step);
    layer.keys.index_copy_(2, step.place, turned.narrow(1, heads, shared).unsqueeze(2));
    layer.values.index_copy_(2, step.place, all.narrow(1, heads + shared, shared).unsqueeze(2));
    return layer.out(attend(turned.narrow(1, 0, heads), layer.keys.narrow(2, 0, step.seen),
                            layer.values.narrow(2, 0, step.seen), step.mask));
}

Tensor CausalJointStepper::next(const Tensor& tokens, const Tensor& step, std::int64_t keys)
{
    const auto precision = m_model.compute().precision;
    Step now;
    now.seen = std::min(m_place + keys, m_ramp.size(0));
    now.place = step + (m_place - 1);
    now.angles = m_model.rope().anglesOf(m_length + (step - 1));
    now.angles.cosines = now.angles.cosines.to(precision);
    now.angles.sines = now.angles.sines.to(precision);
    const Tensor c = now.angles.cosines.unsqueeze(1), s = now.angles.sines.unsqueeze(1);
    if (!now.angles.neighbours && 2 * c.size(-1) == m_model.config().head_dim) {
        now.wideCosines = torch::cat({c, c}, -1);
        now.wideSines = torch::cat({-s, s}, -1);
    }
    const Tensor ramp = m_ramp.narrow(0, 0, now.seen).unsqueeze(0);
    const Tensor hidden = (ramp > now.place).logical_or(ramp < (m_place - m_length).unsqueeze(1));
    now.mask = (hidden.to(torch::kFloat32) * maskedScore).to(precision).view({-1, 1, 1, now.seen});
    const auto added = [this](const Tensor& x, const Tensor& result, const Tensor& norm) {
        return x + (norm.defined() ? m_model.norm(result, norm) : result);
    };
    Tensor x = torch::embedding(m_model.words(), tokens).to(torch::kFloat32);
    for (const Layer& layer : m_layers) {
        x = added(x, attended(layer, x, now), layer.attendedNorm);
        const auto both = layer.feed(m_model.norm(x, layer.feedNorm).to(precision)).chunk(2, -1);
        x = added(x, layer.fed(torch::silu(both[0]) * both[1]), layer.fedNorm);
    }
    return headProduct(m_model.lastNorm(x), m_head);
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
