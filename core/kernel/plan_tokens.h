// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace sparserl {

/// A token of one plan line.
struct PlanToken
{
    enum class Kind
    {
        Name,
        Integer,
        Real, ///< A float32: "0.5f"
        Punctuator,
        End
    };
    Kind kind = Kind::End;
    std::string_view text;  ///< Points into the line.
    std::int64_t value = 0; ///< The value of an Integer.
    float real = 0;         ///< The value of a Real; finite.
};

/// Splits the text after "//!" on a plan line into tokens. The last token is End. The error is a reason
/// without a line.
tl::expected<std::vector<PlanToken>, std::string> planTokens(std::string_view line);

} // namespace sparserl
