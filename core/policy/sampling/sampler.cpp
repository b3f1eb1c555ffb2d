// SPDX-License-Identifier: Apache-2.0
#include "policy/sampling/sampler.h"

#include "policy/kernels/decoder_kernels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sparserl {

void TokenSampler::truncate(const SamplingOptions& options)
{
    const int n = static_cast<int>(m_behaviour.size());
    m_order.resize(std::size_t(n));
    std::iota(m_order.begin(), m_order.end(), 0);
    // Ties go to the lower id, so that the kept set does not depend on the sort.
    std::sort(m_order.begin(), m_order.end(), [&](int a, int b) {
        return m_behaviour[a] != m_behaviour[b] ? m_behaviour[a] > m_behaviour[b] : a < b;
    });
    int keep = options.topK > 0 ? std::min(options.topK, n) : n;
    if (options.topP < 1) {
        double total = 0, reached = 0;
        for (int i = 0; i < keep; ++i)
            total += m_behaviour[m_order[i]];
        for (int i = 0; i < keep; ++i) {
            reached += m_behaviour[m_order[i]];
            if (reached >= options.topP * total)
                keep = i + 1;
        }
    }
    double kept = 0;
    for (int i = 0; i < keep; ++i)
        kept += m_behaviour[m_order[i]];
    for (int i = 0; i < n; ++i)
        m_behaviour[m_order[i]] = i < keep ? m_behaviour[m_order[i]] / kept : 0.0;
}

Draw TokenSampler::draw(const float* logits, int n, const SamplingOptions& options, Rng& rng)
{
    m_exps.resize(std::size_t(n));
    float top = 0;
    const float scale = static_cast<float>(1.0 / options.temperature);
    const float sum = softmaxNumerators(logits, m_exps.data(), n, scale, &top);
    checkProbability(sum); // also before anything is sorted
    Draw draw;
    const auto finish = [&](int token) {
        draw.token = token;
        draw.logProb = logits[token] * scale - top - std::log(sum);
        checkProbability(draw.logProb);
        return draw;
    };
    if (options.greedy)
        return finish(static_cast<int>(std::max_element(logits, logits + n) - logits));

    const bool truncated = options.topK > 0 || options.topP<1, mixed = options.broadFraction> 0;
    if (!truncated && !mixed) {
        const double target = rng.uniform() * double(sum);
        double reached = 0;
        int token = -1;
        for (int i = 0; i < n; ++i) {
            if (m_exps[i] == 0)
                continue;
            token = i; // the last possible token if rounding leaves the target above the sum
            reached += m_exps[i];
            if (reached > target)
                break;
        }
        finish(token);
        draw.behaviourLogProb = draw.logProb;
        return draw;
    }

    m_behaviour.resize(std::size_t(n));
    for (int i = 0; i < n; ++i)
        m_behaviour[i] = double(m_exps[i]) / double(sum);
    if (truncated)
        truncate(options);
    if (mixed) {
        m_broad.resize(std::size_t(n));
        float broadTop = 0;
        const float broadSum = softmaxNumerators(
            logits, m_broad.data(), n, static_cast<float>(1.0 / options.broadTemperature), &broadTop);
        for (int i = 0; i < n; ++i)
            m_behaviour[i] = (1 - options.broadFraction) * m_behaviour[i] +
                             options.broadFraction * double(m_broad[i]) / double(broadSum);
    }
    const int token = static_cast<int>(rng.pick(m_behaviour));
    finish(token);
    draw.behaviourLogProb = static_cast<float>(std::log(m_behaviour[token]));
    return draw;
}

} // namespace sparserl
