// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "target/target_id.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace sparserl {

/// The best speed-up of each family on each target among correct programs.
class FamilySpeeds
{
public:
    void add(const TargetId& target, const std::string& family, double speedup);
    /// Whether the family is slower than the target's best by more than `margin` of it, or has no correct
    /// program there. False for a target that nothing is known of.
    bool isSlow(const TargetId& target, const std::string& family, double margin) const;

private:
    std::map<std::string, std::map<std::string, double>> m_best; ///< By TargetId::key().
};

/// A text of a batch: the target that it is shown for, and its family.
struct ContrastText
{
    std::size_t index = 0;
    TargetId target;
    std::string family;
};

/// A text, and a target of the same task and width that it does not suit.
struct ContrastPair
{
    std::size_t index = 0;
    TargetId other;
};

/// For a quarter of the batch (rounded up), where there is one, another matrix of the batch that the text's
/// family is slow on. Only such a pair says something: on a matrix that the family suits as well, the text is
/// as good.
std::vector<ContrastPair> contrastPairs(std::span<const ContrastText> batch, const FamilySpeeds& speeds,
                                        double margin, Rng rng);

} // namespace sparserl
