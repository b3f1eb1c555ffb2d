// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/spmv_work.h"

namespace sparserl {

/// What an SpMM program loads, issues and waits for on one matrix.
struct SpmmWork
{
    double bytes = 0;        ///< Bytes of A as stored, read once for every slice of columns.
    double threads = 0;      ///< Threads of all launches.
    double block = 128;      ///< Threads per block.
    double chain = 0;        ///< Dependent loads of the slowest thread, in latencies.
    double typical = 0;      ///< The same for a typical thread.
    double instructions = 0; ///< Instructions of all threads.
    double gathered = 0;     ///< Bytes of B requested by loads, in whole sectors.
    double launches = 1;
    double zeroed = 0;   ///< 1: C is cleared before the call.
    double inFlight = 8; ///< Bytes of loads that a thread has in flight.
    double atomics = 0;  ///< Rows of C that receive atomic additions.
};

/// One program on one matrix, the mapping of its lanes, and formulas shared by families.
struct SpmmProgram
{
    SpmmProgram(const SpmvMatrix& matrix, double denseColumns, const FamilyParameters& parameters);

    const SpmvMatrix& m;
    const FamilyParameters& p;
    double columns; ///< Columns of B.
    double across;  ///< Lanes side by side along the columns.
    double vec;     ///< Columns per load.
    double chunks;  ///< Loads per lane and entry.
    double unroll;
    double slices; ///< Slices of the columns of B, each in separate blocks.

    bool has(const char* name) const { return p.count(name) != 0; }
    double of(const char* name) const { return valueOf(p, name); }
    /// Whether loads read whole vectors of B's rows and most lanes have a column.
    bool fits() const;
    double ways() const; ///< Entries of a row that `lanes` threads process at once.

    double csrBytes() const { return m.csrBytes(false); }
    double typicalLength() const; ///< Most rows are not longer.
    /// Latencies for the entries that one lane processes in a row of this length.
    double rounds(double length, double lanes) const;
    /// Latencies of a sum over this many lanes, in a warp or over a block.
    double reduction(double lanes) const;
    double entryBytes() const;          ///< Bytes in flight for the entries of a batch.
    double rowsOfB(double count) const; ///< Bytes of that many rows, in whole sectors.
    /// Stored entries over real entries, for slices of sorted rows.
    double sliceFill() const;
    /// Share of rows shorter than `length`, estimated from quantiles.
    double rowsBelow(double length) const;

    /// `count` groups of lanes, each with `typicalEntries` and at most `longestEntries`; `entries` in total.
    SpmmWork groups(double count, double lanes, double entries, double typicalEntries,
                    double longestEntries) const;
    SpmmWork rowGroups() const; ///< A group for every row of CSR.
};

} // namespace sparserl
