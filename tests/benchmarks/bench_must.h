// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdlib>
#include <fmt/format.h>
#include <utility>

namespace sparserl {

// A benchmark has nothing to go on with: what fails ends it with the sentence.

template <typename T>
T must(Result<T> result)
{
    if (!result) {
        fmt::print(stderr, "{}\n", result.error().sentence());
        std::exit(1);
    }
    return std::move(*result);
}

inline void mustDo(const Status& status)
{
    if (!status) {
        fmt::print(stderr, "{}\n", status.error().sentence());
        std::exit(1);
    }
}

} // namespace sparserl
