// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/module.h"
#include "ptx/token_reader.h"

#include <optional>

namespace sparserl::ptx {

/// Parses the type of a variable, parameter or register, such as ".u32".
std::optional<Type> typeFromWord(std::string_view word);

/// A variable with its name in the PTX text.
struct Declared
{
    Variable variable;
    std::string_view name;
};
/// Reads a variable declaration: the text after the state space (".global"), including the semicolon.
Result<Declared> readVariable(TokenReader& reader, Space space);

/// Reads the parameters or results of an entry or function, including parentheses.
Result<std::vector<Param>> readParams(TokenReader& reader);

/// Adds a directive to the list if the list does not contain it yet.
void noteDirective(std::vector<std::string>& list, std::string_view directive);

} // namespace sparserl::ptx
