// SPDX-License-Identifier: Apache-2.0
#include "policy/model/language_model.h"

namespace sparserl {

std::int64_t countOf(const NamedTensors& parameters)
{
    std::int64_t count = 0;
    for (const auto& [name, tensor] : parameters)
        count += tensor.numel();
    return count;
}

} // namespace sparserl
