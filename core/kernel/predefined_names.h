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
    unsigned arities =
        0; ///< Bit n: a function that can be called with n arguments (bit 7: or more); 0: not known.
};

/// The entry of a name, or nullptr.
const Predefined* findPredefined(std::string_view name);
/// Also true for names of families that are not listed individually ("__nv...", "__builtin...").
bool mayBePredefined(std::string_view name);

} // namespace sparserl
