// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/torch.h"

namespace sparserl {

/// The loss of telling from a text which of two matrices it was written for (sft.contrast).
struct ContrastLoss
{
    torch::Tensor loss; ///< Sum over the texts, scalar in fp64, with gradient.
    double right = 0;   ///< Number of texts that are likelier for their own matrix.
};

/// Computes -ln sigmoid(ln p(text | own) - ln p(text | other)) from the log-probabilities [B, T] of the
/// tokens of each text under its own matrix and under the other one; 0 after the end of a text. The loss is
/// bounded below by 0, and flat once the text tells, so that it does not go on pushing. Log-probabilities of
/// whole texts are sums of hundreds of numbers, and their difference is small: both are computed in fp64.
ContrastLoss contrastLoss(const torch::Tensor& own, const torch::Tensor& other);

} // namespace sparserl
