// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/sass.h"
#include "kernel/bundle.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// The machine code of a program's gated PTX on a GPU of `architecture` ("sm_90"): assembled with nvJitLink
/// and disassembled, both in sandboxed runners. Fails if this machine has no disassembler. `runner`: as in
/// compileForBundle.
Result<SassListing> sassOf(const BundleCode& code, const std::string& architecture,
                           const std::filesystem::path& runner);

} // namespace sparserl
