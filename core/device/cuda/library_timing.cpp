// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/library_timing.h"
#include "base/interruption.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::cuda {

namespace {

constexpr double dropFactor = 1.5; ///< A routine this much slower than the best is not sampled further.
constexpr double denseEnough = 0.5;

} // namespace

std::vector<RoutineSpec> routines(BaselineSet set, bool spmm, double density, ElementType type)
{
    using namespace cusparse;
    using Storage = RoutineSpec::Storage;
    std::vector<RoutineSpec> all;
    const auto add = [&](Storage storage, int algorithm, const char* name, bool preprocess, bool rowMajor,
                         bool csr) {
        RoutineSpec spec{storage, algorithm, preprocess, false, rowMajor, csr, name};
        if (preprocess)
            spec.name += ", preprocessed";
        if (spmm && storage != Storage::Dense)
            spec.name += rowMajor ? ", row-major" : ", column-major";
        all.push_back(std::move(spec));
    };
    const bool every = set == BaselineSet::AllFormats;
    if (!spmm) {
        for (const auto& [algorithm, name] : {std::pair{spmvOp2, "SpMVOp ALG2"}, {spmvOp1, "SpMVOp ALG1"}}) {
            add(Storage::Csr, algorithm, name, false, true, true);
            all.back().operation = true;
        }
        for (const bool preprocess : {true, false}) {
            add(Storage::Csr, spmvCsr2, "CSR_ALG2", preprocess, true, true);
            add(Storage::Csr, spmvCsr1, "CSR_ALG1", preprocess, true, true);
        }
        add(Storage::Csr, spmvDefault, "DEFAULT", false, true, false);
        if (every) {
            add(Storage::Coo, spmvCoo1, "COO_ALG1", false, true, false);
            add(Storage::Coo, spmvCoo2, "COO_ALG2", false, true, false);
            add(Storage::Sell, spmvSell1, "SELL_ALG1", false, true, false);
            add(Storage::Bsr, spmvBsr1, "BSR_ALG1, blocks of 4", false, true, false);
        }
    } else {
        for (const bool rowMajor : {true, false}) {
            add(Storage::Csr, spmmCsr2, "CSR_ALG2", false, rowMajor, true);
            for (const bool preprocess : {true, false}) {
                add(Storage::Csr, spmmCsr1, "CSR_ALG1", preprocess, rowMajor, true);
                add(Storage::Csr, spmmCsr3, "CSR_ALG3", preprocess, rowMajor, true);
            }
            add(Storage::Csr, spmmDefault, "DEFAULT", false, rowMajor, false);
            if (every) {
                add(Storage::Coo, spmmCoo1, "COO_ALG1", false, rowMajor, false);
                add(Storage::Coo, spmmCoo2, "COO_ALG2", false, rowMajor, false);
                add(Storage::Coo, spmmCoo4, "COO_ALG4", false, rowMajor, false);
                if (rowMajor) // the padding of the last block does not fit into columns
                    add(Storage::Bsr, spmmBsr1, "BSR_ALG1, blocks of 4", false, true, false);
            }
        }
    }
    if (every && density >= denseEnough)
        add(Storage::Dense, 0,
            type == ElementType::F64 ? (spmm ? "dgemm" : "dgemv") : (spmm ? "sgemm" : "sgemv"), false, true,
            false);
    return all;
}

Result<std::vector<BaselineTiming>> measureLibraries(Gpu& gpu, Libraries& libraries, const Csr& matrix,
                                                     std::int64_t denseColumns,
                                                     const BaselineOptions& options)
{
    if (matrix.rows == 0 || matrix.cols == 0 || matrix.nnz() == 0)
        return fail("a library has nothing to do for an empty matrix");
    SPARSERL_TRY(auto made, LibraryMatrix::make(gpu, libraries, matrix, denseColumns, options.seed));
    const double density = static_cast<double>(matrix.nnz()) /
                           (static_cast<double>(matrix.rows) * static_cast<double>(matrix.cols));
    std::vector<BaselineTiming> timings;
    std::string problems;
    double best = 0;
    for (const RoutineSpec& spec : routines(options.set, denseColumns > 1, density, matrix.type)) {
        auto routine = made->open(spec);
        if (routine && !*routine)
            continue; // not supported
        SamplingOptions sampling;
        sampling.samples = options.samples;
        sampling.sampleMicroseconds = options.sampleMicroseconds;
        sampling.cold = options.cold;
        sampling.mean = options.mean;
        sampling.seed = options.seed;
        sampling.cancel = options.cancel;
        // The paper's baseline is always reported in full.
        const bool paper = !spec.operation && spec.storage == RoutineSpec::Storage::Csr &&
                           spec.algorithm == cusparse::spmvDefault;
        sampling.dropAbove = best > 0 && !paper ? dropFactor * best : 0;
        Result<Samples> samples = routine ? sample(gpu, (*routine)->work(), sampling) : fail(routine.error());
        Status right;
        if (samples && !samples->fault)
            right = made->checkOutput(spec, !samples->dropped);
        if (options.cancel.cancelled())
            return fail(interruption());
        if (!samples || samples->fault || !right) {
            const std::string reason = !samples         ? samples.error().what
                                       : samples->fault ? samples->fault->message
                                                        : right.error().what;
            problems += (problems.empty() ? "" : "; ") + spec.name + ": " + reason;
            if (options.log)
                options.log(fmt::format("{} could not be timed: {}", spec.name, reason));
            if (gpu.poisoned())
                break;
            continue;
        }
        BaselineTiming timing;
        timing.library = (*routine)->library;
        timing.algorithm = spec.name;
        timing.csr = spec.csr;
        timing.warm = samples->warm;
        timing.cold = samples->cold;
        timing.setupMicroseconds = (*routine)->setupMicroseconds;
        if (spec.csr && (best == 0 || timing.warm.median < best))
            best = timing.warm.median;
        timings.push_back(std::move(timing));
    }
    if (timings.empty() || gpu.poisoned())
        return fail("no library routine could be timed" + (problems.empty() ? "" : ": " + problems));
    std::stable_sort(timings.begin(), timings.end(), [](const BaselineTiming& a, const BaselineTiming& b) {
        return a.warm.median < b.warm.median;
    });
    return timings;
}

} // namespace sparserl::cuda
