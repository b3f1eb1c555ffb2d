// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/element_type.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// Returns a warning for the user if a policy is asked for programs of a task ("spmv", "spmm") or an element
/// type that it was not trained for, according to the run.toml next to its weights; otherwise an empty
/// string. Older runs had only SpMV and float32. A policy without run.toml, or one that was only pretrained,
/// gives no warning.
std::string otherTaskSentence(const std::filesystem::path& policy, const std::string& asked,
                              ElementType type = ElementType::F32);

/// Returns the element type of the run that created a policy; F32 if it is unknown.
ElementType elementTypeOfPolicy(const std::filesystem::path& policy);

} // namespace sparserl
