// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace sparserl {

/// A sentence where programs for another task ("spmv", "spmm") are asked of a policy than the run that made
/// it had, by the run.toml beside its weights; else empty. Runs of before knew SpMV only; a policy without
/// run.toml, or one that has only been pretrained, may be asked for either.
std::string otherTaskSentence(const std::filesystem::path& policy, const std::string& asked);

} // namespace sparserl
