// SPDX-License-Identifier: Apache-2.0
#include "base/similarity.h"

#include <algorithm>
#include <iterator>

namespace sparserl {

double similarity(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b)
{
    std::vector<std::uint32_t> shared;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(shared));
    const std::size_t all = a.size() + b.size() - shared.size();
    return all > 0 ? static_cast<double>(shared.size()) / static_cast<double>(all) : 0;
}

} // namespace sparserl
