// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/target_id.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace sparserl {

/// Returns the name of a target, and its variant unless that is the default: "cant", "cant (8 columns)". For
/// terminals and tables; the window has its own localised version.
std::string labelOf(const TargetId& target);

/// Returns the computation as the first line of a plan states it: "spmv", "spmm f64".
std::string taskWords(const TargetVariant& variant);

/// Returns a suffix that distinguishes files for different targets that share a matrix: empty for SpMV in
/// float32, "-x8" for 8 dense columns.
std::string fileSuffixOf(const TargetId& target);

/// Returns an object with the keys that distinguish targets that share a matrix: none for SpMV in float32,
/// "task" and "dense_columns" for SpMM, "element_type" for types other than float32.
nlohmann::json variantJson(const TargetId& target);

} // namespace sparserl
