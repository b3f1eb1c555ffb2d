// SPDX-License-Identifier: Apache-2.0
#include "value_map.h"

namespace sparserl_bundle {

std::vector<ValueMap> value_maps(const std::int64_t* words, std::size_t size, const Csr& pattern,
                                 std::int64_t dense_cols, std::int64_t sm_count)
{
    static_assert(sizeof(float) == sizeof(std::uint32_t), "the numbers of entries travel as bits of values");
    std::vector<std::uint32_t> numbers(static_cast<std::size_t>(pattern.nnz()));
    std::iota(numbers.begin(), numbers.end(), 1u); // 0 is the zero of padding.
    std::vector<float> bits(numbers.size());
    if (!numbers.empty())
        std::memcpy(bits.data(), numbers.data(), 4 * numbers.size());
    Csr numbered = pattern;
    numbered.val = bits.data();
    const BoundPlan plan = bind_plan(words, size, numbered, dense_cols, sm_count);
    std::vector<ValueMap> maps;
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
        const HostArray& array = plan.buffers[i].contents;
        if (!array.values || array.bytes == 0)
            continue;
        ValueMap map{i, array.bytes / 4, {}};
        const bool as_in_csr =
            array.bytes == 4 * numbers.size() && std::memcmp(array.data, numbers.data(), array.bytes) == 0;
        if (!as_in_csr) {
            map.source.resize(map.count);
            std::memcpy(map.source.data(), array.data, array.bytes);
        }
        maps.push_back(std::move(map));
    }
    return maps;
}

} // namespace sparserl_bundle
