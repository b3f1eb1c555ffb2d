// SPDX-License-Identifier: Apache-2.0
#include "device/calibration/compare.h"

#include "device/float32.h"

#include <cmath>
#include <cstring>

namespace sparserl {

ComparedCalls compareOutput(const MeasureRequest& request, const CallOutputs& outputs)
{
    constexpr double slack = 1e-30;
    ComparedCalls found;
    if (!request.compare || request.ring.empty() || request.ring.front().empty())
        return found;
    const auto& [shared, columns, underflow] = *request.compare;
    const Csr& matrix = *shared;
    const auto bytes = request.ring.front().front().bytes;
    std::vector<float> input(bytes.size() / sizeof(float));
    std::memcpy(input.data(), bytes.data(), input.size() * sizeof(float));
    const auto output = denseOutput(columns > 1 ? Task::SpMM : Task::SpMV, outputs);
    const auto n = static_cast<std::size_t>(columns);
    found.calls = 1;
    for (std::int32_t row = 0; row < matrix.rows && !found.wrong; ++row) {
        for (std::size_t c = 0; c < n && !found.wrong; ++c) {
            double sum = 0, size = 0;
            for (auto i = static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row)]);
                 i < static_cast<std::size_t>(matrix.rowPtr[static_cast<std::size_t>(row) + 1]); ++i) {
                const double term =
                    double(matrix.val[i]) * double(input[static_cast<std::size_t>(matrix.col[i]) * n + c]);
                sum += term;
                size += std::abs(term);
            }
            const std::size_t at = static_cast<std::size_t>(row) * n + c;
            const double got = at < output.size() ? double(output[at]) : NAN;
            const double bound = 2 * unitRoundoff * (matrix.rowLength(row) + 2) * size + slack;
            ++found.elements;
            if (!(std::abs(got - sum) <= bound))
                found.wrong = WrongElement{row, static_cast<std::int64_t>(c), sum, got, bound};
        }
    }
    return found;
}

} // namespace sparserl
