// SPDX-License-Identifier: Apache-2.0
#include "training/learning/contrast_loss.h"

namespace sparserl {

ContrastLoss contrastLoss(const torch::Tensor& own, const torch::Tensor& other)
{
    const torch::Tensor difference = own.to(torch::kFloat64).sum(1) - other.to(torch::kFloat64).sum(1);
    return {-torch::log_sigmoid(difference).sum(), (difference > 0).sum().item<double>()};
}

} // namespace sparserl
