// SPDX-License-Identifier: Apache-2.0
#include "base/limits.h"

#include "base/format.h"

#include <fmt/format.h>
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

} // namespace sparserl
