// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/recent_map.h"
#include "evaluation/judge.h"
#include "training/work/process_group.h"
#include "training/work/stage.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sparserl {

/// Puts a memory before a judge: the same program on the same target is judged once. As a policy sharpens it
/// repeats itself, so this saves most of the work. It remembers so many programs, then forgets those that
/// were not asked for the longest; a program that is forgotten is judged again. Results do not depend on what
/// was judged before, because a request's seed derives from its program and target only. Several processes
/// judge parts of the same requests and all get all records, so that their memories are alike.
class CachedJudge
{
public:
    struct Request
    {
        ProgramText program;
        const StageTarget* target = nullptr;
        bool stoppedEarly = false;
        std::string stopReason;
        bool measured = true; ///< Else its record has no times.
    };

    /// Of a record without lines some kilobytes are kept: a few hundred megabytes at most.
    static constexpr std::size_t mostRemembered = 65'536;

    CachedJudge(Judge& judge, std::uint64_t seed,
                std::shared_ptr<ProcessGroup> processes = std::make_shared<ProcessGroup>(),
                std::size_t remembered = mostRemembered);
    /// Records in the order of the requests; `done` counts finished requests. Fails where our machinery does;
    /// an interruption() where it was cancelled, in whichever process.
    Result<std::vector<VerdictRecord>> judge(const std::vector<Request>& requests, const CancelToken& cancel,
                                             const std::function<void(std::size_t done)>& done = {});
    ProcessGroup& processes() const { return *m_processes; }
    std::int64_t hits() const { return m_hits; }
    std::int64_t misses() const { return m_misses; }

private:
    using Records = std::vector<VerdictRecord>;
    Result<Records> judgeShare(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
                               const std::function<void(std::size_t)>& done);

    Judge& m_judge;
    std::uint64_t m_seed;
    std::shared_ptr<ProcessGroup> m_processes;
    RecentMap<VerdictRecord> m_memory; ///< By program hash + key of the target; apart without times.
    std::int64_t m_hits = 0, m_misses = 0;
};

} // namespace sparserl
