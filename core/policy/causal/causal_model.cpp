// SPDX-License-Identifier: Apache-2.0
#include "policy/causal/causal_model.h"

#include "policy/compute/recompute.h"
#include "policy/compute/transfer.h"
#include "policy/kernels/head_product.h"

#include <fmt/format.h>
#include <numeric>

namespace sparserl {

using torch::Tensor;

std::vector<Tensor*> CausalBlock::tensors()
{
    std::vector<Tensor*> defined;
    for (Tensor* tensor :
         {&attentionNorm, &query.weight, &query.bias,  &key.weight, &key.bias,     &value.weight, &value.bias,
          &out.weight,    &out.bias,     &queryNorm,   &keyNorm,    &feedNorm,     &gate.weight,  &gate.bias,
          &up.weight,     &up.bias,      &down.weight, &down.bias,  &attendedNorm, &fedNorm}) {
        if (tensor->defined())
            defined.push_back(tensor);
    }
    for (CausalLinear* layer : {&query, &key, &value, &out, &gate, &up, &down}) {
        if (layer->down.defined())
            defined.insert(defined.end(), {&layer->down, &layer->up});
    }
    return defined;
}

CausalModel::CausalModel(const CausalConfig& config, const EmbeddingConfig& embedding, ModelHead head)
    : m_config(config)
    , m_head(head)
    , m_rope(config)
    , m_words(torch::empty({config.vocab_size, config.hidden_size}))
    , m_matrix(embedding, config.hidden_size)
{
    const std::int64_t d = config.hidden_size, ff = config.intermediate_size;
    const std::int64_t inner = std::int64_t(config.num_attention_heads) * config.head_dim;
    const std::int64_t shared = std::int64_t(config.num_key_value_heads) * config.head_dim;
    const LoraConfig& lora = config.lora;
    for (int i = 0; i < config.num_hidden_layers; ++i) {
        const auto linear = [&](const char* name, std::int64_t outputs, std::int64_t inputs, bool bias) {
            CausalLinear layer{torch::empty({outputs, inputs}), bias ? torch::empty({outputs}) : Tensor()};
            if (lora.any() && lora.adapts(fmt::format("model.layers.{}.{}", i, name))) {
                layer.down = torch::empty({lora.rank, inputs});
                layer.up = torch::empty({outputs, lora.rank});
            }
            return layer;
        };
        CausalBlock block;
        block.attentionNorm = torch::empty({d});
        block.query = linear("self_attn.q_proj", inner, d, config.biasOfQkv);
        block.key = linear("self_attn.k_proj", shared, d, config.biasOfQkv);
        block.value = linear("self_attn.v_proj", shared, d, config.biasOfQkv);
        block.out = linear("self_attn.o_proj", d, inner, config.biasOfOutput);
        if (config.normOfQueryAndKey) {
            block.queryNorm = torch::empty({config.head_dim});
            block.keyNorm = torch::empty({config.head_dim});
        }
        block.feedNorm = torch::empty({d});
        if (config.gateBesideUp) {
            block.gate = linear("mlp.gate_up_proj", 2 * ff, d, config.biasOfMlp);
        } else {
            block.gate = linear("mlp.gate_proj", ff, d, config.biasOfMlp);
            block.up = linear("mlp.up_proj", ff, d, config.biasOfMlp);
        }
        if (config.normOfResults) {
            block.attendedNorm = torch::empty({d});
            block.fedNorm = torch::empty({d});
        }
        block.down = linear("mlp.down_proj", d, ff, config.biasOfMlp);
        m_blocks.push_back(std::move(block));
    }
    m_finalNorm = torch::empty({d});
    if (head == ModelHead::Scalar) {
        m_valueWeight = torch::zeros({1, d});
        m_valueBias = torch::zeros({1});
    } else if (!config.tie_word_embeddings) {
        m_lmHead = torch::empty({config.vocab_size, d});
    }
}

Tensor CausalModel::linear(const CausalLinear& layer, const Tensor& x) const
{
    const auto type = x.scalar_type();
    Tensor y = layer.bias.defined() ? torch::linear(x, layer.weight.to(type), layer.bias.to(type))
                                    : torch::linear(x, layer.weight.to(type));
    if (!layer.down.defined())
        return y;
    const Tensor low = torch::linear(x, layer.down.to(type));
    return y + m_config.lora.scale() * torch::linear(low, layer.up.to(type));
}

Tensor CausalModel::norm(const Tensor& x, const Tensor& weight) const
{
    return at::rms_norm(x.to(torch::kFloat32), {x.size(-1)}, weight.to(torch::kFloat32),
                        m_config.rms_norm_eps);
}

Tensor CausalModel::lastNorm(const Tensor& x) const
{
    return norm(x, m_finalNorm);
}

CausalModel::Projected CausalModel::project(const CausalBlock& block, const Tensor& x,
                                            const Rope::Angles& angles) const
{
    const auto precision = m_compute.precision;
    const Tensor h = norm(x, block.attentionNorm).to(precision);
    const auto heads = [&](const CausalLinear& layer) {
        return linear(layer, h).view({x.size(0), -1, m_config.head_dim});
    };
    Tensor query = heads(block.query), key = heads(block.key);
    if (block.queryNorm.defined()) {
        query = norm(query, block.queryNorm).to(precision);
        key = norm(key, block.keyNorm).to(precision);
    }
    return {Rope::turned(query, angles), {Rope::turned(key, angles), heads(block.value)}};
}

Tensor CausalModel::finish(const CausalBlock& block, const Tensor& x, const Tensor& attended) const
{
    const auto added = [this](const Tensor& result, const Tensor& weight) {
        return weight.defined() ? norm(result, weight) : result;
    };
    const Tensor y = x + added(linear(block.out, attended), block.attendedNorm);
    const Tensor h = norm(y, block.feedNorm).to(m_compute.precision);
    Tensor gate = linear(block.gate, h), up;
    if (block.up.weight.defined()) {
        up = linear(block.up, h);
    } else {
        const auto both = gate.chunk(2, -1);
        gate = both[0];
        up = both[1];
    }
    return y + added(linear(block.down, torch::silu(gate) * up), block.fedNorm);
}

CausalModel::Layout CausalModel::layoutOf(const Offsets& offsets) const
{
    Tensor positions = torch::empty({offsets.back()}, torch::kInt64);
    std::int64_t* at = positions.data_ptr<std::int64_t>();
    for (std::size_t b = 0; b + 1 < offsets.size(); ++b)
        std::iota(at + offsets[b], at + offsets[b + 1], 0);
    const torch::Device device = m_compute.device;
    return {PaddedRows(offsets, 1, device), m_rope.anglesOf(onDevice(positions, device))};
}

Tensor CausalModel::forward(const Tensor& embedded, const Layout& layout, std::vector<KeyValue>* kept,
                            const GoesOn& goesOn) const
{
    const LayerFunction<CausalBlock> layer = [this, layout, kept](const CausalBlock& block,
                                                                  const std::vector<Tensor>& given) {
        const auto [query, keyValue] = project(block, given[0], layout.angles);
        if (kept != nullptr)
            kept->push_back(keyValue);
        const auto padded = [&](const Tensor& rows) { // [groups, heads, length, head_dim]
            const Tensor p = layout.rows.pad(rows.flatten(1));
            return p.view({p.size(0), p.size(1), -1, m_config.head_dim}).transpose(1, 2);
        };
        // What fills up a sequence stands behind it, where no query of it looks.
        const Tensor attended = at::scaled_dot_product_attention(
            padded(query), padded(keyValue.key), padded(keyValue.value), std::nullopt, 0.0,
            /*is_causal=*/true, std::nullopt,
            /*enable_gqa=*/m_config.num_key_value_heads != m_config.num_attention_heads);
        return finish(block, given[0], layout.rows.pack(attended.transpose(1, 2).flatten(2)));
    };
    Tensor x = embedded;
    for (const CausalBlock& block : m_blocks) {
        if (goesOn && !goesOn())
            return {};
        x = throughLayer(layer, block, {x}, m_compute.recompute);
    }
    return lastNorm(x);
}

Tensor CausalModel::hiddenStates(const SequenceBatch& batch) const
{
    const auto [inputs, inputOffsets] = m_matrix.embed(batch.inputs, m_words);
    // Each sequence is its input's rows and its tokens but for the last; token t is predicted by the row
    // before it.
    std::vector<std::int64_t> ids, order, predicts;
    Offsets offsets{0};
    for (std::size_t b = 0; b < batch.targets.size(); ++b) {
        const auto& target = batch.targets[b];
        if (target.empty())
            continue;
        const auto input = std::size_t(batch.inputOf[b]);
        for (std::int64_t row = inputOffsets[input]; row < inputOffsets[input + 1]; ++row)
            order.push_back(row);
        for (std::size_t t = 0; t < target.size(); ++t) {
            predicts.push_back(std::int64_t(order.size()) - 1);
            if (t + 1 == target.size())
                break;
            order.push_back(inputOffsets.back() + std::int64_t(ids.size()));
            ids.push_back(target[t]);
        }
        offsets.push_back(std::int64_t(order.size()));
    }
    const torch::Device device = m_compute.device;
    const auto there = [&](const std::vector<std::int64_t>& of) {
        return onDevice(torch::tensor(of, torch::kInt64), device);
    };
    if (predicts.empty())
        return torch::zeros({0, m_config.hidden_size}, torch::TensorOptions().device(device));
    const Tensor words = torch::embedding(m_words, there(ids)).to(torch::kFloat32);
    const Tensor x = torch::cat({inputs, words}).index_select(0, there(order));
    return forward(x, layoutOf(offsets)).index_select(0, there(predicts));
}

HeadWeights CausalModel::head() const
{
    return {m_lmHead.defined() ? m_lmHead : m_words, 1.0};
}

Tensor CausalModel::applyHead(const Tensor& hidden) const
{
    if (m_head == ModelHead::Scalar)
        return torch::addmm(m_valueBias, hidden, m_valueWeight.t());
    return headProduct(hidden, headOperand(head().weight));
}

std::shared_ptr<const ReadInputs> CausalModel::read(const std::vector<ModelInput>& inputs,
                                                    const GoesOn& goesOn) const
{
    const torch::NoGradGuard guard;
    const auto [x, offsets] = m_matrix.embed(inputs, m_words);
    auto result = std::make_shared<CausalInputs>();
    result->offsets = offsets;
    const Tensor hidden = forward(x, layoutOf(offsets), &result->layers, goesOn);
    if (!hidden.defined())
        return nullptr;
    std::vector<std::int64_t> last;
    for (std::size_t m = 0; m + 1 < offsets.size(); ++m)
        last.push_back(offsets[m + 1] - 1);
    result->last = hidden.index_select(0, onDevice(torch::tensor(last, torch::kInt64), m_compute.device));
    return result;
}

} // namespace sparserl
