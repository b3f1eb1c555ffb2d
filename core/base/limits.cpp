// SPDX-License-Identifier: Apache-2.0
#include "base/limits.h"

#include "base/files.h"
#include "base/format.h"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>
#include <sys/resource.h>

namespace sparserl {

std::optional<std::uint64_t> addressSpaceLimit()
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return std::nullopt;
    }
    return limit.rlim_cur;
}

std::string addressSpaceSentence()
{
    const auto limit = addressSpaceLimit();
    return limit ? fmt::format("this process may use {} of memory (ulimit -v)",
                               formatBytes(static_cast<double>(*limit)))
                 : std::string();
}

std::optional<MachineMemory> machineMemory(const std::filesystem::path& proc,
                                           const std::filesystem::path& group)
{
    MachineMemory memory;
    std::istringstream lines(readFile(proc / "meminfo", 1 << 16).value_or(std::string()));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        std::int64_t kibibytes = 0;
        words >> name >> kibibytes;
        if (name == "MemTotal:")
            memory.total = kibibytes * 1024;
        else if (name == "MemAvailable:")
            memory.available = kibibytes * 1024;
    }
    if (memory.available <= 0)
        return std::nullopt;
    std::istringstream limit(readFile(group / "memory.max", 64).value_or(std::string()));
    if (std::int64_t most = 0; limit >> most && most > 0) { // "max": none
        memory.total = std::min(memory.total, most);
        memory.available = std::min(memory.available, most);
    }
    return memory;
}

} // namespace sparserl
