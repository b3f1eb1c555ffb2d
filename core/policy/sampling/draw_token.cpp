// SPDX-License-Identifier: Apache-2.0
#include "policy/sampling/draw_token.h"

#include <limits>

namespace sparserl {

using torch::Tensor;

namespace {

/// Running sums take a GPU one step after the other: those of a long row are taken in two stages, of its
/// parts and within the part that has been drawn.
constexpr std::int64_t longRow = 4096, parts = 256;

/// The first column of each row of running sums [rows, n] that exceeds the target [rows].
Tensor firstAbove(const Tensor& sums, const Tensor& target)
{
    return torch::searchsorted(sums, target.unsqueeze(1), /*out_int32=*/false, /*right=*/true)
        .squeeze(1)
        .clamp_max(sums.size(1) - 1);
}

} // namespace

Tensor drawColumns(const Tensor& weights, const Tensor& uniform)
{
    const std::int64_t rows = weights.size(0), columns = weights.size(1);
    if (columns < longRow) {
        const Tensor sums = weights.to(torch::kFloat64).cumsum(-1);
        return firstAbove(sums, uniform * sums.select(1, columns - 1));
    }
    const std::int64_t width = (columns + parts - 1) / parts;
    const Tensor split =
        torch::constant_pad_nd(weights, {0, parts * width - columns}).view({rows, parts, width});
    const Tensor sums = split.sum(at::IntArrayRef{-1}, false, torch::kFloat64).cumsum(-1);
    const Tensor target = uniform * sums.select(1, parts - 1);
    const Tensor part = firstAbove(sums, target);
    const Tensor before =
        torch::where(part > 0, sums.gather(1, (part - 1).clamp_min(0).unsqueeze(1)).squeeze(1), 0.0);
    const Tensor inside = split.gather(1, part.view({rows, 1, 1}).expand({rows, 1, width}))
                              .squeeze(1)
                              .to(torch::kFloat64)
                              .cumsum(-1) +
                          before.unsqueeze(1);
    // The sum of the part and the running sum in it may differ by rounding: the column that is found still
    // has a weight above zero.
    constexpr double below = 1 - 4 * std::numeric_limits<double>::epsilon();
    const Tensor reached = torch::minimum(target, inside.select(1, width - 1) * below);
    return (part * width + firstAbove(inside, reached)).clamp_max(columns - 1);
}

} // namespace sparserl
