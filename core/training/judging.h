// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/judge.h"
#include "training/stage.h"

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace sparserl {

/// Puts a memory before a judge: the same program on the same matrix is judged once. As a policy sharpens it
/// repeats itself, so this saves most of the work. Results do not depend on what was judged before, because a
/// request's seed derives from its program and matrix only.
class CachedJudge
{
public:
    struct Request
    {
        std::string program;
        const StageMatrix* matrix = nullptr;
        bool stoppedEarly = false;
        std::string stopReason;
    };

    CachedJudge(Judge& judge, std::uint64_t seed);
    /// Records in the order of the requests; `done` counts finished requests. Fails where our machinery does;
    /// an interruption() where it was cancelled.
    Result<std::vector<VerdictRecord>> judge(const std::vector<Request>& requests, const CancelToken& cancel,
                                             const std::function<void(std::size_t done)>& done = {});
    std::int64_t hits() const { return m_hits; }
    std::int64_t misses() const { return m_misses; }

private:
    Judge& m_judge;
    std::uint64_t m_seed;
    std::unordered_map<std::string, VerdictRecord> m_memory; ///< By program hash + matrix digest.
    std::int64_t m_hits = 0, m_misses = 0;
};

} // namespace sparserl
