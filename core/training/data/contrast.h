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
    /// Whether the family is slower than the target's best by more than the fraction `margin`, or has no
    /// correct program there. False for an unknown target.
    bool isSlow(const TargetId& target, const std::string& family, double margin) const;

private:
    std::map<std::string, std::map<std::string, double>> m_best; ///< By TargetId::key().
};

/// A text of a batch with its target and family.
struct ContrastText
{
    std::size_t index = 0;
    TargetId target;
    std::string family;
};

/// A text, and a target of the same task and width that does not suit it.
struct ContrastPair
{
    std::size_t index = 0;
    TargetId other;
};

/// For a quarter of the batch (rounded up) if possible: a pair of a text and another matrix of the batch on
/// which the text's family is slow. Other pairs carry no information, because the text is equally good on a
/// matrix that its family suits.
std::vector<ContrastPair> contrastPairs(std::span<const ContrastText> batch, const FamilySpeeds& speeds,
                                        double margin, Rng rng);

} // namespace sparserl
