// SPDX-License-Identifier: Apache-2.0
#include "project/files/unique_id.h"

#include <fmt/format.h>
#include <random>

namespace sparserl {

std::string uniqueId()
{
    std::random_device device;
    return fmt::format("{:08x}{:08x}", device(), device());
}

} // namespace sparserl
