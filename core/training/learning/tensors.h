// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/torch.h"

#include <utility>

namespace sparserl {

/// A tensor whose meaning is part of its type, so that advantages cannot be passed as a mask. All such
/// tensors are [B, T] of one floating-point type, with one row per response and one column per response
/// token.
template <typename Tag>
struct Tagged
{
    torch::Tensor tensor;

    explicit Tagged(torch::Tensor t)
        : tensor(std::move(t))
    {
    }
    Tagged() = default;
    /// Returns the rows [begin, end), or the rows listed in `rows` (int64).
    Tagged rows(std::int64_t begin, std::int64_t end) const { return Tagged(tensor.slice(0, begin, end)); }
    Tagged rows(const torch::Tensor& rows) const { return Tagged(tensor.index_select(0, rows)); }
};

/// 1 for each token that the policy generated, including end-of-sequence; 0 for all others (learnedMask).
using Mask = Tagged<struct MaskTag>;
using LogProb =
    Tagged<struct LogProbTag>; ///< Log-probability of the sampled tokens under the policy being trained.
using OldLogProb = Tagged<struct OldLogProbTag>; ///< The same under the policy that sampled them.
using RefLogProb = Tagged<struct RefLogProbTag>; ///< The same under the frozen SFT policy.
using Advantage = Tagged<struct AdvantageTag>;
using Return = Tagged<struct ReturnTag>;
using Value = Tagged<struct ValueTag>;       ///< From the critic being trained.
using OldValue = Tagged<struct OldValueTag>; ///< From the critic before the update.
using TokenReward = Tagged<struct TokenRewardTag>;

/// Returns `x`, with 0 where the mask is 0, even if `x` is NaN there. The gradient there is 0, too.
inline torch::Tensor masked(const torch::Tensor& x, const Mask& mask)
{
    return torch::where(mask.tensor > 0, x, torch::zeros({}, x.options()));
}

} // namespace sparserl
