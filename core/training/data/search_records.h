// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/files/sft_set.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace sparserl {

/// The fastest correct programs found by the searches among a project's runs, as training programs, at most
/// `most` for each target. Programs with the same plan and PTX count once. The speed-up is that of a
/// program's last verdict, which is the verdict of the ranking for finalists. Unreadable runs are omitted.
/// `runs`: Project::runsPath().
std::vector<ChosenProgram> searchRecords(const std::filesystem::path& runs, std::int64_t most);

} // namespace sparserl
