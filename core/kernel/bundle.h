// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kernel/bundle_plan.h"
#include "kernel/plan.h"
#include "matrix/csr.h"
#include "target/target_id.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace sparserl {

/// The code of a bundle: PTX accepted by the gate.
struct BundleCode
{
    std::string ptx;
    std::string ptxHash;               ///< ptx::canonicalHash, as in verdict records.
    std::vector<BundleKernel> kernels; ///< Kernels called by the plan.
};

/// The input for a stand-alone bundle (docs/design.md 4).
struct BundleRequest
{
    KernelProgram program;
    BundleCode code;
    TargetId target; ///< The bundle's target. The contents' digest is computed and need not be set.
    /// As imported. For a program in double precision, with the doubles that floats cannot represent
    /// (Csr::val64).
    const Csr* matrix = nullptr;
    std::string matrixAttribution;      ///< Owner and licence of the matrix; may be empty.
    nlohmann::json evidence;            ///< Verdict record for `code`, or null.
    std::string run, checkpoint;        ///< Origin of the program; may be empty.
    double created = 0;                 ///< Unix seconds for the manifest.
    std::string licence = "Apache-2.0"; ///< SPDX identifier for the kernel.
    std::int64_t maxMatrixBytes = std::int64_t(16)
                                  << 20; ///< A bundle contains the matrix itself if it is not larger.
};

/// The files of a bundle by relative path. Equal requests yield identical bytes.
Result<std::map<std::string, std::string>> bundleContents(const BundleRequest& request);

/// Writes a bundle to `directory`, which must be missing or empty. The bundle contains PTX and plan as
/// numbers in C++, host conversion, a C interface on the driver API, CMake, pyproject.toml, a self-test with
/// the matrix digest, PyTorch and CuPy bindings, manifest.json, README.md, LICENSE and NOTICE.md. It includes
/// the program's source as a separate file; no text from the program becomes code. On failure nothing
/// remains. The bundle's own code converts every storage format and part of the plan.
Status writeBundle(const std::filesystem::path& directory, const BundleRequest& request);

} // namespace sparserl
