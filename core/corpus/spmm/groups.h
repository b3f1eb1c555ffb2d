// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/spmm_writer.h"

#include <functional>
#include <string>
#include <vector>

namespace sparserl::spmm {

// Productions of the families whose groups of lanes share rows of A.

void csrArguments(Grammar& g);
/// ROLE[index]
std::string element(Grammar& g, const char* role, const std::string& index);
/// The entries of a row of CSR.
SpmmWriter::Entries csrEntries(Grammar& g, const std::string& row);

/// How rows of a storage format are walked.
struct Rows
{
    std::string count = "rows";    ///< In the plan.
    std::string rowsRole = "rows"; ///< The argument that holds it.
    /// Begin and step of the walk for way `way` (an expression, or empty: one way), and the rest.
    SpmmWriter::Entries entries;
    std::string outRow;  ///< Where the sums go; empty: the row's own number.
    bool spread = false; ///< Sums over the ways end in different lanes for different columns.
};

SpmmWriter::Shape groupShape(const Grammar& g);
std::vector<std::string> groupComments(const SpmmWriter::Shape& shape);
/// `lanes` threads share a row: several rows per warp.
void writeGroupBody(Grammar& g, SpmmWriter& w, const std::string& firstBlock, const Rows& rows,
                    const std::function<void()>& atRow = {});

} // namespace sparserl::spmm
