// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <map>
#include <string>

namespace sparserl {

class StageContext;

/// The program that a matrix's samples are compared with (reward preset ppocoder), by TargetId::key().
using ReferencePrograms = std::map<std::string, std::string>;

/// Those of `file` where it exists; for matrices it does not have, the fastest correct one of
/// reward.stats_samples corpus programs that suit the matrix, which are judged now. A matrix without a
/// correct one has none.
Result<ReferencePrograms> findReferencePrograms(StageContext& context, const std::filesystem::path& file);
Status saveReferencePrograms(const ReferencePrograms& programs, const std::filesystem::path& file);

} // namespace sparserl
