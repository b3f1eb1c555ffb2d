// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparserl {

// PPOCoder's two similarities of a program with a reference (Shojaee et al. 2023, 3.2: count(y' and y) /
// count(y)), as CodeBLEU measures them, on what our lexer sees of CUDA C++: names of variables do not
// matter, comments and plan lines are not looked at. Any bytes are a program; linear in their number.

/// Share of the reference's sub-trees that the program has too, counted with multiplicity. The tree: blocks
/// of statements, statements of tokens and bracket groups, groups of expressions; a leaf is a keyword or
/// operator as it is, or any name, any number. 0 where the reference has none.
double syntaxMatch(std::string_view program, std::string_view reference);

/// Share of the reference's data-flow edges that the program has too: for each assignment its variable and
/// those it is computed from, renamed by the order in which edges first mention them. 0 where the reference
/// has none.
double dataflowMatch(std::string_view program, std::string_view reference);

} // namespace sparserl
