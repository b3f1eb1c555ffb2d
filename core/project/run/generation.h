// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>

namespace sparserl {

/// The largest possible number of resumes. A file with a larger or negative number must be damaged.
constexpr int mostGenerations = 1'000'000'000;
constexpr bool isGeneration(std::int64_t number)
{
    return number >= 0 && number <= mostGenerations;
}

/// Reads the number of resumes of a run from generation.json in the run directory. Returns 0 if the file is
/// missing or damaged. A resume increments the number after it has moved the end of the journal away and
/// before it writes anything new. A reader that finds the same generation before and after reading has read a
/// consistent journal.
int readGeneration(const std::filesystem::path& runDirectory);
Status writeGeneration(const std::filesystem::path& runDirectory, int generation);

} // namespace sparserl
