// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kernel/bind.h"
#include "kernel/plan.h"
#include "matrix/csr.h"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace sparserl {

/// What goes into a stand-alone bundle (DESIGN 4).
struct BundleRequest
{
    KernelProgram program;
    const Csr* matrix = nullptr;
    std::string matrixName;
    std::string matrixDigest; ///< Empty: computed.
    std::int64_t denseColumns = 1;
    nlohmann::json evidence;            ///< Verdict record, or null where there is none.
    std::string run, checkpoint;        ///< Where the program comes from; may be empty.
    double created = 0;           ///< Unix seconds, for the manifest.
    std::string licence = "Apache-2.0"; ///< SPDX identifier for the kernel.
    std::int64_t maxMatrixBytes = std::int64_t(16)
                                  << 20; ///< The matrix itself is part of the bundle up to this.
};

/// Writes a bundle into `directory`, which must not exist or be empty: CUDA source with the host conversion
/// and a C interface, CMake, a self-test with the matrix digest, PyTorch and CuPy bindings, manifest.json,
/// README.md. Nothing is left behind on failure. Every storage format and part of the plan is converted by the
/// bundle's own code.
Status writeBundle(const std::filesystem::path& directory, const BundleRequest& request);

} // namespace sparserl
