// SPDX-License-Identifier: Apache-2.0
#include "search/archive.h"

#include "corpus/corpus.h"
#include "kernel/plan.h"

#include <algorithm>
#include <utility>

namespace sparserl {

namespace {

constexpr double shareOfNiches = 0.3; ///< Of parents, that are drawn from any niche alike.
constexpr double nextRank = 0.88;     ///< Each rank is so much less likely than the one before.
constexpr std::size_t mostParents = 40, mostElites = 12;

/// One of `count` ranks, the first the most likely.
std::size_t drawRank(std::size_t count, Rng& rng)
{
    std::vector<double> weights;
    double weight = 1;
    for (std::size_t i = 0; i < count; ++i, weight *= nextRank)
        weights.push_back(weight);
    return rng.pick(weights);
}

} // namespace

std::string nicheOf(const std::string& text)
{
    std::string niche = identifyFamily(text).value_or("other");
    if (const auto program = parseProgram(text)) {
        std::set<std::string> kinds;
        for (const PlanFormat& format : program->plan.formats)
            kinds.insert(format.spec.kind);
        for (const std::string& kind : kinds)
            niche += ", " + kind;
    }
    return niche;
}

const SearchedProgram& Archive::add(SearchedProgram program)
{
    const double before = best() ? best()->microseconds : 0;
    program.fresh = !program.key.empty() && m_keys.insert(program.key).second;
    program.niche = nicheOf(program.text);
    program.improved = program.correct() && program.fresh && (before == 0 || program.microseconds < before);
    program.gain = program.improved && before > 0 ? before / program.microseconds : 1;
    const std::size_t index = m_all.size();
    m_byNumber[program.number] = index;
    m_all.push_back(std::move(program));
    const SearchedProgram& kept = m_all.back();
    if (kept.correct() && kept.fresh) {
        const auto faster = [this](std::size_t a, std::size_t b) {
            return m_all[a].microseconds < m_all[b].microseconds;
        };
        // Behind those of the same time: who came first stays first.
        m_ranked.insert(std::upper_bound(m_ranked.begin(), m_ranked.end(), index, faster), index);
        auto& niche = m_byNiche[kept.niche];
        niche.insert(std::upper_bound(niche.begin(), niche.end(), index, faster), index);
        if (niche.size() > mostElites)
            niche.resize(mostElites);
    }
    return kept;
}

const SearchedProgram* Archive::find(std::size_t number) const
{
    const auto found = m_byNumber.find(number);
    return found == m_byNumber.end() ? nullptr : &m_all[found->second];
}

const SearchedProgram* Archive::best() const
{
    return m_ranked.empty() ? nullptr : &m_all[m_ranked.front()];
}

std::vector<const SearchedProgram*> Archive::ranked(std::size_t most) const
{
    std::vector<const SearchedProgram*> out;
    for (std::size_t i = 0; i < std::min(most, m_ranked.size()); ++i)
        out.push_back(&m_all[m_ranked[i]]);
    return out;
}

std::vector<std::string> Archive::niches() const
{
    std::vector<std::string> out;
    for (const auto& [niche, programs] : m_byNiche)
        out.push_back(niche);
    return out;
}

std::vector<const SearchedProgram*> Archive::elites(const std::string& niche) const
{
    std::vector<const SearchedProgram*> out;
    if (const auto found = m_byNiche.find(niche); found != m_byNiche.end()) {
        for (const std::size_t index : found->second)
            out.push_back(&m_all[index]);
    }
    return out;
}

const SearchedProgram* Archive::chooseParent(Rng& rng) const
{
    if (m_ranked.empty())
        return nullptr;
    if (rng.chance(shareOfNiches)) {
        const auto all = niches();
        const auto programs = elites(all[rng.below(all.size())]);
        return programs[drawRank(programs.size(), rng)];
    }
    return &m_all[m_ranked[drawRank(std::min(m_ranked.size(), mostParents), rng)]];
}

const SearchedProgram* Archive::chooseMate(const SearchedProgram& parent, Rng& rng) const
{
    auto programs = elites(parent.niche);
    std::erase_if(programs, [&](const SearchedProgram* one) { return one->number == parent.number; });
    return programs.empty() ? nullptr : programs[drawRank(programs.size(), rng)];
}

std::vector<const SearchedProgram*> Archive::lineage(const SearchedProgram& program) const
{
    std::vector<const SearchedProgram*> out{&program};
    // Parents are older than their children.
    while (!out.back()->parents.empty()) {
        const SearchedProgram* parent = find(out.back()->parents.front());
        if (!parent)
            break;
        out.push_back(parent);
    }
    std::reverse(out.begin(), out.end());
    return out;
}

} // namespace sparserl
