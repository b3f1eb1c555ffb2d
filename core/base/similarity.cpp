// SPDX-License-Identifier: Apache-2.0
#include "base/similarity.h"

#include <algorithm>
#include <iterator>

namespace sparserl {

namespace {

std::size_t shared(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b)
{
    std::vector<std::uint32_t> both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both.size();
}

} // namespace

double similarity(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b)
{
    const std::size_t both = shared(a, b), all = a.size() + b.size() - both;
    return all > 0 ? static_cast<double>(both) / static_cast<double>(all) : 0;
}

double contained(const std::vector<std::uint32_t>& part, const std::vector<std::uint32_t>& whole,
                 std::size_t most)
{
    auto known = part;
    if (!whole.empty() && whole.size() >= most)
        known.erase(std::upper_bound(known.begin(), known.end(), whole.back()), known.end());
    return known.empty() ? 0 : static_cast<double>(shared(known, whole)) / static_cast<double>(known.size());
}

} // namespace sparserl
