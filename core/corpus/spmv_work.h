// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"
#include "corpus/estimate_device.h"
#include "matrix/features.h"

#include <optional>

namespace sparserl {

/// A parameter of a program, 1 where its family has none of that name.
double valueOf(const FamilyParameters& parameters, const char* name);
/// Whether the program has this parameter and it is 1.
bool isOn(const FamilyParameters& parameters, const char* name);

/// What a program loads, issues and waits for on one matrix.
struct SpmvWork
{
    double bytes = 0;        ///< Of the matrix, as stored.
    double threads = 0;      ///< Of all launches.
    double block = 128;      ///< Threads per block.
    double chain = 0;        ///< Dependent loads, in latencies, of the slowest thread.
    double typical = 0;      ///< The same of a typical one.
    double instructions = 0; ///< Of all threads.
    double launches = 1;
    double zeroed = 0;   ///< Buffers cleared before the call.
    double inFlight = 8; ///< Bytes of loads that a thread has in flight.
    double extra = 0;    ///< Microseconds on top: atomics, barriers.
    double gather = 1;   ///< Gathers of x per entry.
    double reads = 1;    ///< The same with those that batches repeat, which L1 serves.
};

/// A matrix on a device as the work of programs is reckoned from it, and the productions that families share.
struct SpmvMatrix
{
    SpmvMatrix(const MatrixFeatures& matrixFeatures, const SpmvDevice& onDevice,
               ElementType type = ElementType::F32);

    MatrixFeatures features;
    SpmvDevice device;
    double value; ///< Bytes of a value.
    double entry; ///< The same with a column of 32 bits.
    double rows, cols, nnz;
    double mean, longest; ///< Row lengths; the mean is never 0.
    double latency = 0;   ///< Microseconds of one load.
    double gather = 1;    ///< Sectors of x that L2 serves, per entry.
    double apart = 1;     ///< Sectors that the lanes of a gather touch, per entry.

    /// Instructions that products in double precision take beyond those in single precision, for each entry
    /// and column.
    double doubleInstructions(double columns) const;
    /// Bytes of a value with its column, with `narrow` columns of 16 bits.
    double entryWith(bool narrow) const { return narrow ? entry - 2 : entry; }
    /// CSR, with `narrow` columns of 16 bits.
    double csrBytes(bool narrow) const;
    /// Whether a format of so many bytes is one that the judge would build.
    bool storable(double bytes) const;
    /// Dependent steps of a row of this length that `lanes` threads share.
    double rounds(double length, double lanes, const FamilyParameters& p) const;
    /// Loads of x that rows of this mean length make: batches that are not predicated fill up their last
    /// round.
    double gathers(double manyRows, double meanLength, double lanes, const FamilyParameters& p) const;
    /// Latencies that the shuffles of a reduction over so many lanes take.
    double shuffles(double steps) const { return steps * device.shuffleUs / latency; }

    /// Rows of CSR, `lanes` threads each.
    SpmvWork rowWork(const FamilyParameters& p, double lanes) const;
    /// Threads with `each` entries of any rows, whose sums meet by atomics; `step` latencies an entry. Bytes,
    /// instructions and atomics are left to the family.
    SpmvWork entryWork(const FamilyParameters& p, double each, double step) const;
};

} // namespace sparserl
