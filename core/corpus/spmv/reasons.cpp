// SPDX-License-Identifier: Apache-2.0
#include "corpus/spmv/reasons.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::spmv {

std::string reasonOfMeanLength(const MatrixFeatures& features)
{
    return fmt::format("mean row length {:.1f}, coefficient of variation {:.2f}", features.rowMean,
                       features.rowCv);
}

std::string reasonOfPadding(const MatrixFeatures& features)
{
    return fmt::format("longest row {} entries, {:.2f} times the mean; coefficient of variation {:.2f}",
                       features.rowMax, features.ellRatio, features.rowCv);
}

std::string reasonOfLongestRow(const MatrixFeatures& features)
{
    return fmt::format("{} entries, longest row {} against a mean of {:.1f}", features.nnz, features.rowMax,
                       features.rowMean);
}

std::string reasonOfColumnLength(const MatrixFeatures& features)
{
    const auto cols = static_cast<double>(features.cols);
    return fmt::format("{} columns, {:.1f} entries each", features.cols,
                       static_cast<double>(features.nnz) / std::max(1.0, cols));
}

} // namespace sparserl::spmv
