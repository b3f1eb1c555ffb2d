// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/torch.h"

#include <utility>

namespace sparserl {

/// A tensor that says what it is, so that advantages cannot be passed where a mask is meant. All are [B, T]:
/// one row a response, one column a response token, of one floating type.
template <typename Tag>
struct Tagged
{
    torch::Tensor tensor;

    explicit Tagged(torch::Tensor t)
        : tensor(std::move(t))
    {
    }
    Tagged() = default;
    /// Rows [begin, end), or those that `rows` (int64) lists.
    Tagged rows(std::int64_t begin, std::int64_t end) const { return Tagged(tensor.slice(0, begin, end)); }
    Tagged rows(const torch::Tensor& rows) const { return Tagged(tensor.index_select(0, rows)); }
};

/// 1 for each token that the policy wrote, end-of-sequence included, else 0 (learnedMask).
using Mask = Tagged<struct MaskTag>;
using LogProb = Tagged<struct LogProbTag>;       ///< Of the sampled tokens, under the policy that is trained.
using OldLogProb = Tagged<struct OldLogProbTag>; ///< The same under the policy that sampled them.
using RefLogProb = Tagged<struct RefLogProbTag>; ///< The same under the frozen SFT policy.
using Advantage = Tagged<struct AdvantageTag>;
using Return = Tagged<struct ReturnTag>;
using Value = Tagged<struct ValueTag>;       ///< Under the critic that is trained.
using OldValue = Tagged<struct OldValueTag>; ///< At rollout time.
using TokenReward = Tagged<struct TokenRewardTag>;

/// Zero where the mask is 0, whatever stands there (also NaN), and with zero gradient there.
inline torch::Tensor masked(const torch::Tensor& x, const Mask& mask)
{
    return torch::where(mask.tensor > 0, x, torch::zeros({}, x.options()));
}

} // namespace sparserl
