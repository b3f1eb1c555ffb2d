// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"

namespace sparserl::spmv {

// One H200: figures from public specifications and micro-benchmarks, rounded.
constexpr double sms = 132;
constexpr double threadsPerSm = 2048;
constexpr double dramBytesPerUs = 4.4e6;
constexpr double l2BytesPerUs = 7.5e6;
constexpr double l2Bytes = 45e6;   ///< What stays resident of 60 MB.
constexpr double l1Columns = 40e3; ///< Elements of x that L1 keeps beside the matrix.
constexpr double smBytesPerUs = 0.1e6;
constexpr double lanesPerUs = 132.0 * 128.0 * 1700; ///< Thread instructions.
constexpr double shuffleUs = 0.014;
constexpr double never = 1e12;

/// A parameter of a program, 1 where its family has none of that name.
inline double at(const FamilyParameters& p, const char* name)
{
    const auto found = p.find(name);
    return found == p.end() ? 1 : static_cast<double>(found->second);
}

} // namespace sparserl::spmv
