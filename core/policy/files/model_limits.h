// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <fmt/format.h>
#include <string>

namespace sparserl {

/// Refuses more layers of an encoder or a decoder than several times what any published model has: a file of
/// a hundred megabytes could ask for a million, and a model of so many small tensors takes hours to put
/// together.
inline Status checkLayers(int layers)
{
    constexpr int most = 1000;
    if (layers > most)
        return fail(fmt::format("the model has {} layers", layers),
                    fmt::format("Models of at most {} layers are read", most));
    return {};
}

/// Refuses a file whose tensors take more memory than is free: a file with holes takes no place on a disk,
/// but what is read from it takes memory; where that runs out, the system ends a process of its choice.
Status checkMemory(std::uint64_t bytes, const std::string& file);

} // namespace sparserl
