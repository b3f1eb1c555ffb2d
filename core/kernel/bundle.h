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

/// The code of a bundle, which is PTX that has passed the gate.
struct BundleCode
{
    std::string ptx;
    std::string ptxHash;               ///< ptx::canonicalHash, as in verdict records.
    std::vector<BundleKernel> kernels; ///< The kernels that the plan calls.
};

/// The input from which a stand-alone bundle is made (docs/design.md 4).
struct BundleRequest
{
    KernelProgram program;
    BundleCode code;
    TargetId target; ///< The bundle's target. The digest of the contents is computed and need not be set.
    /// The matrix as imported. For a program in double precision, it includes the doubles that floats cannot
    /// represent (Csr::val64).
    const Csr* matrix = nullptr;
    std::string matrixAttribution;      ///< The owner and the licence of the matrix; may be empty.
    nlohmann::json evidence;            ///< The verdict record for `code`, or null.
    std::string run, checkpoint;        ///< The origin of the program; may be empty.
    double created = 0;                 ///< Unix seconds for the manifest.
    std::string licence = "Apache-2.0"; ///< SPDX identifier for the kernel.
    std::int64_t maxMatrixBytes = std::int64_t(16)
                                  << 20; ///< The bundle contains the matrix unless the matrix is larger.
};

/// Returns the files of a bundle, keyed by relative path. Equal requests yield identical bytes.
Result<std::map<std::string, std::string>> bundleContents(const BundleRequest& request);

/// Writes a bundle to `directory`, which must be missing or empty. The bundle contains PTX and plan as
/// numbers in C++, host conversion, a C interface on the driver API, CMake, pyproject.toml, a self-test with
/// the matrix digest, PyTorch, CuPy and SciPy bindings, manifest.json, README.md, LICENSE and NOTICE.md. It
/// includes the program's source as a separate file; no text from the program becomes code. On failure, no
/// files remain. The bundle's own code converts every storage format and part of the plan.
Status writeBundle(const std::filesystem::path& directory, const BundleRequest& request);

} // namespace sparserl
