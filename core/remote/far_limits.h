// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace sparserl {

/// Limits on data that another machine may write here while a run there is followed. Sizes are in bytes. The
/// limits are far above the needs of a run. They stop a faulty or hostile machine before it fills this disk.
struct FarLimits
{
    std::int64_t log = std::int64_t(1) << 30;         ///< worker.log; the rest stays on the other machine.
    std::int64_t journal = std::int64_t(64) << 30;    ///< The journal, and each discarded part of it.
    std::int64_t file = std::int64_t(128) << 30;      ///< A file of a checkpoint.
    std::int64_t run = std::int64_t(1) << 40;         ///< The whole folder of the run.
    std::int64_t freeBytes = std::int64_t(256) << 20; ///< Space that remains free on the local disk.
    std::int64_t freeShare = 50;      ///< Instead, one part in this many of the disk, if smaller.
    std::size_t filesOfUnit = 1000;   ///< Files of a checkpoint.
    std::size_t checkpoints = 20'000; ///< Also the limit for discarded journal parts.
    std::size_t unfinished = 8;       ///< Incomplete units of either kind; beyond it, the others start over.
    std::size_t setAside = 200;       ///< Files journal.cut.N, and entries of checkpoints.set-aside.
    std::size_t names = 100'000;      ///< Names in a directory listing.
    std::size_t refused = 200;        ///< Damaged checkpoints on the other machine.
    std::size_t sentences = 10'000;   ///< Sentences in the follower's log.
};

/// The Error for a transferred piece that does not continue the local data. The piece is requested again.
Error wrongPiece(const std::string& what);
/// The Error after the other machine has reached a limit. No further data are accepted, and waiting does not
/// help.
Error beyondLimit(std::string_view what);

/// Counts bytes written below a run's folder against the limits.
class FarAllowance
{
public:
    FarAllowance(std::filesystem::path run, const FarLimits& limits)
        : m_run(std::move(run))
        , m_limits(limits)
    {
    }
    const FarLimits& limits() const { return m_limits; }

    /// Whether `bytes` more may be written; call it before each write. Files removed meanwhile no longer
    /// count. A full disk is a temporary Error.
    Status take(std::int64_t bytes);
    /// Whether an Error from take() was beyondLimit().
    bool isReached() const { return m_reached; }
    /// Records that another limit was reached.
    tl::unexpected<Error> reach(std::string_view what);

private:
    std::filesystem::path m_run;
    FarLimits m_limits;
    std::int64_t m_left = 0; ///< Bytes that may be written before the folder and the disk are examined again.
    bool m_reached = false;
};

} // namespace sparserl
