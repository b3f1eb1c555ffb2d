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
    Csr, ///< The baseline: cuSPARSE's CSR algorithms with and without preprocessing (SpMM: row-major and
         ///< column-major), and SpMVOp. Also DEFAULT without preprocessing, which does not compete.
    AllFormats ///< Also COO, SELL, BSR and, if the density is at least 0.5, cuBLAS.
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
    std::function<void(std::string_view)>
        log; ///< Receives a sentence about each routine that could not be timed.
};

/// The times of one library routine on one matrix. Routines are timed like programs: with CUDA graphs, and
/// with vectors that rotate over a ring.
struct BaselineTiming
{
    std::string library;   ///< "cuSPARSE 12.9.4"
    std::string algorithm; ///< "CSR_ALG2, preprocessed", "CSR_ALG1, column-major"
    bool csr = false;      ///< True for the routines of BaselineSet::Csr that compete.
    Timing warm;
    std::optional<Timing> cold;
    double setupMicroseconds =
        0; ///< Time of preprocessing, descriptor and plan, without the conversion of the matrix.
};

} // namespace sparserl
