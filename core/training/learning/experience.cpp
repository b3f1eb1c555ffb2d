// SPDX-License-Identifier: Apache-2.0
#include "training/learning/experience.h"

#include <cstddef>
#include <map>

namespace sparserl {

SequenceBatch selectRows(const SequenceBatch& batch, std::span<const std::int64_t> rows)
{
    SequenceBatch chosen;
    std::map<int, int> renumbered;
    for (const auto row : rows) {
        const int input = batch.inputOf[static_cast<std::size_t>(row)];
        const auto [at, isNew] = renumbered.try_emplace(input, static_cast<int>(chosen.inputs.size()));
        if (isNew)
            chosen.inputs.push_back(batch.inputs[static_cast<std::size_t>(input)]);
        chosen.inputOf.push_back(at->second);
        chosen.targets.push_back(batch.targets[static_cast<std::size_t>(row)]);
        if (!batch.classes.empty())
            chosen.classes.push_back(batch.classes[static_cast<std::size_t>(row)]);
    }
    return chosen;
}

torch::Tensor padded(const std::vector<std::vector<float>>& rows, std::int64_t columns)
{
    std::vector<float> flat;
    for (const auto& row : rows) {
        flat.insert(flat.end(), row.begin(), row.end());
        flat.resize(flat.size() + static_cast<std::size_t>(columns) - row.size(), 0.0f);
    }
    return torch::tensor(flat).reshape({static_cast<std::int64_t>(rows.size()), columns});
}

torch::Tensor toColumns(const torch::Tensor& x, std::int64_t columns)
{
    if (x.size(1) == columns)
        return x;
    if (x.size(1) > columns)
        return x.slice(1, 0, columns);
    return torch::constant_pad_nd(x, {0, columns - x.size(1)});
}

} // namespace sparserl
