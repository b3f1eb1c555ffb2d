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

/// Limits on the data that a follower accepts from another machine. Sizes are in bytes. The limits are far
/// above the needs of a run. They stop a faulty or hostile machine before it fills the local disk.
struct FarLimits
{
    std::int64_t log = std::int64_t(1) << 30; ///< Size of worker.log; the rest stays on the other machine.
    std::int64_t journal = std::int64_t(64) << 30; ///< Size of the journal, and of each discarded part of it.
    std::int64_t file = std::int64_t(128) << 30;   ///< Size of a file of a checkpoint.
    std::int64_t run = std::int64_t(1) << 40;      ///< Size of the whole folder of the run.
    std::int64_t freeBytes = std::int64_t(256) << 20; ///< Space that remains free on the local disk.
    /// The disk's size divided by this number is kept free instead if it is less than `freeBytes`.
    std::int64_t freeShare = 50;
    std::size_t filesOfUnit = 1000;   ///< Number of files of a checkpoint.
    std::size_t checkpoints = 20'000; ///< Number of checkpoints, and also of discarded journal parts.
    std::size_t unfinished = 8; ///< Number of partly transferred units (mirrored_units.h). If there are more,
                                ///< they are deleted and transferred again.
    std::size_t setAside = 200; ///< Number of files journal.cut.N, and of entries in checkpoints.set-aside.
    std::size_t names = 100'000;    ///< Number of names in a directory listing.
    std::size_t refused = 200;      ///< Number of damaged checkpoints on the other machine.
    std::size_t sentences = 10'000; ///< Number of sentences in the follower's log.
};

/// Returns the Error for a transferred piece that does not continue the local data. The piece is requested
/// again.
Error wrongPiece(const std::string& what);
/// Returns the Error for a machine that has reached a limit. No further data are accepted from it, and
/// waiting does not help.
Error beyondLimit(std::string_view what);

/// Checks that the data written below a run's folder stay within the limits.
class FarAllowance
{
public:
    FarAllowance(std::filesystem::path run, const FarLimits& limits)
        : m_run(std::move(run))
        , m_limits(limits)
    {
    }
    const FarLimits& limits() const { return m_limits; }

    /// Fails if writing `bytes` more would exceed a limit. Call it before each write. Files that have been
    /// removed do not count. If only the disk is too full, a later call can succeed.
    Status take(std::int64_t bytes);
    /// Returns whether take() or reach() has found that a limit was reached.
    bool isReached() const { return m_reached; }
    /// Records that a limit was reached that take() does not check, and returns its Error.
    tl::unexpected<Error> reach(std::string_view what);

private:
    std::filesystem::path m_run;
    FarLimits m_limits;
    std::int64_t m_left = 0; ///< Bytes that may be written before the folder and the disk are examined again.
    bool m_reached = false;
};

} // namespace sparserl
