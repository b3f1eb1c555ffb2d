// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/module.h"
#include "ptx/token_reader.h"

#include <optional>

namespace sparserl::ptx {

/// ".u32" and the like, of variables, parameters and registers.
std::optional<Type> typeFromWord(std::string_view word);

/// A variable, and its name in the PTX text.
struct Declared
{
    Variable variable;
    std::string_view name;
};
/// What follows ".global" and the like, to behind the semicolon.
Result<Declared> readVariable(TokenReader& reader, Space space);

/// The parameters of an entry or function, or its results, with their parentheses.
Result<std::vector<Param>> readParams(TokenReader& reader);

/// A directive that was met, once.
void noteDirective(std::vector<std::string>& list, std::string_view directive);

} // namespace sparserl::ptx
