// SPDX-License-Identifier: Apache-2.0
#include "training/data/contrast.h"

#include <algorithm>

namespace sparserl {

void FamilySpeeds::add(const TargetId& target, const std::string& family, double speedup)
{
    auto& best = m_best[target.key()][family];
    best = std::max(best, speedup);
}

bool FamilySpeeds::isSlow(const TargetId& target, const std::string& family, double margin) const
{
    const auto matrix = m_best.find(target.key());
    if (matrix == m_best.end())
        return false;
    double best = 0;
    for (const auto& [name, speedup] : matrix->second)
        best = std::max(best, speedup);
    const auto own = matrix->second.find(family);
    return own == matrix->second.end() || own->second * (1 + margin) < best;
}

std::vector<ContrastPair> contrastPairs(std::span<const ContrastText> batch, const FamilySpeeds& speeds,
                                        double margin, Rng rng)
{
    std::vector<ContrastPair> pairs;
    std::vector<ContrastText> order(batch.begin(), batch.end());
    rng.shuffle(order);
    for (const auto& text : order) {
        if (4 * pairs.size() >= batch.size())
            break;
        std::vector<TargetId> others;
        for (const auto& [index, other, family] : batch) {
            // Programs of another task tell nothing of what matrix they were written for.
            if (other.sameVariant(text.target) && !(other == text.target) &&
                speeds.isSlow(other, text.family, margin))
                others.push_back(other);
        }
        if (!others.empty())
            pairs.push_back({text.index, others[rng.below(others.size())]});
    }
    return pairs;
}

} // namespace sparserl
