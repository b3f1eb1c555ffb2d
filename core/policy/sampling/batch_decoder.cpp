// SPDX-License-Identifier: Apache-2.0
#include "policy/sampling/batch_decoder.h"

#include "base/rng.h"
#include "policy/compute/cuda_part.h"
#include "policy/compute/transfer.h"
#include "policy/sampling/draw_token.h"

#include <algorithm>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <numeric>

namespace sparserl {

using torch::Tensor;

BatchDecoder::BatchDecoder(const LanguageModel& model, const std::shared_ptr<const ReadInputs>& inputs,
                           std::span<const SampleRequest> requests, const SamplingOptions& options)
    : m_options(options)
    , m_device(model.compute().device)
    , m_sequences(std::int64_t(requests.size()))
{
    std::int64_t longest = 0;
    for (const SampleRequest& request : requests) {
        m_inputOf.push_back(request.input);
        longest = std::max(longest, std::int64_t(request.prefix.size()));
    }
    m_steps = longest + options.maxTokens;
    const auto whole = torch::TensorOptions().device(m_device).dtype(torch::kInt64);
    std::vector<std::int64_t> all(requests.size());
    std::iota(all.begin(), all.end(), 0);
    arrange(std::move(all));
    std::vector<int> inputOfRow;
    for (const std::int64_t sequence : m_running)
        inputOfRow.push_back(m_inputOf[std::size_t(sequence)]);
    m_stepper = model.jointStepper(inputs, inputOfRow, m_steps);
    m_step = torch::zeros({1}, whole);
    m_token = torch::zeros({m_sequences}, whole);

    // Each sequence's numbers in the order in which it will want them: at most one a token that it draws.
    Tensor uniform = torch::zeros({m_steps, m_sequences}, torch::kFloat64);
    Tensor prefix = torch::full({m_steps, m_sequences}, -1, torch::kInt64);
    double* numbers = uniform.data_ptr<double>();
    for (std::int64_t b = 0; b < m_sequences; ++b) {
        const SampleRequest& request = requests[std::size_t(b)];
        Rng rng(request.seed);
        const auto given = std::int64_t(request.prefix.size());
        for (std::int64_t t = 0; t < given; ++t)
            prefix.data_ptr<std::int64_t>()[t * m_sequences + b] = request.prefix[std::size_t(t)];
        for (std::int64_t t = given; t < given + options.maxTokens; ++t)
            numbers[t * m_sequences + b] = rng.uniform();
    }
    if (longest > 0)
        m_prefix = onDevice(prefix, m_device);
    m_uniform = onDevice(uniform, m_device);
    m_tokens = torch::zeros({m_steps, m_sequences}, whole);
    m_logProbs =
        torch::zeros({m_steps, m_sequences}, torch::TensorOptions().device(m_device).dtype(torch::kFloat32));
    m_behaviour = torch::zeros_like(m_logProbs);
    if (!m_device.is_cpu()) {
        m_recorder = graphRecorder();
        m_hostTokens = torch::empty({m_steps, m_sequences},
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
    m_row = onDevice(torch::tensor(m_running, torch::kInt64), m_device);
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
        p = plain ? all.exp() : behaviour(logits);
        token = drawColumns(p, m_uniform.view(-1).index_select(0, place));
    }
    if (m_prefix.defined()) {
        const Tensor given = m_prefix.view(-1).index_select(0, place);
        token = torch::where(given >= 0, given, token);
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
    draw(m_stepper->next(m_token, m_step, keys));
}

void BatchDecoder::step()
{
    const torch::NoGradGuard guard;
    const c10::DeviceGuard current(m_device); // graphs are recorded on the current one
    constexpr std::int64_t each = JointStepper::keyStep;
    const std::int64_t keys = (m_begun + each) / each * each; // the least multiple above m_begun
    if (m_begun == 0) {
        draw(m_stepper->first());
    } else if (!m_recorder) {
        run(keys);
    } else if (const auto found = m_graphs.find(keys); found == m_graphs.end()) {
        run(keys); // loads what a recording may not load
        m_graphs.emplace(keys, nullptr);
    } else {
        if (!found->second)
            found->second = m_recorder->record([&] { run(keys); });
        found->second->replay();
    }
    if (!m_device.is_cpu()) {
        m_hostTokens[m_begun].copy_(m_tokens[m_begun], /*non_blocking=*/true);
        const c10::impl::VirtualGuardImpl guardOf(m_device.type());
        m_events.emplace_back(m_device.type());
        m_events.back().record(guardOf.getStream(m_device));
    }
    ++m_begun;
}

std::span<const std::int64_t> BatchDecoder::tokens(std::int64_t step)
{
    if (!m_device.is_cpu())
        m_events[std::size_t(step)].synchronize();
    const Tensor& from = m_device.is_cpu() ? m_tokens : m_hostTokens;
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
    m_graphs.clear(); // of the tensors as they were
    if (m_recorder)
        m_recorder = graphRecorder(); // the old one's memory goes with its graphs
    m_stepper->keep(kept);
    m_token = m_token.index_select(0, onDevice(torch::tensor(kept, torch::kInt64), m_device));
}

} // namespace sparserl
