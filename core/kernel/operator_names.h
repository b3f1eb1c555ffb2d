// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/bind.h"
#include "target/operator_signature.h"

#include <optional>

namespace sparserl {

/// Checks the names in a plan for an operator: each is a tensor of the signature or a buffer of the plan, no
/// tensor has the name of a buffer or const of the plan, extents exist, and launches name every output.
/// Returns the first failure, a PlanError that lists similar names.
std::optional<BindFailure> checkOperatorNames(const Plan& plan, const OperatorSignature& signature);

} // namespace sparserl
