// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <optional>
#include <string>

namespace sparserl {

/// A program for comparison.
struct ComparedProgram
{
    CandidateRow candidate;
    std::string text;
    std::optional<VerdictRecord> record;
};

} // namespace sparserl
