// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>

namespace sparserl {

/// More often no run is resumed; a larger number, or one below 0, is damage.
constexpr int mostGenerations = 1'000'000'000;
constexpr bool isGeneration(std::int64_t number)
{
    return number >= 0 && number <= mostGenerations;
}

/// How often a run has been resumed: file generation.json of the run directory; 0 where there is none, or a
/// damaged one. Raised after the journal's tail has been moved away and before anything new is written, so a
/// reader that sees the same generation before and after reading has read one consistent journal.
int readGeneration(const std::filesystem::path& runDirectory);
Status writeGeneration(const std::filesystem::path& runDirectory, int generation);

} // namespace sparserl
