// SPDX-License-Identifier: Apache-2.0
#include "target/work_tensor.h"

#include <functional>
#include <numeric>

namespace sparserl {

std::int64_t WorkTensor::count() const
{
    return std::accumulate(shape.begin(), shape.end(), std::int64_t(1), std::multiplies<>());
}

} // namespace sparserl
