// SPDX-License-Identifier: Apache-2.0
#include "base/line_diff.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sparserl {

std::vector<std::string> splitLines(std::string_view text)
{
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        lines.emplace_back(line);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::vector<LineDifference> diffLines(const std::vector<std::string>& left,
                                      const std::vector<std::string>& right)
{
    constexpr std::size_t mostCells = std::size_t{1} << 24; // 64 MiB of lengths
    std::size_t head = 0;
    while (head < left.size() && head < right.size() && left[head] == right[head])
        ++head;
    std::size_t tail = 0;
    while (tail < left.size() - head && tail < right.size() - head &&
           left[left.size() - 1 - tail] == right[right.size() - 1 - tail])
        ++tail;
    const std::size_t rows = left.size() - head - tail, cols = right.size() - head - tail;
    std::vector<LineDifference> differences;
    // A difference grows while neither side's line is common.
    LineDifference open{static_cast<int>(head), static_cast<int>(head), static_cast<int>(head),
                        static_cast<int>(head)};
    const auto close = [&](std::size_t l, std::size_t r) {
        open.leftEnd = static_cast<int>(l);
        open.rightEnd = static_cast<int>(r);
        if (open.leftBegin != open.leftEnd || open.rightBegin != open.rightEnd)
            differences.push_back(open);
    };
    if (rows == 0 || cols == 0 || (rows + 1) * (cols + 1) > mostCells) {
        close(head + rows, head + cols);
        return differences;
    }
    // length[i][j]: of the longest common subsequence of what is from i and from j on.
    std::vector<std::uint32_t> length((rows + 1) * (cols + 1));
    const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& {
        return length[i * (cols + 1) + j];
    };
    for (std::size_t i = rows; i-- > 0;)
        for (std::size_t j = cols; j-- > 0;)
            at(i, j) = left[head + i] == right[head + j] ? at(i + 1, j + 1) + 1
                                                         : std::max(at(i + 1, j), at(i, j + 1));
    std::size_t i = 0, j = 0;
    while (i < rows && j < cols) {
        if (left[head + i] == right[head + j]) {
            close(head + i, head + j);
            ++i, ++j;
            open.leftBegin = static_cast<int>(head + i);
            open.rightBegin = static_cast<int>(head + j);
        } else if (at(i + 1, j) >= at(i, j + 1)) {
            ++i;
        } else {
            ++j;
        }
    }
    close(head + rows, head + cols);
    return differences;
}

} // namespace sparserl
