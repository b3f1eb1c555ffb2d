// SPDX-License-Identifier: Apache-2.0
#include "policy/t5/t5_joint_stepper.h"

#include "policy/compute/transfer.h"
#include "policy/t5/plain_forward.h"

#include <numeric>

namespace sparserl {

using torch::Tensor;

namespace {

constexpr std::int64_t crossMaskMultiple = 16;

/// Queries [groups, heads, n, width] over the first `keys` of cached keys and values; [groups, n, inner].
Tensor attend(const Tensor& query, const Tensor& cache, std::int64_t keys, const Tensor& mask)
{
    const Tensor out = at::scaled_dot_product_attention(
        query, cache[0].narrow(2, 0, keys), cache[1].narrow(2, 0, keys),
        mask.defined() ? std::optional(mask) : std::nullopt, 0.0, false, 1.0);
    return out.transpose(1, 2).flatten(2);
}

/// The same for one query a group, [groups, heads, 1, width] with a mask [1, heads, 1, keys], by batched
/// products: in single precision LibTorch's attention takes 1.5 to 2.4 times as long for one query (H100).
Tensor attendOne(const Tensor& query, const Tensor& cache, std::int64_t keys, const Tensor& mask)
{
    const std::int64_t groups = query.size(0), heads = query.size(1), width = query.size(3);
    const auto flat = [&](const Tensor& part) { return part.flatten(0, 1).narrow(1, 0, keys); };
    const Tensor bias = mask.expand({groups, heads, 1, keys}).reshape({groups * heads, 1, keys});
    const Tensor scores =
        torch::baddbmm(bias, query.reshape({groups * heads, 1, width}), flat(cache[0]).transpose(1, 2));
    return torch::bmm(torch::softmax(scores, -1), flat(cache[1])).view({groups, 1, heads * width});
}

} // namespace

T5JointStepper::T5JointStepper(const T5Model& model, const EncoderOutput& encoded,
                               const std::vector<int>& inputOf, std::int64_t maxTokens)
    : m_config(model.config())
    , m_compute(model.compute())
    , m_capacity((maxTokens + keyStep - 1) / keyStep * keyStep)
    , m_stack(inPrecision(model.decoder(), m_compute.precision))
    , m_embedding(model.sharedEmbedding())
    , m_head(model.headWeight())
    , m_headScale(model.headScale())
    , m_inputOf(inputOf)
{
    const torch::Device device = m_compute.device;
    const auto real = torch::TensorOptions().device(device).dtype(m_compute.precision);
    const auto rows = std::int64_t(inputOf.size());
    cacheInputs(encoded);
    arrange();
    for (Layer& layer : m_layers)
        layer.cache = torch::zeros({2, rows, m_config.num_heads, m_capacity, m_config.d_kv}, real);
    Tensor future = torch::zeros({2 * m_capacity - 1});
    future.narrow(0, m_capacity, m_capacity - 1).fill_(maskedScore);
    m_diagonal =
        (relativeBias(m_stack.relativeBias, m_capacity, false, m_config.relative_attention_max_distance) +
         onDevice(future, device))
            .to(m_compute.precision);
    m_ramp = torch::arange(m_capacity, torch::TensorOptions().device(device).dtype(torch::kInt64)) +
             (m_capacity - 1);
}

void T5JointStepper::arrange()
{
    Offsets offsets(m_inputOf.size() + 1);
    std::iota(offsets.begin(), offsets.end(), 0);
    m_byInput.emplace(offsets, m_inputOf, m_inputs, 1, m_compute.device);
}

void T5JointStepper::cacheInputs(const EncoderOutput& encoded)
{
    const torch::Device device = m_compute.device;
    PaddedRows keys(encoded.offsets, 1, device);
    m_inputs = keys.groups();
    if (!keys.full()) {
        keys = PaddedRows(encoded.offsets, crossMaskMultiple, device);
        m_crossMask = keys.keyMask(device).to(m_compute.precision);
    }
    const Tensor hidden = encoded.hidden.to(m_compute.precision);
    for (const T5Block& block : m_stack.blocks) {
        const Tensor keyValue = keys.pad(torch::mm(hidden, block.cross.keyValue.t()));
        const Tensor split =
            keyValue.view({keys.groups(), keys.length(), 2, m_config.num_heads, m_config.d_kv});
        m_layers.push_back({&block, {}, split.permute({2, 0, 3, 1, 4}).contiguous()});
    }
}

Tensor T5JointStepper::first()
{
    const auto whole = torch::TensorOptions().device(m_compute.device).dtype(torch::kInt64);
    return next(torch::full({std::int64_t(m_inputOf.size())}, std::int64_t(T5Config::startToken), whole),
                torch::zeros({1}, whole), std::min(m_capacity, keyStep));
}

Tensor T5JointStepper::next(const Tensor& tokens, const Tensor& step, std::int64_t keys)
{
    const std::int64_t rows = tokens.size(0), heads = m_config.num_heads, width = m_config.d_kv;
    const std::int64_t inner = heads * width;
    const double epsilon = m_config.layer_norm_epsilon;
    const auto precision = m_compute.precision;
    const Tensor mask =
        m_diagonal.index_select(1, m_ramp.narrow(0, 0, keys) - step).view({1, heads, 1, keys});
    Tensor x = torch::embedding(m_embedding, tokens);
    for (const Layer& layer : m_layers) {
        const T5Block& w = *layer.weights;
        const Tensor qkv = torch::mm(plainNorm(x, w.self.norm, epsilon, precision), w.self.qkv.t());
        const Tensor keyValue = qkv.narrow(1, inner, 2 * inner).view({rows, 2, heads, 1, width});
        layer.cache.index_copy_(3, step, keyValue.transpose(0, 1));
        const Tensor ownQuery = qkv.narrow(1, 0, inner).view({rows, heads, 1, width});
        const Tensor own = m_compute.precision == torch::kFloat32
                               ? attendOne(ownQuery, layer.cache, keys, mask)
                               : attend(ownQuery, layer.cache, keys, mask);
        x = plainProjected(x, own.flatten(1), w.self.out);
        const Tensor query =
            m_byInput->pad(torch::mm(plainNorm(x, w.cross.norm, epsilon, precision), w.cross.query.t()));
        const Tensor seen = attend(query.view({m_inputs, -1, heads, width}).transpose(1, 2), layer.cross,
                                   layer.cross.size(3), m_crossMask);
        x = plainProjected(x, m_byInput->pack(seen), w.cross.out);
        x = plainFeedForward(w.feed, x, m_config, precision);
    }
    const Tensor hidden = plainNorm(x, m_stack.finalNorm, epsilon, torch::kFloat32);
    return torch::mm(m_headScale == 1.0 ? hidden : hidden * m_headScale, m_head.t());
}

void T5JointStepper::keep(const std::vector<std::int64_t>& rows)
{
    const Tensor index = onDevice(torch::tensor(rows, torch::kInt64), m_compute.device);
    std::vector<int> inputOf;
    for (const std::int64_t row : rows)
        inputOf.push_back(m_inputOf[std::size_t(row)]);
    m_inputOf = std::move(inputOf);
    arrange();
    for (Layer& layer : m_layers)
        layer.cache = layer.cache.index_select(1, index);
}

std::unique_ptr<JointStepper> T5Model::jointStepper(const std::shared_ptr<const ReadInputs>& inputs,
                                                    const std::vector<int>& inputOf,
                                                    std::int64_t maxTokens) const
{
    return std::make_unique<T5JointStepper>(*this, dynamic_cast<const EncoderOutput&>(*inputs), inputOf,
                                            maxTokens);
}

double T5Model::bytesOfSequence(const ReadInputs& /*inputs*/, int maxTokens) const
{
    const double element = m_compute.precision == torch::kFloat32 ? 4 : 2;
    const double perPosition =
        2.0 * m_config.num_decoder_layers * m_config.num_heads * m_config.d_kv * element;
    return perPosition * maxTokens + 40.0 * m_config.vocab_size;
}

} // namespace sparserl
