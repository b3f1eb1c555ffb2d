// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/target_id.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace sparserl {

/// The name, plus the variant if it differs from the default: "cant", "cant (8 columns)". For terminals and
/// tables; the window has its own localized version.
std::string labelOf(const TargetId& target);

/// The computation, as in the first line of a plan: "spmv", "spmm f64".
std::string taskWords(const TargetVariant& variant);

/// A suffix that distinguishes files of one matrix's targets: empty for SpMV in float32, "-x8" for 8 dense
/// columns.
std::string fileSuffixOf(const TargetId& target);

/// The keys that distinguish targets of one matrix in a JSON line: none for SpMV in float32, "task" and
/// "dense_columns" for SpMM, "element_type" for types other than float32.
nlohmann::json variantJson(const TargetId& target);

} // namespace sparserl
