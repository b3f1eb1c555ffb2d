// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparserl {

/// A name that NVRTC defines before the first line of a program.
struct Predefined
{
    enum class Kind
    {
        Function,
        Variable,
        Type,
        Macro
    };
    std::string_view name;
    Kind kind = Kind::Function;
    unsigned arities = 0; ///< Bit n: the function accepts n arguments (bit 7: or more); 0: unknown.
};

/// Returns the entry of a name, or nullptr.
const Predefined* findPredefined(std::string_view name);
/// Whether NVRTC may define a name. Also true for families of names that are not listed individually
/// ("__nv...", "__builtin...").
bool mayBePredefined(std::string_view name);

} // namespace sparserl
