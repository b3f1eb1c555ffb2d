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

/// The best speed-up of each kernel family on each target; only correct programs count.
class FamilySpeeds
{
public:
    void add(const TargetId& target, const std::string& family, double speedup);
    /// Returns whether the family is slower than the best family of the target by more than the fraction
    /// `margin`, or has no correct program for the target. False for an unknown target.
    bool isSlow(const TargetId& target, const std::string& family, double margin) const;

private:
    std::map<std::string, std::map<std::string, double>> m_best; ///< Keyed by TargetId::key(), then family.
};

/// A text of a batch with its target and family.
struct ContrastText
{
    std::size_t index = 0;
    TargetId target;
    std::string family;
};

/// A text paired with a target of the same task and width for which the text is a bad choice.
struct ContrastPair
{
    std::size_t index = 0;
    TargetId other;
};

/// Pairs a text with another matrix of the batch on which the text's family is slow. Does so for a quarter of
/// the texts (rounded up), or for fewer if there are not enough such pairs. Other pairs would carry no
/// information, because the text is equally good on a matrix that its family suits.
std::vector<ContrastPair> contrastPairs(std::span<const ContrastText> batch, const FamilySpeeds& speeds,
                                        double margin, Rng rng);

} // namespace sparserl
