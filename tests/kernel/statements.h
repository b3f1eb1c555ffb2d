// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

namespace sparserl {

/// The lines of tests/kernel/data/NAME; each is one or more statements.
std::vector<std::string> statementLines(const std::string& name);

/// A program with a kernel that has variables of many types and, in a block each, these statements.
std::string programOf(std::span<const std::string> statements);

/// The programs of tests/kernel/data/styles, written by hand in many styles; a line of dashes parts them, and
/// those without a plan get one.
std::vector<std::string> styledPrograms();

} // namespace sparserl
