// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/files/sft_set.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace sparserl {

/// The fastest correct programs that the searches among a project's runs found, at most `most` for each
/// target, as programs to train on. Programs with the same plan and PTX count once. The speed-up is that of a
/// program's last verdict, which for the finalists is the verdict of the ranking. Runs that cannot be read
/// are left out. `runs`: Project::runsPath().
std::vector<ChosenProgram> searchRecords(const std::filesystem::path& runs, std::int64_t most);

} // namespace sparserl
