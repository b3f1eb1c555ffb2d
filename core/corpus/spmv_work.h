// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"
#include "corpus/estimate_device.h"
#include "matrix/features.h"

#include <optional>

namespace sparserl {

/// The value of a program's parameter, or 1 if its family has no parameter of that name.
double valueOf(const FamilyParameters& parameters, const char* name);
/// Whether the program has this parameter and its value is 1.
bool isOn(const FamilyParameters& parameters, const char* name);

/// What a program loads, issues and waits for on one matrix.
struct SpmvWork
{
    double bytes = 0;        ///< Bytes of the matrix, as stored.
    double threads = 0;      ///< Threads of all launches.
    double block = 128;      ///< Threads per block.
    double chain = 0;        ///< Dependent loads of the slowest thread, in latencies.
    double typical = 0;      ///< The same for a typical thread.
    double instructions = 0; ///< Instructions of all threads.
    double launches = 1;
    double zeroed = 0;   ///< Buffers cleared before the call.
    double inFlight = 8; ///< Bytes of loads that a thread has in flight.
    double extra = 0;    ///< Additional microseconds: atomics, barriers.
    double gather = 1;   ///< Gathers of x per entry.
    double reads = 1;    ///< Gathers including those that batches repeat, which L1 serves.
};

/// The properties of a matrix on a device that determine the work of programs, and formulas shared by
/// families.
struct SpmvMatrix
{
    SpmvMatrix(const MatrixFeatures& matrixFeatures, const SpmvDevice& onDevice,
               ElementType type = ElementType::F32);

    MatrixFeatures features;
    SpmvDevice device;
    double value; ///< Bytes of a value.
    double entry; ///< Bytes of a value and a 32-bit column.
    double rows, cols, nnz;
    double mean, longest; ///< Row lengths; the mean is never 0.
    double latency = 0;   ///< Microseconds of one load.
    double gather = 1;    ///< Sectors of x that L2 serves, per entry.
    double apart = 1;     ///< Sectors that the lanes of a gather touch, per entry.

    /// Additional instructions of products in double precision compared with single precision, over all
    /// entries and columns.
    double doubleInstructions(double columns) const;
    /// Bytes of a value and its column. `narrow`: 16-bit columns.
    double entryWith(bool narrow) const { return narrow ? entry - 2 : entry; }
    /// Bytes of CSR. `narrow`: 16-bit columns.
    double csrBytes(bool narrow) const;
    /// Whether the judge would build a format of this size.
    bool storable(double bytes) const;
    /// Dependent steps for a row of this length shared by `lanes` threads.
    double rounds(double length, double lanes, const FamilyParameters& p) const;
    /// Loads of x by rows of this mean length. Batches that are not predicated load x for all entries of
    /// their last round.
    double gathers(double manyRows, double meanLength, double lanes, const FamilyParameters& p) const;
    /// Latencies of a reduction with this number of shuffles.
    double shuffles(double steps) const { return steps * device.shuffleUs / latency; }

    /// Work on rows of CSR with `lanes` threads each.
    SpmvWork rowWork(const FamilyParameters& p, double lanes) const;
    /// Work of threads with `each` entries of any rows, whose sums are combined by atomics, with `step`
    /// latencies per entry. The family must set bytes, instructions and atomics.
    SpmvWork entryWork(const FamilyParameters& p, double each, double step) const;
};

} // namespace sparserl
