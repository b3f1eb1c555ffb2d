// SPDX-License-Identifier: Apache-2.0
#include "base/free_name.h"

#include "base/beneath.h"

#include <fmt/format.h>

namespace sparserl {

std::string numbered(const std::string& name, int number)
{
    return number == 1 ? name : fmt::format("{}-{}", name, number);
}

std::filesystem::path freePlace(const std::filesystem::path& path)
{
    return firstFree(path.string(), [](const std::string& place) { return glance(place).exists; });
}

} // namespace sparserl
