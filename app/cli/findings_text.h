// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/findings.h"
#include "verdict/record.h"

#include <string>
#include <string_view>

namespace sparserl::cli {

/// The name of a kind in JSON: "limiter", "uncoalesced", ...
std::string_view nameOf(FindingKind kind);

/// A finding as a sentence for a terminal; the window has its own localised version
/// (widgets/kernels/findings_view.h).
std::string findingSentence(const Finding& finding, const VerdictRecord& record);

} // namespace sparserl::cli
