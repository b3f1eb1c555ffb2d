// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "verdict/timing.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// The library routines to time (docs/design.md 5.4).
enum class BaselineSet
{
    Csr, ///< cuSPARSE CSR algorithms with and without preprocessing (SpMM: row- and column-major) and SpMVOp:
         ///< the baseline; and DEFAULT without preprocessing, which does not compete (csr = false).
    AllFormats ///< Also COO, SELL, BSR, and cuBLAS if density >= 0.5.
};

struct BaselineOptions
{
    BaselineSet set = BaselineSet::Csr;
    int samples = 30;
    double sampleMicroseconds = 200;
    bool cold = true;
    bool mean = false; ///< As in MeasureRequest.
    std::uint64_t seed = 0;
    CancelToken cancel;
    std::function<void(std::string_view)> log; ///< Receives a sentence for each routine that could not be
                                               ///< timed.
};

/// One library routine on one matrix, timed like programs: with CUDA graphs, and vectors rotating over a
/// ring.
struct BaselineTiming
{
    std::string library;   ///< "cuSPARSE 12.9.4"
    std::string algorithm; ///< "CSR_ALG2, preprocessed", "CSR_ALG1, column-major"
    bool csr = false;      ///< Belongs to BaselineSet::Csr.
    Timing warm;
    std::optional<Timing> cold;
    double setupMicroseconds = 0; ///< Preprocessing, descriptor and plan, without conversion.
};

} // namespace sparserl
