// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/module.h"
#include "ptx/token_reader.h"

#include <optional>

namespace sparserl::ptx {

/// The type of a variable, parameter or register: ".u32" and the like.
std::optional<Type> typeFromWord(std::string_view word);

/// A variable with its name in the PTX text.
struct Declared
{
    Variable variable;
    std::string_view name;
};
/// Reads the text after ".global" and the like, up to and including the semicolon.
Result<Declared> readVariable(TokenReader& reader, Space space);

/// Reads the parameters or results of an entry or function, including parentheses.
Result<std::vector<Param>> readParams(TokenReader& reader);

/// Records a directive once.
void noteDirective(std::vector<std::string>& list, std::string_view directive);

} // namespace sparserl::ptx
