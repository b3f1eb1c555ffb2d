// SPDX-License-Identifier: Apache-2.0
#include "policy/t5/t5_stepper.h"

#include "policy/kernels/decoder_kernels.h"

#include <ATen/Parallel.h>
#include <algorithm>
#include <numeric>

namespace sparserl {

using torch::Tensor;

namespace {

std::int64_t padded(std::int64_t n)
{
    return (n + keyTile - 1) / keyTile * keyTile;
}

PackedLinear linear(const Tensor& weight)
{
    const Tensor w = weight.detach().to(torch::kCPU, torch::kFloat32).contiguous();
    return {w.const_data_ptr<float>(), w.size(0), w.size(1)};
}

} // namespace

/// Buffers of one thread, for up to `rows` sequences.
struct T5Stepper::Work
{
    std::vector<float> x, normed, qkv, attended, feed, gated, logits, scratch;
    std::vector<std::size_t> byInput; ///< The rows, those of one encoder input beside each other.
};

T5Stepper::T5Stepper(const T5Model& model, const EncoderOutput& encoded, int places, int maxTokens)
    : m_config(model.config())
    , m_inputOffsets(encoded.offsets)
    , m_embedding(model.sharedEmbedding().detach().to(torch::kCPU, torch::kFloat32).contiguous())
    , m_finalNorm(model.decoder().finalNorm.detach().to(torch::kCPU, torch::kFloat32).contiguous())
    , m_head(linear(model.headWeight()))
    , m_headScale(static_cast<float>(model.headScale()))
    , m_capacity(padded(maxTokens))
    , m_places(places)
    , m_position(places, 0)
    , m_input(places, 0)
    , m_first(places)
{
    const torch::NoGradGuard guard;
    m_crossOffset = {0};
    for (std::size_t m = 0; m + 1 < m_inputOffsets.size(); ++m)
        m_crossOffset.push_back(m_crossOffset.back() + padded(m_inputOffsets[m + 1] - m_inputOffsets[m]));
    for (const T5Block& block : model.decoder().blocks) {
        Layer layer;
        const auto norm = [](const Tensor& t) {
            return t.detach().to(torch::kCPU, torch::kFloat32).contiguous();
        };
        layer.selfNorm = norm(block.self.norm);
        layer.crossNorm = norm(block.cross.norm);
        layer.feedNorm = norm(block.feed.norm);
        layer.qkv = linear(block.self.qkv);
        layer.selfOut = linear(block.self.out);
        layer.query = linear(block.cross.query);
        layer.crossOut = linear(block.cross.out);
        layer.feedIn = linear(block.feed.in);
        layer.feedOut = linear(block.feed.out);
        cacheCross(layer, torch::mm(encoded.hidden, block.cross.keyValue.t()));
        m_layers.push_back(std::move(layer));
    }
    const Tensor bias = relativeBias(model.decoder().relativeBias, m_capacity, false,
                                     m_config.relative_attention_max_distance)
                            .to(torch::kCPU)
                            .contiguous();
    // Entry j - i + L - 1 with j <= i: the first L entries of each head, distance L - 1 down to 0.
    m_bias.resize(std::size_t(m_config.num_heads * m_capacity));
    for (int h = 0; h < m_config.num_heads; ++h)
        std::copy_n(bias.const_data_ptr<float>() + h * (2 * m_capacity - 1), m_capacity,
                    m_bias.data() + h * m_capacity);
    const std::size_t cache =
        m_layers.size() * std::size_t(places) * m_config.num_heads * m_config.d_kv * m_capacity;
    m_keys = PagedFloats(cache);
    m_values = PagedFloats(cache);
}

void T5Stepper::cacheCross(Layer& layer, const Tensor& keyValue)
{
    const Tensor kv = keyValue.to(torch::kCPU).contiguous();
    const std::int64_t width = m_config.d_kv, inner = m_config.num_heads * width;
    layer.crossKeys.assign(std::size_t(m_crossOffset.back() * inner), 0.0f);
    layer.crossValues.assign(std::size_t(m_crossOffset.back() * inner), 0.0f);
    for (std::size_t m = 0; m + 1 < m_inputOffsets.size(); ++m) {
        const std::int64_t n = m_inputOffsets[m + 1] - m_inputOffsets[m], ld = padded(n);
        for (int h = 0; h < m_config.num_heads; ++h) {
            float* keys = layer.crossKeys.data() + m_crossOffset[m] * inner + h * ld * width;
            float* values = layer.crossValues.data() + m_crossOffset[m] * inner + h * ld * width;
            for (std::int64_t i = 0; i < n; ++i) {
                const float* row =
                    kv.const_data_ptr<float>() + (m_inputOffsets[m] + i) * 2 * inner + h * width;
                for (std::int64_t c = 0; c < width; ++c) {
                    keys[keyAt(i, c, width)] = row[c];
                    values[i * width + c] = row[inner + c];
                }
            }
        }
    }
}

void T5Stepper::start(int place, int input, std::span<const std::int32_t> prefix)
{
    m_position[place] = 0;
    m_input[place] = input;
    m_first[place] = T5Config::startToken;
    for (const std::int32_t token : prefix) {
        step(std::span(&place, 1), {&token, 1}, {});
        m_first[place] = token;
    }
}

void T5Stepper::regroup(std::span<const int> from)
{
    std::vector<int> moved;
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (from[i] != static_cast<int>(i))
            moved.push_back(static_cast<int>(i));
    }
    const auto block = static_cast<std::size_t>(m_config.num_heads * m_config.d_kv * m_capacity);
    std::vector<float> kept(moved.size() * block);
    for (auto* cache : {&m_keys, &m_values}) {
        for (std::size_t layer = 0; layer < m_layers.size(); ++layer) {
            float* places = cache->data() + layer * std::size_t(m_places) * block;
            for (std::size_t k = 0; k < moved.size(); ++k)
                std::copy_n(places + std::size_t(from[std::size_t(moved[k])]) * block, block,
                            kept.data() + k * block);
            for (std::size_t k = 0; k < moved.size(); ++k)
                std::copy_n(kept.data() + k * block, block, places + std::size_t(moved[k]) * block);
        }
    }
    const auto position = m_position, input = m_input;
    const auto first = m_first;
    for (const int place : moved) {
        m_position[place] = position[from[std::size_t(place)]];
        m_input[place] = input[from[std::size_t(place)]];
        m_first[place] = first[from[std::size_t(place)]];
    }
}

void T5Stepper::selfAttend(std::size_t index, int place, Work& work, std::int64_t row)
{
    const std::int64_t width = m_config.d_kv, heads = m_config.num_heads, inner = heads * width;
    const std::int64_t position = m_position[place];
    const float* qkv = work.qkv.data() + row * 3 * inner;
    const std::size_t base = (index * m_places + place) * inner * m_capacity;
    for (std::int64_t h = 0; h < heads; ++h) {
        float* keys = m_keys.data() + base + h * width * m_capacity;
        float* values = m_values.data() + base + h * width * m_capacity;
        for (std::int64_t c = 0; c < width; ++c) {
            keys[keyAt(position, c, width)] = qkv[inner + h * width + c];
            values[position * width + c] = qkv[2 * inner + h * width + c];
        }
        attendOne(qkv + h * width, keys, values, m_bias.data() + h * m_capacity + (m_capacity - 1 - position),
                  position + 1, width, work.scratch.data(), work.attended.data() + row * inner + h * width);
    }
}

void T5Stepper::crossAttend(const Layer& layer, std::span<const int> places, Work& work)
{
    const std::int64_t width = m_config.d_kv, heads = m_config.num_heads, inner = heads * width;
    // Rows of one input go through a head together: its keys and values stay in the processor's cache.
    const auto inputOf = [&](std::size_t at) { return m_input[places[work.byInput[at]]]; };
    for (std::size_t first = 0, last = 0; first < places.size(); first = last) {
        const int m = inputOf(first);
        while (last < places.size() && inputOf(last) == m)
            ++last;
        const std::int64_t n = m_inputOffsets[m + 1] - m_inputOffsets[m], ld = padded(n);
        for (std::int64_t h = 0; h < heads; ++h) {
            const std::int64_t at = m_crossOffset[m] * inner + h * ld * width;
            for (std::size_t i = first; i < last; ++i) {
                const std::int64_t component = std::int64_t(work.byInput[i]) * inner + h * width;
                attendOne(work.qkv.data() + component, layer.crossKeys.data() + at,
                          layer.crossValues.data() + at, nullptr, n, width, work.scratch.data(),
                          work.attended.data() + component);
            }
        }
    }
}

void T5Stepper::run(std::span<const int> places, std::span<const std::int32_t> tokens, std::size_t from,
                    std::size_t to, Work& work, const std::function<void(std::size_t, const float*)>& consume)
{
    const std::int64_t rows = std::int64_t(to - from), d = m_config.d_model;
    const std::int64_t inner = std::int64_t(m_config.num_heads) * m_config.d_kv, ff = m_config.d_ff;
    const float epsilon = static_cast<float>(m_config.layer_norm_epsilon);
    const auto fit = [](std::vector<float>& buffer, std::int64_t size) {
        if (std::int64_t(buffer.size()) < size)
            buffer.resize(std::size_t(size));
    };
    fit(work.x, rows * d);
    fit(work.normed, rows * d);
    fit(work.qkv, rows * 3 * inner);
    fit(work.attended, rows * inner);
    fit(work.feed, rows * m_layers.front().feedIn.out());
    fit(work.gated, rows * ff);
    fit(work.logits, rows * m_head.out());
    fit(work.scratch, std::max(m_capacity, padded(m_crossOffset.back())));
    const auto normalize = [&](const Tensor& weight) {
        for (std::int64_t i = 0; i < rows; ++i)
            normalizeRow(work.x.data() + i * d, weight.const_data_ptr<float>(), work.normed.data() + i * d, d,
                         epsilon);
    };

    work.byInput.resize(to - from);
    std::iota(work.byInput.begin(), work.byInput.end(), 0);
    std::ranges::stable_sort(work.byInput, {}, [&](std::size_t i) { return m_input[places[from + i]]; });
    for (std::int64_t i = 0; i < rows; ++i) {
        const std::int32_t token = m_first[places[from + i]].value_or(tokens[from + i]);
        std::copy_n(m_embedding.const_data_ptr<float>() + token * d, d, work.x.data() + i * d);
    }
    for (std::size_t index = 0; index < m_layers.size(); ++index) {
        const Layer& layer = m_layers[index];
        normalize(layer.selfNorm);
        layer.qkv.apply(work.normed.data(), rows, work.qkv.data(), false);
        for (std::int64_t i = 0; i < rows; ++i)
            selfAttend(index, places[from + i], work, i);
        layer.selfOut.apply(work.attended.data(), rows, work.x.data(), true);
        normalize(layer.crossNorm);
        layer.query.apply(work.normed.data(), rows, work.qkv.data(), false);
        crossAttend(layer, places.subspan(from, to - from), work);
        layer.crossOut.apply(work.attended.data(), rows, work.x.data(), true);
        normalize(layer.feedNorm);
        layer.feedIn.apply(work.normed.data(), rows, work.feed.data(), false);
        if (m_config.gated) {
            for (std::int64_t i = 0; i < rows; ++i)
                gatedGeluRow(work.feed.data() + i * 2 * ff, work.gated.data() + i * ff, ff);
        } else {
            reluRow(work.feed.data(), rows * ff);
        }
        layer.feedOut.apply(m_config.gated ? work.gated.data() : work.feed.data(), rows, work.x.data(), true);
    }
    if (!consume)
        return;
    normalize(m_finalNorm);
    for (std::int64_t i = 0; i < rows * d; ++i)
        work.normed[std::size_t(i)] *= m_headScale;
    m_head.apply(work.normed.data(), rows, work.logits.data(), false);
    for (std::int64_t i = 0; i < rows; ++i)
        consume(from + i, work.logits.data() + i * m_head.out());
}

void T5Stepper::step(std::span<const int> places, std::span<const std::int32_t> tokens,
                     const std::function<void(std::size_t, const float*)>& consume)
{
    const std::int64_t count = std::int64_t(places.size());
    const std::int64_t chunks =
        std::max<std::int64_t>(1, std::min<std::int64_t>(at::get_num_threads(), count / 4));
    while (std::int64_t(m_work.size()) < chunks)
        m_work.push_back(std::make_shared<Work>());
    at::parallel_for(0, chunks, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t chunk = begin; chunk < end; ++chunk)
            run(places, tokens, std::size_t(count * chunk / chunks),
                std::size_t(count * (chunk + 1) / chunks), *m_work[std::size_t(chunk)], consume);
    });
    for (const int place : places) {
        ++m_position[place];
        m_first[place].reset();
    }
}

std::unique_ptr<Stepper> T5Model::stepper(const std::shared_ptr<const ReadInputs>& inputs, int places,
                                          int maxTokens) const
{
    return std::make_unique<T5Stepper>(*this, dynamic_cast<const EncoderOutput&>(*inputs), places, maxTokens);
}

} // namespace sparserl
