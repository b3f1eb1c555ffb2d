// SPDX-License-Identifier: Apache-2.0
#include "policy/files/model_limits.h"

#include "base/format.h"
#include "base/limits.h"

namespace sparserl {

Status checkMemory(std::uint64_t bytes, const std::string& file)
{
    const auto memory = machineMemory();
    if (!memory || bytes <= static_cast<std::uint64_t>(memory->available))
        return {};
    return failAt(file, 0,
                  fmt::format("its tensors take {} of memory, and {} are free",
                              formatBytes(static_cast<double>(bytes)),
                              formatBytes(static_cast<double>(memory->available))),
                  "Take a smaller model, or a machine with more memory");
}

} // namespace sparserl
