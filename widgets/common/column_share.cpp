// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/column_share.h"

#include <algorithm>
#include <cstddef>

namespace sparserl {

namespace {

bool mayBeCut(const ColumnWish& wish)
{
    return !wish.fixed && !wish.number;
}

int uncutWidth(const ColumnWish& wish)
{
    return wish.fixed ? wish.sample : wish.whole;
}

/// The width if the longest texts are cut to `level`.
int cutWidth(const ColumnWish& wish, int level)
{
    if (!mayBeCut(wish))
        return uncutWidth(wish);
    return std::clamp(level, std::min(wish.least, wish.whole), wish.whole);
}

int sumAt(const std::vector<ColumnWish>& wishes, int level)
{
    int sum = 0;
    for (const ColumnWish& wish : wishes)
        sum += cutWidth(wish, level);
    return sum;
}

} // namespace

std::optional<std::vector<int>> shareWidth(const std::vector<ColumnWish>& wishes, std::size_t first, int view)
{
    int longest = 0;
    for (const ColumnWish& wish : wishes)
        longest = std::max(longest, wish.whole);
    if (sumAt(wishes, 0) > view)
        return std::nullopt;
    int level = 0; // the highest at which all columns fit
    for (int above = longest + 1; above - level > 1;) {
        const int middle = level + (above - level) / 2;
        (sumAt(wishes, middle) <= view ? level : above) = middle;
    }
    std::vector<int> widths;
    widths.reserve(wishes.size());
    for (const ColumnWish& wish : wishes)
        widths.push_back(cutWidth(wish, level));
    int room = view - sumAt(wishes, level);
    const auto toSample = [&](std::size_t i) {
        const int given = std::clamp(wishes[i].sample - widths[i], 0, level == longest ? room : 0);
        widths[i] += given;
        room -= given;
    };
    toSample(first);
    for (std::size_t i = 0; i < wishes.size(); ++i)
        toSample(i);
    widths[first] += room;
    return widths;
}

} // namespace sparserl
