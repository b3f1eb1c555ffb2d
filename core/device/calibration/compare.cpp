// SPDX-License-Identifier: Apache-2.0
#include "device/calibration/compare.h"

#include "target/numbers.h"

#include <cmath>

namespace sparserl {

ComparedCalls compareOutput(const MeasureRequest& request, const CallOutputs& outputs)
{
    ComparedCalls found;
    if (!request.compare || request.ring.empty() || request.ring.front().empty())
        return found;
    const auto& [shared, columns, underflow] = *request.compare;
    const Csr& matrix = *shared;
    const NumberView input = numbersOf(matrix.type, request.ring.front().front().bytes);
    const NumberFormat& format = NumberFormat::of(matrix.type);
    const double slack = matrix.type == ElementType::F64 ? 0x1p-1000 : 1e-30;
    const NumberView output = denseOutput(columns > 1 ? Task::SpMM : Task::SpMV, matrix.type, outputs);
    const auto n = static_cast<std::size_t>(columns);
    found.calls = 1;
    for (std::int32_t row = 0; row < matrix.rows && !found.wrong; ++row) {
        for (std::size_t c = 0; c < n && !found.wrong; ++c) {
            long double sum = 0; // More digits than the outputs have.
            double size = 0;
            for (auto i = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row)]);
                 i < static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row) + 1]); ++i) {
                const long double term = static_cast<long double>(matrix.value(i)) *
                                         input[static_cast<std::size_t>(matrix.col[i]) * n + c];
                sum += term;
                size += std::abs(static_cast<double>(term));
            }
            const std::size_t at = static_cast<std::size_t>(row) * n + c;
            const double got = at < output.size() ? output[at] : NAN;
            const double bound = 2 * format.unitRoundoff() * (matrix.rowLength(row) + 2) * size + slack;
            ++found.elements;
            if (!(std::abs(got - sum) <= bound))
                found.wrong = WrongElement{row, static_cast<std::int64_t>(c), double(sum), got, bound};
        }
    }
    return found;
}

} // namespace sparserl
