// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <fmt/format.h>
#include <string>

namespace sparserl {

/// Fails for an encoder or decoder that has several times more layers than any published model. A file of a
/// hundred megabytes could declare a million layers, and to create so many small tensors takes hours.
inline Status checkLayers(int layers)
{
    constexpr int most = 1000;
    if (layers > most)
        return fail(fmt::format("the model has {} layers", layers),
                    fmt::format("Models of at most {} layers are read", most));
    return {};
}

/// Fails for a file whose tensors need more memory than is free. A sparse file uses no disk space, but
/// reading it uses memory, and the system kills a process when memory runs out.
Status checkMemory(std::uint64_t bytes, const std::string& file);

} // namespace sparserl
