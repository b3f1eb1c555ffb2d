// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace sparserl {

/// The best speed-up of each family on each matrix among correct programs.
class FamilySpeeds
{
public:
    void add(const std::string& digest, const std::string& family, double speedup);
    /// Whether the family is slower than the matrix's best by more than `margin` of it, or has no correct
    /// program there. False for a matrix that nothing is known of.
    bool isSlow(const std::string& digest, const std::string& family, double margin) const;

private:
    std::map<std::string, std::map<std::string, double>> m_best;
};

/// A text of a batch: the matrix that it is shown for, and its family.
struct ContrastText
{
    std::size_t index = 0;
    std::string digest, family;
};

/// A text, and a matrix that it does not suit.
struct ContrastPair
{
    std::size_t index = 0;
    std::string other;
};

/// For a quarter of the batch (rounded up), where there is one, another matrix of the batch that the text's
/// family is slow on. Only such a pair says something: on a matrix that the family suits as well, the text is
/// as good.
std::vector<ContrastPair> contrastPairs(std::span<const ContrastText> batch, const FamilySpeeds& speeds,
                                        double margin, Rng rng);

} // namespace sparserl
