// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/spmm_writer.h"

#include <functional>
#include <string>
#include <vector>

namespace sparserl::spmm {

// Productions of families in which groups of lanes share rows of A.

void csrArguments(Grammar& g);
/// ROLE[index]
std::string element(Grammar& g, const char* role, const std::string& index);
/// The entries of a row of CSR.
SpmmWriter::Entries csrEntries(Grammar& g, const std::string& row);

/// How a kernel traverses the rows of a storage format.
struct Rows
{
    std::string count = "rows";    ///< Number of rows in the plan.
    std::string rowsRole = "rows"; ///< The argument for `count`.
    /// The entries of a row, with the step of a single way. If several ways share the row, each starts at its
    /// own entry and skips the entries of the others.
    SpmmWriter::Entries entries;
    std::string outRow;  ///< The row of C for the sums; empty: the row's own number.
    bool spread = false; ///< For different columns, the sums over the ways end in different lanes.
};

SpmmWriter::Shape groupShape(const Grammar& g);
std::vector<std::string> groupComments(const SpmmWriter::Shape& shape);
/// `lanes` threads share a row, so a warp handles several rows.
void writeGroupBody(Grammar& g, SpmmWriter& w, const std::string& firstBlock, const Rows& rows,
                    const std::function<void()>& atRow = {});

} // namespace sparserl::spmm
