// SPDX-License-Identifier: Apache-2.0
#include "policy/t5/t5.h"

#include "policy/compute/recompute.h"
#include "policy/compute/transfer.h"
#include "policy/kernels/attention.h"
#include "policy/t5/plain_forward.h"

#include <cmath>

namespace sparserl {

using torch::Tensor;

T5Model::T5Model(const T5Config& config, const EmbeddingConfig& embedding, ModelHead head)
    : m_config(config)
    , m_head(head)
    , m_matrix(embedding, config.d_model)
{
    const std::int64_t d = config.d_model, inner = std::int64_t(config.num_heads) * config.d_kv;
    const auto make = [](std::initializer_list<std::int64_t> shape) { return torch::zeros(shape); };
    m_shared = make({config.vocab_size, d});
    const auto stack = [&](int layers, bool cross) {
        T5Stack s;
        for (int i = 0; i < layers; ++i) {
            T5Block block;
            block.self = {make({d}), make({3 * inner, d}), make({d, inner})};
            if (cross)
                block.cross = {make({d}), make({inner, d}), make({2 * inner, d}), make({d, inner})};
            block.feed = {make({d}), make({(config.gated ? 2 : 1) * std::int64_t(config.d_ff), d}),
                          make({d, config.d_ff})};
            s.blocks.push_back(std::move(block));
        }
        s.relativeBias = make({config.relative_attention_num_buckets, config.num_heads});
        s.finalNorm = make({d});
        return s;
    };
    m_encoder = stack(config.num_layers, false);
    m_decoder = stack(config.num_decoder_layers, true);
    if (head == ModelHead::Scalar) {
        m_valueWeight = make({1, d});
        m_valueBias = make({1});
    } else if (!config.tie_word_embeddings) {
        m_lmHead = make({config.vocab_size, d});
    }
    setRequiresGrad(true);
}

std::vector<Tensor*> T5Block::tensors()
{
    std::vector<Tensor*> defined;
    for (Tensor* tensor : {&self.norm, &self.qkv, &self.out, &cross.norm, &cross.query, &cross.keyValue,
                           &cross.out, &feed.norm, &feed.in, &feed.out}) {
        if (tensor->defined())
            defined.push_back(tensor);
    }
    return defined;
}

double T5Model::headScale() const
{
    return m_config.tie_word_embeddings ? 1.0 / std::sqrt(double(m_config.d_model)) : 1.0;
}

namespace {

/// Matrices are the right operand of x W^T; the residual is added by the same product.
Tensor addProjected(const Tensor& residual, const Tensor& x, const Tensor& weight)
{
    return torch::addmm(residual, x, weight.t());
}

Tensor feedForward(const FeedForward& w, const Tensor& x, const T5Config& config)
{
    Tensor h = torch::mm(rmsNorm(x, w.norm, config.layer_norm_epsilon), w.in.t());
    if (config.gated) {
        const auto halves = h.chunk(2, -1);
        h = torch::gelu(halves[0], "tanh") * halves[1];
    } else {
        torch::relu_(h); // the product before it does not need what it gave
    }
    return addProjected(x, h, w.out);
}

Tensor selfAttentionLayer(const SelfAttention& w, const Tensor& x, const Tensor& bias, const Offsets& offsets,
                          bool causal, const T5Config& config,
                          const std::shared_ptr<const TreeMask>& tree = nullptr)
{
    const Tensor qkv = torch::mm(rmsNorm(x, w.norm, config.layer_norm_epsilon), w.qkv.t());
    return addProjected(x, selfAttention(qkv, bias, offsets, causal, tree), w.out);
}

std::int64_t longestOf(const Offsets& offsets)
{
    std::int64_t longest = 1;
    for (std::size_t b = 0; b + 1 < offsets.size(); ++b)
        longest = std::max(longest, offsets[b + 1] - offsets[b]);
    return longest;
}

/// The trees of quad-tree attention; nothing for other embeddings.
std::shared_ptr<const TreeMask> treeOf(const std::vector<ModelInput>& inputs, const T5Config& config)
{
    if (inputs.empty() || inputs[0].matrix->parents.empty())
        return nullptr;
    auto tree = std::make_shared<TreeMask>();
    tree->heads = (config.num_heads + 1) / 2;
    for (const ModelInput& input : inputs) {
        tree->parents.push_back(input.matrix->parents);
        tree->parents.back().resize(input.matrix->parents.size() + input.prompt.size(), TreeMask::noNode);
    }
    return tree;
}

} // namespace

Tensor T5Model::encodeEmbedded(const Tensor& embedded, const Offsets& offsets,
                               const std::shared_ptr<const TreeMask>& tree, const GoesOn& goesOn) const
{
    if (!m_compute.kernels())
        return plainEncode(m_encoder, m_config, embedded, offsets, m_compute, tree.get(), goesOn);
    const Tensor bias = relativeBias(m_encoder.relativeBias, longestOf(offsets), true,
                                     m_config.relative_attention_max_distance);
    const LayerFunction<T5Block> layer =
        [offsets, tree, config = m_config](const T5Block& block, const std::vector<Tensor>& given) {
            const Tensor x = selfAttentionLayer(block.self, given[0], given[1], offsets, false, config, tree);
            return feedForward(block.feed, x, config);
        };
    Tensor x = embedded;
    for (const T5Block& block : m_encoder.blocks) {
        if (goesOn && !goesOn())
            return {};
        x = throughLayer(layer, block, {x, bias}, m_compute.recompute);
    }
    return rmsNorm(x, m_encoder.finalNorm, m_config.layer_norm_epsilon);
}

std::shared_ptr<const EncoderOutput> T5Model::encode(const std::vector<ModelInput>& inputs,
                                                     const GoesOn& goesOn) const
{
    const auto [x, offsets] = m_matrix.embed(inputs, m_shared);
    auto result = std::make_shared<EncoderOutput>();
    result->offsets = offsets;
    result->hidden = encodeEmbedded(x, offsets, treeOf(inputs, m_config), goesOn);
    return result->hidden.defined() ? result : nullptr;
}

Tensor T5Model::decode(const Tensor& ids, const Offsets& offsets, const EncoderOutput& encoded,
                       const std::vector<int>& inputOf) const
{
    if (!m_compute.kernels())
        return plainDecode(m_decoder, m_config, torch::embedding(m_shared, ids), offsets, encoded, inputOf,
                           m_compute);
    const Tensor bias = relativeBias(m_decoder.relativeBias, longestOf(offsets), false,
                                     m_config.relative_attention_max_distance);
    const LayerFunction<T5Block> layer = [offsets, inputOf, keyOffsets = encoded.offsets, config = m_config](
                                             const T5Block& block, const std::vector<Tensor>& given) {
        Tensor x = selfAttentionLayer(block.self, given[0], given[1], offsets, true, config);
        const Tensor query =
            torch::mm(rmsNorm(x, block.cross.norm, config.layer_norm_epsilon), block.cross.query.t());
        const Tensor keyValue = torch::mm(given[2], block.cross.keyValue.t());
        x = addProjected(x, crossAttention(query, keyValue, offsets, keyOffsets, inputOf, config.num_heads),
                         block.cross.out);
        return feedForward(block.feed, x, config);
    };
    Tensor x = torch::embedding(m_shared, ids);
    for (const T5Block& block : m_decoder.blocks)
        x = throughLayer(layer, block, {x, bias, encoded.hidden}, m_compute.recompute);
    return rmsNorm(x, m_decoder.finalNorm, m_config.layer_norm_epsilon);
}

Tensor T5Model::hiddenStates(const SequenceBatch& batch) const
{
    const Offsets offsets = offsetsOf(batch);
    Tensor ids = torch::empty({offsets.back()}, torch::kInt64);
    std::int64_t* id = ids.data_ptr<std::int64_t>();
    for (const auto& target : batch.targets) {
        if (target.empty())
            continue;
        *id++ = T5Config::startToken;
        id = std::copy(target.begin(), target.end() - 1, id);
    }
    return decode(onDevice(ids, m_shared.device()), offsets, *encode(batch.inputs), batch.inputOf);
}

std::shared_ptr<const ReadInputs> T5Model::read(const std::vector<ModelInput>& inputs,
                                                const GoesOn& goesOn) const
{
    return encode(inputs, goesOn);
}

Tensor T5Model::applyHead(const Tensor& hidden) const
{
    if (m_head == ModelHead::Scalar)
        return torch::addmm(m_valueBias, hidden, m_valueWeight.t());
    return torch::mm(m_config.tie_word_embeddings ? hidden * headScale() : hidden, headWeight().t());
}

int relativePositionBucket(int relative, bool bidirectional, int buckets, int maxDistance)
{
    int bucket = 0;
    if (bidirectional) {
        buckets /= 2;
        bucket = relative > 0 ? buckets : 0;
        relative = std::abs(relative);
    } else {
        relative = std::max(-relative, 0);
    }
    const int exact = buckets / 2;
    if (relative < exact)
        return bucket + relative;
    const float scale = static_cast<float>(std::log(double(maxDistance) / exact));
    const float position = std::log(float(relative) / float(exact)) / scale * float(buckets - exact);
    return bucket + std::min(exact + static_cast<int>(position), buckets - 1);
}

Tensor relativeBias(const Tensor& table, std::int64_t length, bool bidirectional, int maxDistance)
{
    const int buckets = static_cast<int>(table.size(0));
    Tensor index = torch::empty({2 * length - 1}, torch::kInt64);
    for (std::int64_t i = 0; i < 2 * length - 1; ++i)
        index.data_ptr<std::int64_t>()[i] =
            relativePositionBucket(int(i - (length - 1)), bidirectional, buckets, maxDistance);
    return table.index_select(0, onDevice(index, table.device())).t().contiguous();
}

} // namespace sparserl
