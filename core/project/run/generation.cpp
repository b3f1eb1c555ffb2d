// SPDX-License-Identifier: Apache-2.0
#include "project/run/generation.h"

#include "base/control_file.h"
#include "base/json.h"

namespace sparserl {

int readGeneration(const std::filesystem::path& runDirectory)
{
    const auto json = readControlJson(runDirectory / "generation.json");
    const auto number = json ? jsonValue<std::int64_t>(*json, "gen", 0) : 0;
    return isGeneration(number) ? static_cast<int>(number) : 0;
}

Status writeGeneration(const std::filesystem::path& runDirectory, int generation)
{
    return writeJson(runDirectory / "generation.json", {{"gen", generation}});
}

} // namespace sparserl
