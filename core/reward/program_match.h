// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparserl {

// PPOCoder's two measures of the similarity between a program and a reference (Shojaee et al. 2023, 3.2:
// count(y' and y) / count(y)). They are computed as in CodeBLEU, on the tokens of our lexer. Names of
// variables, comments and plan lines do not count. A program may consist of any bytes. The running time is
// linear in the number of bytes.

/// Returns the share of the reference's sub-trees that the program also contains, counted with multiplicity.
/// In the tree, blocks contain statements, statements contain tokens and bracket groups, and groups contain
/// expressions. A leaf is a keyword, an operator, or a placeholder for any name or any number. Returns 0 if
/// the reference has no sub-trees.
double syntaxMatch(std::string_view program, std::string_view reference);

/// Returns the share of the reference's data-flow edges that the program also contains. An edge consists of
/// the variable of an assignment and all variables from which the assigned value is computed. Variables are
/// renamed in the order in which edges first mention them. Returns 0 if the reference has no edges.
double dataflowMatch(std::string_view program, std::string_view reference);

} // namespace sparserl
