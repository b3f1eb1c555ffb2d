// SPDX-License-Identifier: Apache-2.0
#include "training/learning/advantages.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace sparserl {

namespace {

struct Moments
{
    double mean = 0;
    double variance = 0; ///< Unbiased; 0 for fewer than two.
    std::int64_t n = 0;
    double low = 0, high = 0;
};

std::map<std::int64_t, Moments> momentsByGroup(std::span<const double> scores,
                                               std::span<const std::int64_t> group)
{
    std::map<std::int64_t, Moments> moments;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        auto& m = moments[group[i]];
        m.low = m.n == 0 ? scores[i] : std::min(m.low, scores[i]);
        m.high = m.n == 0 ? scores[i] : std::max(m.high, scores[i]);
        m.mean += scores[i];
        ++m.n;
    }
    for (auto& [id, m] : moments)
        m.mean /= static_cast<double>(m.n);
    for (std::size_t i = 0; i < scores.size(); ++i) {
        auto& m = moments[group[i]];
        m.variance += (scores[i] - m.mean) * (scores[i] - m.mean);
    }
    for (auto& [id, m] : moments)
        m.variance = m.n > 1 ? m.variance / static_cast<double>(m.n - 1) : 0;
    return moments;
}

} // namespace

GaeResult gae(const TokenReward& rewards, const OldValue& values, const Mask& mask, double gamma,
              double lambda)
{
    const auto type = values.tensor.scalar_type();
    const auto r = rewards.tensor.detach().to(torch::kCPU, torch::kFloat64).contiguous();
    const auto v = values.tensor.detach().to(torch::kCPU, torch::kFloat64).contiguous();
    const auto m = mask.tensor.detach().to(torch::kCPU, torch::kFloat64).contiguous();
    auto advantages = torch::zeros_like(r);
    auto returns = torch::zeros_like(r);
    const auto rr = r.accessor<double, 2>(), vv = v.accessor<double, 2>(), mm = m.accessor<double, 2>();
    auto aa = advantages.accessor<double, 2>(), tt = returns.accessor<double, 2>();
    for (std::int64_t i = 0; i < r.size(0); ++i) {
        double nextValue = 0, nextAdvantage = 0;
        for (std::int64_t t = r.size(1) - 1; t >= 0; --t) {
            if (mm[i][t] <= 0)
                continue;
            const double delta = rr[i][t] + gamma * nextValue - vv[i][t];
            nextAdvantage = delta + gamma * lambda * nextAdvantage;
            nextValue = vv[i][t];
            aa[i][t] = nextAdvantage;
            tt[i][t] = nextAdvantage + nextValue;
        }
    }
    return {Advantage(advantages.to(values.tensor.device(), type)),
            Return(returns.to(values.tensor.device(), type))};
}

Advantage whiten(const Advantage& advantages, const Mask& mask)
{
    const auto x = masked(advantages.tensor, mask).to(torch::kFloat64);
    const auto m = mask.tensor.to(torch::kFloat64);
    const double n = m.sum().item<double>();
    if (n == 0)
        return Advantage(torch::zeros_like(advantages.tensor));
    const auto mean = x.sum() / n;
    const auto centred = (x - mean) * m;
    const double variance = n > 1 ? (centred * centred).sum().item<double>() / (n - 1) : 1.0;
    return Advantage((centred / std::sqrt(variance + 1e-8)).to(advantages.tensor.scalar_type()));
}

Advantage whitenByGroup(const Advantage& advantages, const Mask& mask, std::span<const std::int64_t> group)
{
    std::map<std::int64_t, std::vector<std::int64_t>> rows;
    for (std::size_t i = 0; i < group.size(); ++i)
        rows[group[i]].push_back(static_cast<std::int64_t>(i));
    auto result = torch::zeros_like(advantages.tensor);
    for (const auto& [id, members] : rows) {
        const auto index = torch::tensor(members, torch::kInt64);
        result.index_copy_(0, index, whiten(advantages.rows(index), mask.rows(index)).tensor);
    }
    return Advantage(result);
}

std::vector<double> groupAdvantages(std::span<const double> scores, std::span<const std::int64_t> group,
                                    GroupBaseline baseline, double epsilon)
{
    const auto moments = momentsByGroup(scores, group);
    std::vector<double> advantages(scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const auto& m = moments.at(group[i]);
        const auto n = static_cast<double>(m.n);
        const double centred = scores[i] - m.mean;
        switch (baseline) {
        case GroupBaseline::Grpo:
            advantages[i] =
                m.n == 1 ? scores[i] / (1 + epsilon) : centred / (std::sqrt(m.variance) + epsilon);
            break;
        case GroupBaseline::Rloo:
            advantages[i] = m.n == 1 ? 0 : centred * n / (n - 1);
            break;
        case GroupBaseline::DrGrpo:
        case GroupBaseline::ReinforcePlusPlus:
        case GroupBaseline::ReinforceBaseline:
        case GroupBaseline::MaxAtK:       // for one class of tokens of several
        case GroupBaseline::SelfCritical: // where there is no greedy program
            advantages[i] = centred;
            break;
        }
    }
    return advantages;
}

std::vector<double> maxAtKAdvantages(std::span<const double> scores, std::span<const std::int64_t> group,
                                     std::int64_t k)
{
    std::map<std::int64_t, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < scores.size(); ++i)
        groups[group[i]].push_back(i);
    std::vector<double> advantages(scores.size(), 0);
    for (auto& [id, members] : groups) {
        const auto n = static_cast<std::int64_t>(members.size());
        const std::int64_t chosen = std::min(k, n);
        if (chosen < 2)
            continue;
        std::sort(members.begin(), members.end(),
                  [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
        // share[j]: of the choices of k - 1 from the n - 1 others, those whose best is the j-th lowest,
        // C(j, k - 2) / C(n - 1, k - 1); by products, as binomials of long groups leave a double.
        std::vector<double> share(members.size(), 0);
        double left = static_cast<double>(chosen - 1) / static_cast<double>(n - 1);
        for (std::int64_t j = n - 2; j >= chosen - 2; --j) {
            share[static_cast<std::size_t>(j)] = left;
            left *= j > 0 ? static_cast<double>(j - (chosen - 2)) / static_cast<double>(j) : 0;
        }
        for (std::size_t i = 0; i < members.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                advantages[members[i]] +=
                    static_cast<double>(chosen) * share[j] * (scores[members[i]] - scores[members[j]]);
    }
    return advantages;
}

Return discountedReturns(const TokenReward& rewards, const Mask& mask, double gamma)
{
    // GAE with V = 0 and lambda = 1 is the discounted sum of rewards.
    const OldValue zero(torch::zeros_like(rewards.tensor));
    return gae(rewards, zero, mask, gamma, 1.0).returns;
}

Advantage broadcastAdvantages(std::span<const double> perResponse, const Mask& mask)
{
    const auto column =
        torch::tensor(std::vector<double>(perResponse.begin(), perResponse.end()), torch::kFloat64);
    return Advantage(mask.tensor * column.to(mask.tensor.scalar_type()).unsqueeze(1));
}

Advantage classAdvantages(std::span<const double> planAdvantages, std::span<const double> codeAdvantages,
                          const torch::Tensor& plan, const Mask& mask)
{
    const auto inPlan = broadcastAdvantages(planAdvantages, mask).tensor;
    const auto inCode = broadcastAdvantages(codeAdvantages, mask).tensor;
    return Advantage(masked(torch::where(plan > 0, inPlan, inCode), mask));
}

torch::Tensor classWeights(const torch::Tensor& plan, const Mask& mask, double planWeight)
{
    const auto ofPlan = mask.tensor * (plan > 0).to(mask.tensor.scalar_type());
    const auto ofCode = mask.tensor - ofPlan;
    return planWeight * ofPlan / ofPlan.sum(1, /*keepdim=*/true).clamp_min(1) +
           ofCode / ofCode.sum(1, /*keepdim=*/true).clamp_min(1);
}

std::vector<std::int64_t> groupsWithSignal(std::span<const double> scores,
                                           std::span<const std::int64_t> group)
{
    std::vector<std::int64_t> ids;
    for (const auto& [id, m] : momentsByGroup(scores, group)) {
        if (m.high - m.low > 1e-9)
            ids.push_back(id);
    }
    return ids;
}

double fractionZeroStd(std::span<const double> scores, std::span<const std::int64_t> group)
{
    const auto moments = momentsByGroup(scores, group);
    if (moments.empty())
        return 0;
    std::size_t zero = 0;
    for (const auto& [id, m] : moments)
        zero += m.high - m.low <= 1e-12 ? 1 : 0;
    return static_cast<double>(zero) / static_cast<double>(moments.size());
}

} // namespace sparserl
