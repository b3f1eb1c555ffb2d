// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/spmv_work.h"

namespace sparserl {

/// The work of an SpMM program on one matrix: its loads, instructions and waits.
struct SpmmWork
{
    double bytes = 0;        ///< Bytes of A as stored. They are read once for every slice of columns.
    double threads = 0;      ///< Number of threads in all launches.
    double block = 128;      ///< Threads per block.
    double chain = 0;        ///< The slowest thread's chain of dependent loads, as a number of latencies.
    double typical = 0;      ///< The same for a typical thread.
    double instructions = 0; ///< Number of instructions of all threads.
    double gathered = 0;     ///< Bytes of B requested by loads, in whole sectors.
    double launches = 1;
    double zeroed = 0;   ///< 1 if C is cleared before the call.
    double inFlight = 8; ///< Bytes that a thread's loads have in flight.
    double atomics = 0;  ///< Number of atomic additions to rows of C.
};

/// An SpMM program on one matrix, the mapping of its lanes, and formulas that families share.
struct SpmmProgram
{
    SpmmProgram(const SpmvMatrix& matrix, double denseColumns, const FamilyParameters& parameters);

    const SpmvMatrix& m;
    const FamilyParameters& p;
    double columns; ///< Columns of B.
    double across;  ///< Number of lanes side by side along the columns.
    double vec;     ///< Number of columns per load.
    double chunks;  ///< Number of loads per lane and entry.
    double unroll;
    double slices; ///< Number of slices of B's columns. Separate blocks process each slice.

    bool has(const char* name) const { return p.count(name) != 0; }
    double of(const char* name) const { return valueOf(p, name); }
    /// Whether loads read whole vectors of B's rows and most lanes have a column.
    bool fits() const;
    double ways() const; ///< Number of entries of a row that its group processes at once.

    double csrBytes() const { return m.csrBytes(false); }
    double typicalLength() const; ///< A length that most rows do not exceed.
    /// Latencies of the loop over a row of this `length` that `lanes` ways share.
    double rounds(double length, double lanes) const;
    /// Latencies of a sum over `lanes` ways, in a warp or over a block.
    double reduction(double lanes) const;
    double entryBytes() const;          ///< Bytes that the entries of a batch have in flight.
    double rowsOfB(double count) const; ///< Bytes of `count` rows of B, in whole sectors.
    /// Stored entries divided by real entries, for slices of sorted rows.
    double sliceFill() const;
    /// The share of rows that are shorter than `length`, estimated from quantiles.
    double rowsBelow(double length) const;

    /// The work of `count` groups with `lanes` ways each. A group typically has `typicalEntries` and at most
    /// `longestEntries` entries; all groups together have `entries`.
    SpmmWork groups(double count, double lanes, double entries, double typicalEntries,
                    double longestEntries) const;
    SpmmWork rowGroups() const; ///< The work with a group for each CSR row.
};

} // namespace sparserl
