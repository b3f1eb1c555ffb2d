// SPDX-License-Identifier: Apache-2.0
#include "base/boot_id.h"

#include "base/files.h"

#include <sstream>

namespace sparserl {

std::string bootId()
{
    std::istringstream text(readFile("/proc/sys/kernel/random/boot_id", 256).value_or(std::string()));
    std::string boot;
    return text >> boot ? boot : std::string("-");
}

} // namespace sparserl
