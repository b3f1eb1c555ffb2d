// SPDX-License-Identifier: Apache-2.0
// Requests for bundles whose PTX nobody runs.
#pragma once

#include "kernel/bundle.h"
#include "kernel/plan.h"
#include "matrix/csr.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace sparserl {

Csr randomMatrix(int rows, int cols, double density, std::uint64_t seed);

KernelProgram programOf(const std::string& text);

/// Kernels of a plan as its PTX would have them, where every integer has `integerBytes`.
std::vector<BundleKernel> kernelsOf(const Plan& plan, int integerBytes = 4);

/// A bundle without a verdict. `m` must outlive it.
BundleRequest requestFor(const std::string& text, const Csr& m);

/// Relative path and contents of every file of a bundle.
std::map<std::string, std::string> filesOf(const std::filesystem::path& bundle);

} // namespace sparserl
