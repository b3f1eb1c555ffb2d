// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace sparserl {

/// Returns the value with this name (see nameOf()). The Error lists all names and calls them `what`
/// ("schedule").
template <typename Value>
Result<Value> enumNamed(std::string_view name, std::initializer_list<Value> all, std::string_view what)
{
    std::string names;
    std::size_t left = all.size();
    for (const Value value : all) {
        if (nameOf(value) == name)
            return value;
        --left;
        names.append(nameOf(value)).append(left > 1 ? ", " : left == 1 ? " or " : "");
    }
    return fail("there is no " + std::string(what) + " \"" + std::string(name) + "\"", "Use " + names);
}

} // namespace sparserl
