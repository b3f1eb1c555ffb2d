// SPDX-License-Identifier: Apache-2.0
#include "corpus/spmm_portfolio.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace sparserl {

double falling(double value, double best, double worst)
{
    return std::clamp((worst - value) / (worst - best), 0.0, 1.0);
}

double rising(double value, double worst, double best)
{
    return 1 - falling(value, worst, best);
}

std::int64_t powerAbove(double value, std::int64_t least, std::int64_t most)
{
    std::int64_t result = least;
    while (result < most && static_cast<double>(result) < value)
        result *= 2;
    return result;
}

SpmmPortfolio::SpmmPortfolio(const MatrixFeatures& matrixFeatures, std::int64_t denseColumns,
                             const SpmmDevice& onDevice)
    : m_features(matrixFeatures)
    , m_device(onDevice)
    , m_columns(std::max<std::int64_t>(1, denseColumns))
{
    m_vec = m_columns % 4 == 0 ? 4 : m_columns % 2 == 0 ? 2 : 1;
    m_whole = powerAbove(static_cast<double>(m_columns) / static_cast<double>(m_vec), 1, 8);
    m_across = m_whole;
    m_mean = std::max(m_features.rowMean, 0.01);
    // A row that most rows do not exceed: what an idle device waits for.
    m_typical = std::max(m_mean, static_cast<double>(std::min<std::int64_t>(m_features.rowQ80, 4096)));
    m_lengths = fmt::format("{} columns, mean row length {:.1f}, coefficient of variation {:.2f}", m_columns,
                            m_features.rowMean, m_features.rowCv);
    for (const KernelFamily& one : kernelFamilies()) {
        if (one.task() == Task::SpMM)
            m_families.push_back(&one);
    }
    const auto place = [](const KernelFamily* one) { return std::get<SpmmRules>(one->rules).place; };
    std::stable_sort(m_families.begin(), m_families.end(),
                     [&](const KernelFamily* a, const KernelFamily* b) { return place(a) < place(b); });
}

std::vector<Candidate> SpmmPortfolio::candidates()
{
    ask(SpmmPass::Groups);
    ask(SpmmPass::Rows);
    ask(SpmmPass::Others);
    // Slices of B's columns in blocks of their own: on an idle device they leave more lanes for the rows, on
    // a busy one more rows of a slice fit into the caches.
    for (std::int64_t slice : {std::int64_t(2), std::int64_t(4)}) {
        if (slice >= m_whole)
            continue;
        m_across = slice;
        if (idle() >= 0.2) {
            m_weight = (slice == 2 ? 0.99 : 0.93) * (0.6 + 0.4 * idle());
            ask(SpmmPass::Slices);
        } else {
            m_weight = slice == 2 ? 0.88 : 0.86;
            ask(SpmmPass::BusySlices);
        }
    }
    std::stable_sort(m_all.begin(), m_all.end(), [](const Proposed& a, const Proposed& b) {
        return a.candidate.score > b.candidate.score;
    });
    return diverse();
}

void SpmmPortfolio::ask(SpmmPass pass)
{
    for (const KernelFamily* one : m_families) {
        m_asked = one;
        std::get<SpmmRules>(one->rules).propose(*this, pass);
    }
}

std::vector<Candidate> SpmmPortfolio::diverse() const
{
    std::map<const KernelFamily*, int> taken;
    std::vector<Candidate> first, rest;
    for (const Proposed& proposed : m_all) {
        const bool more = taken[proposed.family]++ < std::get<SpmmRules>(proposed.family->rules).firstTries;
        (more ? first : rest).push_back(proposed.candidate);
    }
    constexpr std::size_t most = 40;
    for (Candidate& candidate : rest)
        first.push_back(std::move(candidate));
    if (first.size() > most)
        first.resize(most);
    return first;
}

void SpmmPortfolio::add(FamilyParameters parameters, double score, const std::string& reason)
{
    const bool known = std::any_of(m_all.begin(), m_all.end(), [&](const Proposed& other) {
        return other.family == m_asked && other.candidate.parameters == parameters;
    });
    if (!known) {
        m_all.push_back(
            {{m_asked->family.id, std::move(parameters), std::clamp(score * m_weight, 0.01, 1.0), reason},
             m_asked});
    }
}

double SpmmPortfolio::rowThreads() const
{
    return static_cast<double>(m_features.rows) * static_cast<double>(m_whole);
}

std::int64_t SpmmPortfolio::lanesFor(double each) const
{
    const double full = rising(rowThreads() / m_device.threads, 0.5, 8);
    const double length = (1 - full) * m_typical + full * m_mean;
    const double wanted = length / (each * (1 + full));
    return allowedLanes(m_across * powerAbove(wanted, 1, 32));
}

std::int64_t SpmmPortfolio::allowedLanes(std::int64_t lanes, std::int64_t most) const
{
    return std::clamp<std::int64_t>(lanes, std::max<std::int64_t>(2, m_across), most);
}

double SpmmPortfolio::perLane(std::int64_t lanes) const
{
    return m_typical * static_cast<double>(m_across) / static_cast<double>(lanes);
}

double SpmmPortfolio::idle() const
{
    return falling(rowThreads(), 0.1 * m_device.threads, 0.6 * m_device.threads);
}

double SpmmPortfolio::evenness() const
{
    const double waves = static_cast<double>(m_features.rowMax) / std::max(1.0, m_typical);
    return 0.35 + 0.65 * falling(waves, 3, 60);
}

double SpmmPortfolio::byteLimit() const
{
    const double csr =
        4.0 * (static_cast<double>(m_features.rows) + 1) + 8.0 * static_cast<double>(m_features.nnz);
    return 8 * csr + 64.0 * 1024 * 1024;
}

double SpmmPortfolio::skew() const
{
    return static_cast<double>(m_features.rowMax) / std::max(1.0, m_typical);
}

std::string SpmmPortfolio::skewReason() const
{
    return fmt::format("longest row {} entries, {:.1f} times the mean", m_features.rowMax,
                       static_cast<double>(m_features.rowMax) / m_mean);
}

} // namespace sparserl
