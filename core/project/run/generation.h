// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>

namespace sparserl {

/// Upper limit of resumes. A larger or negative number indicates damage.
constexpr int mostGenerations = 1'000'000'000;
constexpr bool isGeneration(std::int64_t number)
{
    return number >= 0 && number <= mostGenerations;
}

/// The number of resumes of a run: file generation.json in the run directory; 0 if it is missing or damaged.
/// It is incremented after the journal's tail has been moved away and before anything new is written. A
/// reader that sees the same generation before and after reading has read one consistent journal.
int readGeneration(const std::filesystem::path& runDirectory);
Status writeGeneration(const std::filesystem::path& runDirectory, int generation);

} // namespace sparserl
