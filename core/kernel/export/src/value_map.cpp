// SPDX-License-Identifier: Apache-2.0
#include "value_map.h"

#include <type_traits>

namespace sparserl_bundle {

std::vector<ValueMap> value_maps(const std::int64_t* words, std::size_t size, const Csr& pattern,
                                 std::int64_t dense_cols, std::int64_t sm_count)
{
    using Bits = std::conditional_t<sizeof(real) == sizeof(std::uint64_t), std::uint64_t, std::uint32_t>;
    static_assert(sizeof(real) == sizeof(Bits), "the numbers of entries travel as bits of values");
    std::vector<Bits> numbers(static_cast<std::size_t>(pattern.nnz()));
    std::iota(numbers.begin(), numbers.end(), Bits(1)); // 0 is the zero of padding.
    std::vector<real> bits(numbers.size());
    if (!numbers.empty())
        std::memcpy(bits.data(), numbers.data(), sizeof(Bits) * numbers.size());
    Csr numbered = pattern;
    numbered.val = bits.data();
    const BoundPlan plan = bind_plan(words, size, numbered, dense_cols, sm_count);
    std::vector<ValueMap> maps;
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
        const HostArray& array = plan.buffers[i].contents;
        if (!array.values || array.bytes == 0)
            continue;
        ValueMap map{i, array.bytes / sizeof(Bits), {}};
        const bool as_in_csr = array.bytes == sizeof(Bits) * numbers.size() &&
                               std::memcmp(array.data, numbers.data(), array.bytes) == 0;
        if (!as_in_csr) {
            const auto* arrived = static_cast<const Bits*>(array.data);
            map.source.assign(arrived, arrived + map.count);
        }
        maps.push_back(std::move(map));
    }
    return maps;
}

} // namespace sparserl_bundle
