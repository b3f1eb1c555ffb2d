// SPDX-License-Identifier: Apache-2.0
#include "evaluation/bench/bench_programs.h"

#include <algorithm>
#include <set>

namespace sparserl {

namespace {

class Portfolio
{
public:
    Portfolio(const BenchChoice& choice, ElementType type)
        : m_choice(choice)
        , m_type(type)
    {
    }
    bool full() const { return m_programs.size() >= m_choice.limit; }
    bool wants(const std::string& family) const
    {
        return m_choice.families.empty() || std::find(m_choice.families.begin(), m_choice.families.end(),
                                                      family) != m_choice.families.end();
    }
    /// False where it was there already or cannot be derived.
    bool add(const std::string& family, const FamilyParameters& parameters)
    {
        if (full() || !wants(family))
            return false;
        auto program = derive(family, parameters, {}, true, m_type);
        if (!program || !m_texts.insert(program->text).second)
            return false;
        m_families.insert(family);
        m_programs.push_back(std::move(*program));
        return true;
    }
    bool has(const std::string& family) const { return m_families.count(family) != 0; }
    std::vector<DerivedProgram> take() { return std::move(m_programs); }

private:
    const BenchChoice& m_choice;
    ElementType m_type;
    std::vector<DerivedProgram> m_programs;
    std::set<std::string> m_texts, m_families;
};

/// The parameters with one of them moved one step along its domain, both ways.
std::vector<FamilyParameters> neighbours(const Family& family, const FamilyParameters& parameters)
{
    std::vector<FamilyParameters> out;
    for (const FamilyParameter& parameter : family.parameters) {
        const auto found = parameters.find(parameter.name);
        const std::int64_t value = found == parameters.end() ? parameter.values.front() : found->second;
        const auto at = std::find(parameter.values.begin(), parameter.values.end(), value);
        if (at == parameter.values.end())
            continue;
        if (at != parameter.values.begin()) {
            out.push_back(parameters);
            out.back()[parameter.name] = *(at - 1);
        }
        if (at + 1 != parameter.values.end()) {
            out.push_back(parameters);
            out.back()[parameter.name] = *(at + 1);
        }
    }
    return out;
}

} // namespace

std::vector<DerivedProgram> benchPrograms(Task task, const MatrixFeatures& features,
                                          std::int64_t denseColumns, const BenchChoice& choice,
                                          ElementType type)
{
    Portfolio portfolio(choice, type);
    const std::vector<Candidate> recommended = recommend(task, features, choice.model, denseColumns, type);
    for (const Candidate& candidate : recommended)
        portfolio.add(candidate.family, candidate.parameters);
    // Every family once before any varies, so that each has a chance on each matrix.
    for (const Family& family : families(task)) {
        if (!portfolio.has(family.id))
            portfolio.add(family.id, {});
    }
    std::vector<std::pair<const Family*, std::vector<FamilyParameters>>> variants;
    for (const Candidate& candidate : recommended) {
        if (const Family* family = findFamily(candidate.family))
            variants.emplace_back(family, neighbours(*family, candidate.parameters));
    }
    for (std::size_t round = 0; !portfolio.full(); ++round) {
        bool left = false;
        for (const auto& [family, moved] : variants) {
            if (round < moved.size()) {
                left = true;
                portfolio.add(family->id, moved[round]);
            }
        }
        if (!left)
            break;
    }
    return portfolio.take();
}

} // namespace sparserl
