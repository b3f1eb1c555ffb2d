// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Lines that one text has in the place of lines of another; either side may be empty.
struct LineDifference
{
    int leftBegin = 0, leftEnd = 0;   ///< Lines of the left text from 0, the end not included.
    int rightBegin = 0, rightEnd = 0; ///< The same of the right one.
    bool operator==(const LineDifference&) const = default;
};

/// What differs between two texts, from their longest common subsequence of lines. Of texts that differ in
/// more than some thousand lines on both sides, all between their common beginning and end is one difference.
std::vector<LineDifference> diffLines(const std::vector<std::string>& left,
                                      const std::vector<std::string>& right);

/// Lines without their ends; a last empty one is not a line.
std::vector<std::string> splitLines(std::string_view text);

} // namespace sparserl
