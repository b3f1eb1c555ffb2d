// SPDX-License-Identifier: Apache-2.0
#include "policy/t5/batch_decoder.h"

#include "base/rng.h"
#include "policy/compute/cuda_part.h"
#include "policy/compute/transfer.h"
#include "policy/t5/plain_forward.h"
#include "policy/tokenizer/tokenizer.h"

#include <algorithm>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <numeric>

namespace sparserl {

using torch::Tensor;

namespace {

/// Attention reads the cache in steps of this many positions: a graph for each, and masks stay aligned.
constexpr std::int64_t keyStep = 64;
constexpr std::int64_t maskMultiple = 16;

std::int64_t roundedUp(std::int64_t n, std::int64_t multiple)
{
    return (n + multiple - 1) / multiple * multiple;
}

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

double BatchDecoder::bytesOf(const T5Model& model, int maxTokens)
{
    const T5Config& config = model.config();
    const double element = model.compute().precision == torch::kFloat32 ? 4 : 2;
    const double perPosition = 2.0 * config.num_decoder_layers * config.num_heads * config.d_kv * element;
    return perPosition * maxTokens + 40.0 * config.vocab_size;
}

BatchDecoder::BatchDecoder(const T5Model& model, const EncoderOutput& encoded,
                           const std::vector<int>& inputOf, const std::vector<std::uint64_t>& seeds,
                           const SamplingOptions& options)
    : m_config(model.config())
    , m_options(options)
    , m_compute(model.compute())
    , m_sequences(std::int64_t(inputOf.size()))
    , m_capacity(roundedUp(options.maxTokens, keyStep))
    , m_stack(inPrecision(model.decoder(), m_compute.precision))
    , m_embedding(model.sharedEmbedding())
    , m_head(model.headWeight())
    , m_headScale(model.headScale())
    , m_inputOf(inputOf)
{
    const torch::Device device = m_compute.device;
    const auto real = torch::TensorOptions().device(device).dtype(m_compute.precision);
    const auto whole = torch::TensorOptions().device(device).dtype(torch::kInt64);
    cacheInputs(encoded);
    std::vector<std::int64_t> all(inputOf.size());
    std::iota(all.begin(), all.end(), 0);
    arrange(std::move(all));
    for (Layer& layer : m_layers)
        layer.cache = torch::zeros({2, m_sequences, m_config.num_heads, m_capacity, m_config.d_kv}, real);

    Tensor future = torch::zeros({2 * m_capacity - 1});
    future.narrow(0, m_capacity, m_capacity - 1).fill_(maskedScore);
    m_diagonal =
        (relativeBias(m_stack.relativeBias, m_capacity, false, m_config.relative_attention_max_distance) +
         onDevice(future, device))
            .to(m_compute.precision);
    m_ramp = torch::arange(m_capacity, whole) + (m_capacity - 1);
    m_step = torch::zeros({1}, whole);
    m_token = torch::full({m_sequences}, std::int64_t(Tokenizer::padId), whole);

    // Each sequence's numbers in the order in which it will want them: at most one a token.
    Tensor uniform = torch::empty({options.maxTokens, m_sequences}, torch::kFloat64);
    double* numbers = uniform.data_ptr<double>();
    for (std::int64_t b = 0; b < m_sequences; ++b) {
        Rng rng(seeds[std::size_t(b)]);
        for (std::int64_t t = 0; t < options.maxTokens; ++t)
            numbers[t * m_sequences + b] = rng.uniform();
    }
    m_uniform = onDevice(uniform, device);
    m_tokens = torch::zeros({options.maxTokens, m_sequences}, whole);
    m_logProbs = torch::zeros({options.maxTokens, m_sequences},
                              torch::TensorOptions().device(device).dtype(torch::kFloat32));
    m_behaviour = torch::zeros_like(m_logProbs);
    if (!device.is_cpu()) {
        m_recorder = graphRecorder();
        m_hostTokens = torch::empty({options.maxTokens, m_sequences},
                                    torch::TensorOptions().dtype(torch::kInt64).pinned_memory(true));
    }
}

/// The order of rows: sequences of an input side by side.
void BatchDecoder::arrange(std::vector<std::int64_t> sequences)
{
    std::stable_sort(sequences.begin(), sequences.end(), [&](std::int64_t a, std::int64_t b) {
        return m_inputOf[std::size_t(a)] < m_inputOf[std::size_t(b)];
    });
    m_running = std::move(sequences);
    m_row = onDevice(torch::tensor(m_running, torch::kInt64), m_compute.device);
    Offsets offsets(m_running.size() + 1);
    std::iota(offsets.begin(), offsets.end(), 0);
    std::vector<int> groupOf;
    for (const std::int64_t sequence : m_running)
        groupOf.push_back(m_inputOf[std::size_t(sequence)]);
    m_byInput.emplace(offsets, groupOf, m_inputs, 1, m_compute.device);
}

void BatchDecoder::cacheInputs(const EncoderOutput& encoded)
{
    const torch::Device device = m_compute.device;
    PaddedRows keys(encoded.offsets, 1, device);
    m_inputs = keys.groups();
    if (!keys.full()) {
        keys = PaddedRows(encoded.offsets, maskMultiple, device);
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

Tensor BatchDecoder::logits(std::int64_t keys) const
{
    const std::int64_t rows = m_token.size(0), heads = m_config.num_heads, width = m_config.d_kv;
    const std::int64_t inner = heads * width;
    const double epsilon = m_config.layer_norm_epsilon;
    const auto precision = m_compute.precision;
    const Tensor mask =
        m_diagonal.index_select(1, m_ramp.narrow(0, 0, keys) - m_step).view({1, heads, 1, keys});
    Tensor x = torch::embedding(m_embedding, m_token);
    for (const Layer& layer : m_layers) {
        const T5Block& w = *layer.weights;
        const Tensor qkv = torch::mm(plainNorm(x, w.self.norm, epsilon, precision), w.self.qkv.t());
        const Tensor keyValue = qkv.narrow(1, inner, 2 * inner).view({rows, 2, heads, 1, width});
        layer.cache.index_copy_(3, m_step, keyValue.transpose(0, 1));
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

/// As TokenSampler has it: the most likely tokens, then the mixture. [rows, V], fp64.
Tensor BatchDecoder::behaviour(const Tensor& logits) const
{
    Tensor p = torch::softmax(logits / m_options.temperature, -1).to(torch::kFloat64);
    if (m_options.topK > 0 || m_options.topP < 1) {
        const std::int64_t n = p.size(1);
        // Ties go to the lower id.
        auto [sorted, order] = torch::sort(p, /*stable=*/true, /*dim=*/-1, /*descending=*/true);
        if (m_options.topK > 0 && m_options.topK < n)
            sorted.narrow(1, m_options.topK, n - m_options.topK).zero_();
        if (m_options.topP < 1) {
            // A token stays while those before it have not reached the share.
            const Tensor reached = sorted.cumsum(-1);
            const Tensor bar = reached.narrow(1, n - 1, 1) * m_options.topP;
            sorted = torch::where(reached - sorted < bar, sorted, torch::zeros_like(sorted));
        }
        p = torch::zeros_like(p).scatter_(1, order, sorted / sorted.sum(-1, true));
    }
    if (m_options.broadFraction > 0)
        p = p * (1 - m_options.broadFraction) +
            torch::softmax(logits / m_options.broadTemperature, -1).to(torch::kFloat64) *
                m_options.broadFraction;
    return p;
}

void BatchDecoder::draw(const Tensor& logits)
{
    const Tensor all =
        torch::log_softmax(m_options.temperature == 1.0 ? logits : logits / m_options.temperature, -1);
    const Tensor place = m_step * m_sequences + m_row; // in [capacity, sequences]
    const bool plain = m_options.topK == 0 && m_options.topP >= 1 && m_options.broadFraction == 0;
    Tensor token, p;
    if (m_options.greedy) {
        token = logits.argmax(-1);
    } else {
        // The first token whose sum exceeds the drawn part of the whole, added up in double as on the CPU.
        p = plain ? all.exp().to(torch::kFloat64) : behaviour(logits);
        const Tensor sums = p.cumsum(-1);
        const Tensor target = m_uniform.view(-1).index_select(0, place) * sums.select(1, sums.size(1) - 1);
        token = torch::searchsorted(sums, target.unsqueeze(1), /*out_int32=*/false, /*right=*/true)
                    .squeeze(1)
                    .clamp_max(sums.size(1) - 1);
    }
    const Tensor chosen = token.unsqueeze(1), logProb = all.gather(1, chosen).squeeze(1);
    m_tokens.view(-1).index_copy_(0, place, token);
    m_logProbs.view(-1).index_copy_(0, place, logProb);
    if (!m_options.greedy) // greedy: certain, as on the CPU
        m_behaviour.view(-1).index_copy_(
            0, place, plain ? logProb : p.gather(1, chosen).squeeze(1).log().to(torch::kFloat32));
    m_token.copy_(token);
    m_step.add_(1);
}

void BatchDecoder::run(std::int64_t keys)
{
    draw(logits(keys));
}

void BatchDecoder::step()
{
    const torch::NoGradGuard guard;
    const c10::DeviceGuard current(m_compute.device); // graphs are recorded on the current one
    const std::int64_t keys = std::min(m_capacity, roundedUp(m_begun + 1, keyStep));
    if (!m_recorder) {
        run(keys);
    } else if (const auto found = m_graphs.find(keys); found == m_graphs.end()) {
        run(keys); // loads what a recording may not load
        m_graphs.emplace(keys, nullptr);
    } else {
        if (!found->second)
            found->second = m_recorder->record([&] { run(keys); });
        found->second->replay();
    }
    if (!m_compute.device.is_cpu()) {
        m_hostTokens[m_begun].copy_(m_tokens[m_begun], /*non_blocking=*/true);
        const c10::impl::VirtualGuardImpl guardOf(m_compute.device.type());
        m_events.emplace_back(m_compute.device.type());
        m_events.back().record(guardOf.getStream(m_compute.device));
    }
    ++m_begun;
}

std::span<const std::int64_t> BatchDecoder::tokens(std::int64_t step)
{
    if (!m_compute.device.is_cpu())
        m_events[std::size_t(step)].synchronize();
    const Tensor& from = m_compute.device.is_cpu() ? m_tokens : m_hostTokens;
    return {from.const_data_ptr<std::int64_t>() + step * m_sequences, std::size_t(m_sequences)};
}

void BatchDecoder::keep(const std::vector<std::int64_t>& sequences)
{
    const torch::NoGradGuard guard;
    std::map<std::int64_t, std::int64_t> rowOf;
    for (std::size_t row = 0; row < m_running.size(); ++row)
        rowOf[m_running[row]] = std::int64_t(row);
    arrange(sequences);
    std::vector<std::int64_t> kept;
    for (const std::int64_t sequence : m_running)
        kept.push_back(rowOf.at(sequence));
    const Tensor index = onDevice(torch::tensor(kept, torch::kInt64), m_compute.device);
    m_graphs.clear(); // of the tensors as they were
    if (m_recorder)
        m_recorder = graphRecorder(); // the old one's memory goes with its graphs
    for (Layer& layer : m_layers)
        layer.cache = layer.cache.index_select(1, index);
    m_token = m_token.index_select(0, index);
}

} // namespace sparserl
