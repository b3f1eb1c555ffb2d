// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/spmm_portfolio.h"
#include "corpus/spmm_writer.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sparserl::spmm {

// Productions of the families whose groups of lanes share rows of A, and what these families have in common.

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

/// The longest rows where the device is idle and waits for them: as many lanes as a warp has.
struct LongRows
{
    std::int64_t lanes;
    double each; ///< Entries of a row per lane.
};
std::optional<LongRows> longRowsOf(const SpmmPortfolio& p);
/// Entries that a lane loads at once.
std::int64_t stepFor(const SpmmPortfolio& p, std::int64_t lanes);

/// Takes lanes, unroll, batch, block and a score for rows of equal length.
using GroupChoice = std::function<void(std::int64_t, std::int64_t, std::int64_t, std::int64_t, double)>;
/// The most promising choices of a family of groups.
void proposeGroups(const SpmmPortfolio& p, const GroupChoice& choice);
/// The others.
void proposeMoreGroups(const SpmmPortfolio& p, const GroupChoice& choice);

} // namespace sparserl::spmm
