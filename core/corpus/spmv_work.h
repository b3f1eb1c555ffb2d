// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"
#include "corpus/estimate_device.h"
#include "matrix/features.h"

#include <optional>

namespace sparserl {

/// Returns the value of a program's parameter, or 1 if the program has no parameter of that name.
double valueOf(const FamilyParameters& parameters, const char* name);
/// Whether the program has this parameter and its value is 1.
bool isOn(const FamilyParameters& parameters, const char* name);

/// The work of an SpMV program on one matrix: its loads, instructions and waits.
struct SpmvWork
{
    double bytes = 0;        ///< Bytes of the matrix, as stored.
    double threads = 0;      ///< Number of threads in all launches.
    double block = 128;      ///< Threads per block.
    double chain = 0;        ///< The slowest thread's chain of dependent loads, as a number of latencies.
    double typical = 0;      ///< The same for a typical thread.
    double instructions = 0; ///< Number of instructions of all threads.
    double launches = 1;
    double zeroed = 0;   ///< Number of buffers that are cleared before the call.
    double inFlight = 8; ///< Bytes that a thread's loads have in flight.
    double extra = 0;    ///< Additional microseconds, for atomics and barriers.
    double gather = 1;   ///< Number of gathers of x per entry.
    double reads = 1;    ///< The same, including the gathers that batches repeat and L1 serves.
};

/// The properties of a matrix on a device that determine the work of programs, and formulas that families
/// share.
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
    double latency = 0;   ///< The latency of a load in microseconds.
    double gather = 1;    ///< Number of sectors of x that L2 serves, per entry.
    double apart = 1;     ///< Number of sectors that the lanes of a gather touch, per entry.

    /// The number of instructions that double precision needs in addition to single precision, for the
    /// products of all entries and columns.
    double doubleInstructions(double columns) const;
    /// Bytes of a value and its column. `narrow` means 16-bit columns.
    double entryWith(bool narrow) const { return narrow ? entry - 2 : entry; }
    /// Bytes of the matrix in CSR. `narrow` means 16-bit columns.
    double csrBytes(bool narrow) const;
    /// Whether the judge would build a format of this size.
    bool storable(double bytes) const;
    /// The number of dependent steps for a row of this length that `lanes` threads share.
    double rounds(double length, double lanes, const FamilyParameters& p) const;
    /// The number of loads of x by `manyRows` rows of this mean length. Batches that are not predicated also
    /// load x for the missing entries of their last round.
    double gathers(double manyRows, double meanLength, double lanes, const FamilyParameters& p) const;
    /// Latencies of a reduction with this number of shuffles.
    double shuffles(double steps) const { return steps * device.shuffleUs / latency; }

    /// The work of a program in which `lanes` threads share each CSR row.
    SpmvWork rowWork(const FamilyParameters& p, double lanes) const;
    /// The work of a program in which each thread has `each` entries of any rows, with `step` latencies per
    /// entry, and atomics combine the sums. The family must set the bytes, the instructions and the time of
    /// atomics.
    SpmvWork entryWork(const FamilyParameters& p, double each, double step) const;
};

} // namespace sparserl
