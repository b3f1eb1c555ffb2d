// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparserl {

/// A parameter's key with the type of its value: bool, std::int64_t, double, or std::string for texts and
/// choices. Each key is spelled once, so a misspelt key or a wrong type does not compile.
template <typename T>
struct Param
{
    std::string_view key;
};

} // namespace sparserl
