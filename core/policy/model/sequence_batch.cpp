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

TokenClass SequenceBatch::classOf(std::size_t sequence, std::size_t token) const
{
    if (classes.empty() || classes[sequence].empty())
        return TokenClass::Policy;
    return classes[sequence].at(token);
}

bool SequenceBatch::learnsFrom(std::size_t sequence) const
{
    for (std::size_t t = 0; t < targets[sequence].size(); ++t) {
        if (classOf(sequence, t) != TokenClass::Observation)
            return true;
    }
    return false;
}

namespace {

template <typename Wanted>
Tensor maskOf(const SequenceBatch& batch, const Wanted& wanted)
{
    const std::int64_t columns = batch.longest();
    Tensor mask = torch::zeros({std::int64_t(batch.targets.size()), columns});
    float* row = mask.data_ptr<float>();
    for (std::size_t b = 0; b < batch.targets.size(); ++b, row += columns) {
        for (std::size_t t = 0; t < batch.targets[b].size(); ++t)
            row[t] = wanted(batch.classOf(b, t)) ? 1.0f : 0.0f;
    }
    return mask;
}

} // namespace

Tensor learnedMask(const SequenceBatch& batch)
{
    return maskOf(batch, [](TokenClass is) { return is != TokenClass::Observation; });
}

Tensor classMask(const SequenceBatch& batch, TokenClass wanted)
{
    return maskOf(batch, [&](TokenClass is) { return is == wanted; });
}

} // namespace sparserl
