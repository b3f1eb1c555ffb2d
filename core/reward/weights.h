// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace sparserl {

/// Weights of the paper's reward (A.4), for its ablations. Only the presets `sparserl` and `sparserl-literal`
/// use them.
struct RewardWeights
{
    double efficiency = 1;    ///< r_eff (Eq. 8, Table 4), at least 0.
    double penalty = 0.3;     ///< r_penalty (Table 5), 0 to 0.5.
    double correctness = 0.5; ///< alpha (A.4.3), 0 to 1; used only by `sparserl-literal`.

    bool operator==(const RewardWeights&) const = default;
};

} // namespace sparserl
