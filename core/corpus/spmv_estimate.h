// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"
#include "matrix/features.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A rough time of one SpMV program on a large GPU (132 SMs, 4.8 TB/s, 50 MB of L2) from the features of the
/// matrix: launches, the longest chain of dependent loads, bytes moved, instructions issued. It orders
/// candidates; it is no prediction.
class SpmvEstimate
{
public:
    explicit SpmvEstimate(const MatrixFeatures& features);

    /// Microseconds; a very large number where the family does not apply. `complete` has every parameter.
    double microseconds(std::string_view family, const FamilyParameters& complete) const;
    /// What the estimate is a weighted sum of, in microseconds each: the weights are fitted to measured times
    /// by tests/benchmarks/spmv_estimate_fit. Empty where the family does not apply.
    std::vector<double> terms(std::string_view family, const FamilyParameters& complete) const;
    /// How heavy the tail of the row lengths of a large matrix is: 0 for even rows and for small matrices.
    /// Times grow with an exponential of it, a family's own (spmv_weights.h).
    double tail() const;
    /// What decides for or against a family, for people.
    std::string reason(std::string_view family) const;

private:
    struct Work
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
    std::optional<Work> workOf(std::string_view family, const FamilyParameters& p) const;
    double rounds(double length, double lanes, const FamilyParameters& p) const;
    double gathers(double rows, double mean, double lanes, const FamilyParameters& p) const;
    double csrBytes(bool narrow) const;
    Work rows(const FamilyParameters& p, double lanes) const;
    Work padded(const FamilyParameters& p) const;
    Work binned(const FamilyParameters& p) const;
    Work tickets(const FamilyParameters& p) const;

    MatrixFeatures m_f;
    double m_rows, m_cols, m_nnz, m_mean, m_max;
    double m_latency = 0; ///< Microseconds of one load.
    double m_gather = 1;  ///< Sectors of x that L2 serves, per entry.
    double m_apart = 1;   ///< Sectors that the lanes of a gather touch, per entry.
};

} // namespace sparserl
