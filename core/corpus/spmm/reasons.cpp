// SPDX-License-Identifier: Apache-2.0
#include "corpus/spmm/reasons.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::spmm {

std::string reasonOfLengths(const MatrixFeatures& features, const TargetVariant& variant)
{
    return fmt::format("{} columns, mean row length {:.1f}, coefficient of variation {:.2f}", variant.columns,
                       features.rowMean, features.rowCv);
}

std::string reasonOfPadding(const MatrixFeatures& features, const TargetVariant& variant)
{
    return fmt::format("longest row over mean {:.2f}, {} columns", features.ellRatio, variant.columns);
}

std::string reasonOfLongestRow(const MatrixFeatures& features, const TargetVariant&)
{
    return fmt::format("longest row {} entries, {:.1f} times the mean", features.rowMax,
                       static_cast<double>(features.rowMax) / std::max(features.rowMean, 0.01));
}

} // namespace sparserl::spmm
