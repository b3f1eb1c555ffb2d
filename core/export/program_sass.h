// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/sass.h"
#include "kernel/bundle.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// What a GPU of `architecture` ("sm_90") executes of a program's gated PTX: assembled by nvJitLink and
/// disassembled, both in locked runners. Fails with a sentence where this machine has no disassembler.
/// `runner`: as for compileForBundle.
Result<SassListing> sassOf(const BundleCode& code, const std::string& architecture,
                           const std::filesystem::path& runner);

} // namespace sparserl
