// SPDX-License-Identifier: Apache-2.0
#include "matrix/multiply.h"

#include "base/files.h"
#include "matrix/number.h"

#include <cassert>
#include <fmt/format.h>

namespace sparserl {

std::vector<double> multiply(const Csr& matrix, std::span<const double> x)
{
    assert(x.size() == static_cast<std::size_t>(matrix.cols));
    std::vector<double> y(static_cast<std::size_t>(matrix.rows), 0);
    for (std::int32_t row = 0; row < matrix.rows; ++row) {
        double sum = 0;
        for (std::int32_t k = matrix.rowPtr[row]; k < matrix.rowPtr[row + 1]; ++k) {
            sum += static_cast<double>(matrix.val[k]) * x[matrix.col[k]];
        }
        y[row] = sum;
    }
    return y;
}

std::vector<double> harmonicVector(std::int64_t size)
{
    std::vector<double> x(static_cast<std::size_t>(size));
    for (std::int64_t j = 0; j < size; ++j) {
        x[j] = 1.0 / (1.0 + static_cast<double>(j));
    }
    return x;
}

Result<std::vector<double>> readVector(const std::filesystem::path& path)
{
    SPARSERL_TRY(auto text, readFile(path, std::uint64_t(4) << 30));
    text += '\n';
    std::vector<double> out;
    const char* at = text.data();
    const char* end = at + text.size();
    int line = 1;
    bool sizeLine = text.starts_with("%%MatrixMarket") || text.starts_with("%%matrixmarket");
    while (at != end) {
        if (*at == '\n') {
            ++line;
            ++at;
        } else if (isBlank(*at) || *at == ',') {
            ++at;
        } else if (*at == '%' || *at == '#' || sizeLine) {
            sizeLine = sizeLine && *at == '%';
            while (*at != '\n') {
                ++at;
            }
        } else {
            double number = 0;
            const RealStatus status = parseReal(at, end, number);
            if ((status != RealStatus::Ok && status != RealStatus::Fortran) ||
                !(isBlank(*at) || *at == ',' || *at == '\n')) {
                return failAt(path.string(), line,
                              fmt::format("value {} is not a finite number", out.size() + 1));
            }
            out.push_back(number);
        }
    }
    return out;
}

} // namespace sparserl
