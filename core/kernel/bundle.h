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

/// The code of a bundle: PTX that has passed the gate.
struct BundleCode
{
    std::string ptx;
    std::string ptxHash;               ///< ptx::canonicalHash, as verdict records have it.
    std::vector<BundleKernel> kernels; ///< Those that the plan calls.
};

/// What goes into a stand-alone bundle (docs/design.md 4).
struct BundleRequest
{
    KernelProgram program;
    BundleCode code;
    TargetId target; ///< What it is for. Without contents: their digest is computed.
    /// As it was imported; for a program in double precision with what floats cannot hold (Csr::val64).
    const Csr* matrix = nullptr;
    std::string matrixAttribution;      ///< Whose matrix it is, and under which licence; may be empty.
    nlohmann::json evidence;            ///< Verdict record about `code`, or null where there is none.
    std::string run, checkpoint;        ///< Where the program comes from; may be empty.
    double created = 0;                 ///< Unix seconds, for the manifest.
    std::string licence = "Apache-2.0"; ///< SPDX identifier for the kernel.
    std::int64_t maxMatrixBytes = std::int64_t(16)
                                  << 20; ///< The matrix itself is part of the bundle up to this.
};

/// What writeBundle writes, by path within the bundle: the same for the same request, to the byte.
Result<std::map<std::string, std::string>> bundleContents(const BundleRequest& request);

/// Writes a bundle into `directory`, which must not exist or be empty: the PTX and the plan as numbers in
/// C++, host conversion, a C interface on the driver API, CMake, pyproject.toml, a self-test with the matrix
/// digest, PyTorch and CuPy bindings, manifest.json, README.md, LICENSE, NOTICE.md. The program's source lies
/// beside it; no text of it becomes part of any code. Nothing is left behind on failure. Every storage format
/// and part of the plan is converted by the bundle's own code.
Status writeBundle(const std::filesystem::path& directory, const BundleRequest& request);

} // namespace sparserl
