// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/spmv_work.h"

namespace sparserl {

/// What a program of SpMM loads, issues and waits for on one matrix.
struct SpmmWork
{
    double bytes = 0;        ///< Of A as stored, read once for every slice of columns.
    double threads = 0;      ///< Of all launches.
    double block = 128;      ///< Threads per block.
    double chain = 0;        ///< Dependent loads, in latencies, of the slowest thread.
    double typical = 0;      ///< The same of a typical one.
    double instructions = 0; ///< Of all threads.
    double gathered = 0;     ///< Bytes of B that loads ask for, in whole sectors.
    double launches = 1;
    double zeroed = 0;   ///< 1: C is cleared before.
    double inFlight = 8; ///< Bytes of loads that a thread has in flight.
    double atomics = 0;  ///< Rows of C that are added to.
};

/// One program on one matrix, what its lanes do, and the productions that families share.
struct SpmmProgram
{
    SpmmProgram(const SpmvMatrix& matrix, double denseColumns, const FamilyParameters& parameters);

    const SpmvMatrix& m;
    const FamilyParameters& p;
    double columns; ///< Of B.
    double across;  ///< Lanes side by side on columns.
    double vec;     ///< Columns per load.
    double chunks;  ///< Loads per lane and entry.
    double unroll;
    double slices; ///< Of the columns of B, in blocks of their own.

    bool has(const char* name) const { return p.count(name) != 0; }
    double of(const char* name) const { return valueOf(p, name); }
    /// Whether loads take whole vectors of B's rows and most lanes have a column.
    bool fits() const;
    double ways() const; ///< Entries of a row that `lanes` threads take at once.

    double csrBytes() const { return m.csrBytes(false); }
    double typicalLength() const; ///< Most rows are no longer.
    /// Latencies of the entries that one lane takes of `length`.
    double rounds(double length, double lanes) const;
    /// Latencies of adding up over so many ways: inside a warp, over a block.
    double reduction(double lanes) const;
    double entryBytes() const;          ///< In flight, for the entries of a batch.
    double rowsOfB(double count) const; ///< Bytes of whole sectors.
    /// Stored over real entries of slices of sorted rows.
    double sliceFill() const;
    /// Share of rows below a length, as far as quantiles say.
    double rowsBelow(double length) const;

    /// `count` sets of lanes, each with `typicalEntries`, `longestEntries` at most; `entries` in all.
    SpmmWork groups(double count, double lanes, double entries, double typicalEntries,
                    double longestEntries) const;
    SpmmWork rowGroups() const; ///< A set for every row of CSR.
};

} // namespace sparserl
