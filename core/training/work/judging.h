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

/// A cache in front of a judge, which judges each program only once for each target. As a policy sharpens, it
/// repeats programs, so the cache saves most of the work. The cache evicts the least recently used programs;
/// they are judged again on request. Results do not depend on the cache, because the seed of a request
/// derives only from its program and target. Several processes judge parts of the same requests, and each
/// gets all records, so their caches are equal.
class CachedJudge
{
public:
    struct Request
    {
        ProgramText program;
        const StageTarget* target = nullptr;
        bool stoppedEarly = false;
        std::string stopReason;
        bool measured = true;    ///< If false, the record has no times.
        bool fromCorpus = false; ///< See JudgeRequest.
    };

    /// A record without lines takes a few kilobytes, so a full cache takes a few hundred megabytes.
    static constexpr std::size_t mostRemembered = 65'536;

    CachedJudge(Judge& judge, std::uint64_t seed,
                std::shared_ptr<ProcessGroup> processes = std::make_shared<ProcessGroup>(),
                std::size_t remembered = mostRemembered);
    /// Returns the records in the order of the requests. Calls `done` with the number of finished requests.
    /// Fails if the machinery fails; returns an interruption() if any process was cancelled.
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
    /// Keyed by program hash and target key. Records without times have separate entries.
    RecentMap<VerdictRecord> m_memory;
    std::int64_t m_hits = 0, m_misses = 0;
};

} // namespace sparserl
