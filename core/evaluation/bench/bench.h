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
    TargetVariant variant; ///< The computation on the matrices.
    BenchChoice choice;
    BaselineSet baselines = BaselineSet::Csr;
    int samples = 30; ///< Samples for reported times (baselines, the best program of each family, the final
                      ///< comparison).
    int quickSamples = 8; ///< Samples for each candidate in the first pass.
    bool cold = true;
    int threads = 0; ///< Threads that read, compile and bind; 0: one per core.
    std::uint64_t seed = 1;
    CancelToken cancel;
    std::function<void(double fraction, const std::string& phase)> progress;
    std::function<void(const std::string& sentence)> log;
};

/// One line of the table: a program or a baseline on a matrix.
struct BenchRow
{
    bool baseline = false;
    std::string family;   ///< "S11"; for a baseline, the library: "cuSPARSE 12.6.3".
    std::string variant;  ///< Parameters as JSON; for a baseline, the algorithm.
    std::string problem;  ///< Why there is no valid time: a fault, a wrong result.
    bool dropped = false; ///< Far slower than the best program: `warm` is an estimate (n = 1), and the result
                          ///< is unchecked.
    bool bestOfFamily = false; ///< Timed in full, like baselines.
    bool best = false;         ///< The fastest program.
    bool csr = false;          ///< The baseline is one of the CSR routines with which programs are compared.
    Timing warm;
    std::optional<Timing> cold;
    double setupMicroseconds = 0; ///< Time of prepare kernels, or of a library's preprocessing.
    /// Time to build formats on the host; for the simulated device, a model gives it.
    double conversionMicroseconds = 0;
    std::int64_t setupBytes = 0;
    double floorMicroseconds = 0;
    bool clocksAgree = true;
    Occupancy occupancy;
    std::string text; ///< Text of a program.
};

/// All results for one matrix.
struct BenchMatrix
{
    std::string name, structure, problem;
    std::optional<Error> unread; ///< Why the matrix could not be read; `problem` contains the same.
    SparseSizes sizes;
    std::vector<BenchRow> table;
    std::vector<MatrixWarning> warnings; ///< Violations of the file format of the matrix.
    /// For each family, the features of the matrix that favour it.
    std::map<std::string, std::string> reasons;
    std::optional<HeadToHead> final; ///< The best program and the best CSR baseline, timed in alternation.
    double seconds = 0;              ///< Time on the device thread.

    const BenchRow* bestProgram() const;
    const BenchRow* bestBaseline() const; ///< Returns the fastest CSR routine.
    /// Returns the fastest fully timed program of another family than the best program's, or nullptr.
    const BenchRow* nextFamily() const;
    /// Returns baseline time divided by program time, from the interleaved measurement if possible. 0:
    /// unknown.
    double speedup() const;
};

/// Times corpus programs against baselines on every matrix, in order. First times all candidates briefly, and
/// drops a candidate if its first estimate is 1.5 times the best time. Then times the best candidate of each
/// family in full, and finally the overall best in alternation with the best baseline. Checks every result
/// against the oracle. Other threads read, compile and bind in the meantime. `take` receives each finished
/// matrix. Fails if the device or `take` fails. A matrix that cannot be read gets a `problem` instead.
Status runBench(BenchDevice& device, const std::vector<ListedMatrix>& matrices, const BenchOptions& options,
                const std::function<Status(const BenchMatrix&)>& take);

/// Returns the number of calls after which a program's savings exceed its set-up time (conversion and prepare
/// kernels); 0 if they never do, because the program is not faster.
double breakEvenCalls(const BenchRow& program, const BenchRow* baseline);

/// These return a table as CSV, with one line per row.
std::string benchCsvHeader(const TargetVariant& variant = {});
std::string benchCsv(const BenchMatrix& matrix, const BenchOptions& options, const std::string& device);

/// Returns the summary: geometric means of the speed-ups of the best programs over the best CSR baselines
/// (overall, from 50,000 non-zeros, by non-zeros and by class); the numbers of speed-ups below 1.0 and 0.9;
/// the best single program; the winning families and the median number of calls that amortises their formats;
/// and the worst matrices by name.
std::string benchSummary(const std::vector<BenchMatrix>& matrices, const BenchOptions& options);

} // namespace sparserl
