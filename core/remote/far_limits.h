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

/// What another machine may write on this one while a run there is followed. Bytes, far above what a run
/// needs: they end a machine that lies before it has filled this disk.
struct FarLimits
{
    std::int64_t log = std::int64_t(1) << 30;      ///< worker.log; the rest of it stays there.
    std::int64_t journal = std::int64_t(64) << 30; ///< The journal, and each part of it that was set aside.
    std::int64_t file = std::int64_t(128) << 30;   ///< A file of a checkpoint.
    std::int64_t run = std::int64_t(1) << 40;      ///< All of the run's folder.
    std::int64_t freeBytes = std::int64_t(256) << 20; ///< Stay free on the disk here, ...
    std::int64_t freeShare = 50;                      ///< ... or this part of it, where that is less.
    std::size_t filesOfUnit = 1000;                   ///< Of a checkpoint.
    std::size_t checkpoints = 20'000; ///< And as many parts of the journal that resumes there took back.
    std::size_t unfinished = 8;       ///< Of either, begun and not whole: then the others start over.
    std::size_t setAside = 200;       ///< Files journal.cut.N, and entries of checkpoints.set-aside.
    std::size_t names = 100'000;      ///< In a list of what is there.
    std::size_t refused = 200;        ///< Checkpoints that are damaged there.
    std::size_t sentences = 10'000;   ///< In the follower's log.
};

/// What is asked for again: it is no continuation of what is here.
Error wrongPiece(const std::string& what);
/// Why nothing more is taken: the other machine has reached a limit, which waiting does not mend.
Error beyondLimit(std::string_view what);

/// Counts what is written below a run's folder against the limits.
class FarAllowance
{
public:
    FarAllowance(std::filesystem::path run, const FarLimits& limits)
        : m_run(std::move(run))
        , m_limits(limits)
    {
    }
    const FarLimits& limits() const { return m_limits; }

    /// Whether `bytes` more may be written; to be asked before each write. What was removed meanwhile is
    /// not counted any more. A full disk is an Error that passes once it has room.
    Status take(std::int64_t bytes);
    /// Whether an Error of take() was beyondLimit().
    bool isReached() const { return m_reached; }
    /// The same of another limit, which is remembered.
    tl::unexpected<Error> reach(std::string_view what);

private:
    std::filesystem::path m_run;
    FarLimits m_limits;
    std::int64_t m_left = 0; ///< May be written before the folder and the disk are looked at again.
    bool m_reached = false;
};

} // namespace sparserl
