// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/target_id.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace sparserl {

/// The name, and what tells the target from others of the same contents: "cant", "cant (8 columns)". For
/// terminals and tables; the window has its own in the user's language.
std::string labelOf(const TargetId& target);

/// What is computed, as the first line of a plan says it: "spmv", "spmm f64".
std::string taskWords(const TargetVariant& variant);

/// What tells the files of one matrix's targets apart: nothing for SpMV in float32, "-x8" for 8 dense
/// columns.
std::string fileSuffixOf(const TargetId& target);

/// What tells the targets of one matrix apart in a line of JSON that says the matrix otherwise: no key for
/// SpMV in float32, "task" and "dense_columns" for SpMM, "element_type" for others than float32.
nlohmann::json variantJson(const TargetId& target);

} // namespace sparserl
