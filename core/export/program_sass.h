// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/sass.h"
#include "kernel/bundle.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// Returns the machine code of a program's gated PTX for a GPU of `architecture` ("sm_90"). Sandboxed runners
/// assemble the PTX with nvJitLink and disassemble the result. Fails if this machine has no disassembler.
/// `runner` is as in compileForBundle().
Result<SassListing> sassOf(const BundleCode& code, const std::string& architecture,
                           const std::filesystem::path& runner);

} // namespace sparserl
