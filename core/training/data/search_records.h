// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/files/sft_set.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace sparserl {

/// Returns the fastest correct programs that the searches of a project have found, for use in training: at
/// most `most` for each target. Programs with the same plan and PTX count once. The speed-up of a program is
/// the one in its last verdict; for finalists, this is the verdict of the ranking. Skips runs that cannot be
/// read. `runs` is Project::runsPath().
std::vector<ChosenProgram> searchRecords(const std::filesystem::path& runs, std::int64_t most);

} // namespace sparserl
