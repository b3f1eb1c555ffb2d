// SPDX-License-Identifier: Apache-2.0
#include "base/file_error.h"

#include "base/beneath.h"
#include "base/file_kind.h"
#include "base/system_remedy.h"
#include "base/trust.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <utility>

namespace sparserl {

Error fileError(std::string_view what, const std::filesystem::path& path, int error)
{
    if (error == EROFS)
        if (auto trusted = requireTrust(path); !trusted)
            return std::move(trusted).error();
    Spot spot;
    struct stat info
    {
    };
    const bool reached = !findSpot(path, Access::Read, spot);
    const bool found = reached && ::fstatat(spot.at(), spot.name.c_str(), &info,
                                            spot.guarded() ? AT_SYMLINK_NOFOLLOW : 0) == 0;
    // Where links are followed, there is none to replace.
    if (error == ELOOP && reached && !found && !spot.guarded())
        return {fmt::format("{}: the links on the way lead to each other", what), path.string(), 0,
                systemRemedy(ENOENT)};
    const std::string_view strange = found ? strangeKind(info.st_mode) : std::string_view();
    if (strange.empty())
        return {fmt::format("{}: {}", what, systemReason(error)), path.string(), 0, systemRemedy(error)};
    return {fmt::format("{}: {} ({})", what, systemReason(error), strange), path.string(), 0,
            systemRemedy(error, Subject::Stream)};
}

} // namespace sparserl
