// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/element_type.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// A sentence where programs for another task ("spmv", "spmm") or in another element type are asked of a
/// policy than the run that made it had, by the run.toml beside its weights; else empty. Runs of before knew
/// SpMV and float32 only; a policy without run.toml, or one that has only been pretrained, may be asked for
/// any.
std::string otherTaskSentence(const std::filesystem::path& policy, const std::string& asked,
                              ElementType type = ElementType::F32);

/// What the run that made a policy computed in; F32 where nothing says.
ElementType elementTypeOfPolicy(const std::filesystem::path& policy);

} // namespace sparserl
