// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/bench/bench_device.h"
#include "evaluation/bench/bench_programs.h"
#include "matrix/matrix_list.h"
#include "target/workload.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace sparserl {

struct BenchOptions
{
    TargetVariant variant; ///< What is computed with the matrices.
    BenchChoice choice;
    BaselineSet baselines = BaselineSet::Csr;
    int samples = 30; ///< Of what is reported: baselines, the best of each family, the comparison in turn.
    int quickSamples = 8; ///< Of each candidate before that.
    bool cold = true;
    int threads = 0; ///< For reading, compiling and binding; 0: one per core.
    std::uint64_t seed = 1;
    CancelToken cancel;
    std::function<void(double fraction, const std::string& phase)> progress;
    std::function<void(const std::string& sentence)> log;
};

/// One line of the table: a program or a baseline on a matrix.
struct BenchRow
{
    bool baseline = false;
    std::string family;   ///< "S11"; of a baseline the library: "cuSPARSE 12.6.3"
    std::string variant;  ///< Parameters as JSON; of a baseline the algorithm.
    std::string problem;  ///< Why there is no time, or why it does not count: a fault, a wrong result.
    bool dropped = false; ///< Far slower than the best: `warm` is an estimate (n = 1), its result unchecked.
    bool bestOfFamily = false; ///< Timed in full, as baselines are.
    bool best = false;         ///< The fastest program.
    bool csr = false;          ///< Of a baseline: among the CSR routines that programs are compared with.
    Timing warm;
    std::optional<Timing> cold;
    double setupMicroseconds = 0;      ///< Prepare kernels, or preprocess.
    double conversionMicroseconds = 0; ///< Formats on the host; modelled on the simulated device.
    std::int64_t setupBytes = 0;
    double floorMicroseconds = 0;
    bool clocksAgree = true;
    Occupancy occupancy;
    std::string text; ///< Of a program.
};

/// All about one matrix.
struct BenchMatrix
{
    std::string name, structure, problem;
    std::optional<Error> unread; ///< Why there is nothing to time; `problem` says so too.
    SparseSizes sizes;
    std::vector<BenchRow> table;
    std::vector<MatrixWarning> warnings;        ///< What its file's format forbids.
    std::map<std::string, std::string> reasons; ///< By family: which features of the matrix speak for it.
    std::optional<HeadToHead> final;            ///< The best program against the best CSR baseline, in turn.
    double seconds = 0;                         ///< On the device's thread.

    const BenchRow* bestProgram() const;
    const BenchRow* bestBaseline() const; ///< Among the CSR routines.
    /// The fastest program of another family than the best's, timed in full; null: none.
    const BenchRow* nextFamily() const;
    /// Baseline over program: measured in turn where that was possible. 0: unknown.
    double speedup() const;
};

/// Times programs of the corpus against baselines on every matrix, in order: all candidates shortly
/// (those 1.5 times slower than the best are dropped after the first look), then the best of each family in
/// full, then the best of all in turn with the best baseline. Every result is compared with the oracle. Other
/// threads read, compile and bind meanwhile. `take` gets each matrix as it is done. An Error is the device's;
/// a matrix that cannot be read has a `problem`.
Status runBench(BenchDevice& device, const std::vector<ListedMatrix>& matrices, const BenchOptions& options,
                const std::function<Status(const BenchMatrix&)>& take);

/// Calls after which a program has paid for its set-up (conversion and prepare kernels); 0: never, as it is
/// not faster.
double breakEvenCalls(const BenchRow& program, const BenchRow* baseline);

/// CSV: one line for each row.
std::string benchCsvHeader(const TargetVariant& variant = {});
std::string benchCsv(const BenchMatrix& matrix, const BenchOptions& options, const std::string& device);

/// The summary for people: geometric means of the best program over the best CSR baseline, overall, from
/// 50,000 non-zeros, by non-zeros and by class; how many are below 1.0 and 0.9; the best single program;
/// which families win and after how many calls their formats have paid for themselves (medians); the worst by
/// name.
std::string benchSummary(const std::vector<BenchMatrix>& matrices, const BenchOptions& options);

} // namespace sparserl
