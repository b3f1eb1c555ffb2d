// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/spmm_writer.h"

#include <functional>
#include <string>
#include <vector>

namespace sparserl::spmm {

// Productions of families in which groups of lanes share rows of A. SpmmWriter explains groups and ways.

void csrArguments(Grammar& g);
/// Returns "ROLE[index]", with the name of the role.
std::string element(Grammar& g, const char* role, const std::string& index);
/// The entries of a CSR row.
SpmmWriter::Entries csrEntries(Grammar& g, const std::string& row);

/// How a kernel traverses the rows of a storage format.
struct Rows
{
    std::string count = "rows";    ///< The number of rows, as written in the plan.
    std::string rowsRole = "rows"; ///< The role of the kernel's argument for `count`.
    /// The entries of a row, with the step for a group with one way. If several ways share the row, each way
    /// starts at its own entry and skips the entries of the other ways.
    SpmmWriter::Entries entries;
    std::string outRow;  ///< The row of C that receives the sums; empty: the row with the same number.
    bool spread = false; ///< After the sum over the ways, different lanes hold the sums of different columns.
};

SpmmWriter::Shape groupShape(const Grammar& g);
std::vector<std::string> groupComments(const SpmmWriter::Shape& shape);
/// Writes the body of a kernel in which groups of threads each handle a row, so a warp handles several rows.
/// Calls `atRow` to write code for a row that exists.
void writeGroupBody(Grammar& g, SpmmWriter& w, const std::string& firstBlock, const Rows& rows,
                    const std::function<void()>& atRow = {});

} // namespace sparserl::spmm
