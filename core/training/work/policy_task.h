// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/element_type.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// A warning for the user if a policy is asked for programs for a task ("spmv", "spmm") or of an element type
/// that its run did not have, according to the run.toml next to its weights; otherwise empty. Older runs had
/// only SpMV and float32. A policy without run.toml, or one that was only pretrained, accepts any.
std::string otherTaskSentence(const std::filesystem::path& policy, const std::string& asked,
                              ElementType type = ElementType::F32);

/// The element type of the run that created a policy; F32 if unknown.
ElementType elementTypeOfPolicy(const std::filesystem::path& policy);

} // namespace sparserl
