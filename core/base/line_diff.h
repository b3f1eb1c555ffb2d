// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A range of lines in one text that replaces a range in another. Either range may be empty.
struct LineDifference
{
    int leftBegin = 0, leftEnd = 0;   ///< Lines of the left text, from 0; the end is exclusive.
    int rightBegin = 0, rightEnd = 0; ///< The same for the right text.
    bool operator==(const LineDifference&) const = default;
};

/// Computes the differences between two texts from their longest common subsequence of lines. If both texts
/// differ in more than a few thousand lines, everything between their common prefix and suffix is one
/// difference.
std::vector<LineDifference> diffLines(const std::vector<std::string>& left,
                                      const std::vector<std::string>& right);

/// Splits a text into lines without their terminators. Drops an empty last line.
std::vector<std::string> splitLines(std::string_view text);

} // namespace sparserl
