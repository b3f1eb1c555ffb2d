// SPDX-License-Identifier: Apache-2.0
#include "remote/far_limits.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/format.h"
#include "base/system_remedy.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <system_error>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t between = std::int64_t(64) << 20; ///< Bytes that are written between two looks.

} // namespace

Error wrongPiece(const std::string& what)
{
    return {"what the other machine sent does not fit: " + what, {}, 0, "It is requested again"};
}

Error beyondLimit(std::string_view what)
{
    return {fmt::format("the data from the other machine does not belong to a run: {}", what),
            {},
            0,
            "Nothing more is fetched, and local files stay. Look at the run on that machine"};
}

tl::unexpected<Error> FarAllowance::reach(std::string_view what)
{
    m_reached = true;
    return fail(beyondLimit(what));
}

Status FarAllowance::take(std::int64_t bytes)
{
    if (bytes <= m_left) {
        m_left -= bytes;
        return {};
    }
    std::int64_t used = 0;
    SPARSERL_TRY(const auto files, listTree(m_run));
    for (const fs::path& file : files)
        used += static_cast<std::int64_t>(glance(file).bytes);
    if (used + bytes > m_limits.run)
        return reach(fmt::format("its folder would be larger than {}",
                                 formatBytes(static_cast<double>(m_limits.run))));
    std::error_code code;
    const fs::space_info disk = fs::space(m_run, code);
    std::int64_t room = between;
    constexpr std::uintmax_t most = std::uintmax_t(1) << 62;
    if (!code) {
        const auto total = static_cast<std::int64_t>(std::min(disk.capacity, most)),
                   free = static_cast<std::int64_t>(std::min(disk.available, most));
        const std::int64_t spared = std::min(m_limits.freeBytes, total / m_limits.freeShare);
        if (free - bytes < spared)
            return fail(
                {fmt::format("the disk here has only {} left, and the last {} are not used for data from "
                             "another machine",
                             formatBytes(static_cast<double>(std::max<std::int64_t>(free, 0))),
                             formatBytes(static_cast<double>(spared))),
                 m_run.string(), 0, systemRemedy(ENOSPC)});
        room = std::min(room, (free - spared - bytes) / 2);
    }
    m_left = std::clamp<std::int64_t>(m_limits.run - used - bytes, 0, room);
    return {};
}

} // namespace sparserl
