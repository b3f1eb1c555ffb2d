// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kernel/plan.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A kernel in the PTX, with its name in the plan.
struct BundleKernel
{
    std::string name;
    std::vector<int> parameterBytes; ///< Sizes of parameters: 8 for arrays, 4 or 8 for integers, 4 for reals.
};

/// Encodes the plan as numbers for export/src/plan.cpp. Names become indices: a kernel's position in
/// `kernels`, a format's position in the plan, and an array's position in the signature of its format. Fails
/// if a call does not match its kernel.
Result<std::vector<std::int64_t>> bundlePlanWords(const Plan& plan, const std::vector<BundleKernel>& kernels);

/// Returns the text of a bundle's data.cpp: the PTX, the kernel names and the plan, with every byte written
/// as a number.
std::string bundleDataSource(std::string_view ptx, const std::vector<BundleKernel>& kernels,
                             const std::vector<std::int64_t>& plan, std::int64_t denseColumns,
                             std::uint64_t patternChecksum);

} // namespace sparserl
