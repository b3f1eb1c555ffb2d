// SPDX-License-Identifier: Apache-2.0
#include "policy/model/sequence_batch.h"

#include <algorithm>

namespace sparserl {

using torch::Tensor;

int SequenceBatch::longest() const
{
    std::size_t longest = 0;
    for (const auto& target : targets)
        longest = std::max(longest, target.size());
    return static_cast<int>(longest);
}

Offsets offsetsOf(const SequenceBatch& batch)
{
    Offsets offsets{0};
    for (const auto& target : batch.targets)
        offsets.push_back(offsets.back() + std::int64_t(target.size()));
    return offsets;
}

Tensor lengthMask(const SequenceBatch& batch)
{
    Tensor mask = torch::zeros({std::int64_t(batch.targets.size()), std::int64_t(batch.longest())});
    for (std::size_t b = 0; b < batch.targets.size(); ++b)
        mask[std::int64_t(b)].narrow(0, 0, std::int64_t(batch.targets[b].size())).fill_(1);
    return mask;
}

} // namespace sparserl
