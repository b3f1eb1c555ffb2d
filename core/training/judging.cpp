// SPDX-License-Identifier: Apache-2.0
#include "training/judging.h"

#include "base/hash.h"
#include "base/interruption.h"
#include "base/rng.h"

#include <fmt/format.h>

namespace sparserl {

CachedJudge::CachedJudge(Judge& judge, std::uint64_t seed)
    : m_judge(judge)
    , m_seed(seed)
{
}

Result<std::vector<VerdictRecord>> CachedJudge::judge(const std::vector<Request>& requests,
                                                      const CancelToken& cancel,
                                                      const std::function<void(std::size_t)>& done)
{
    std::vector<std::string> keys;
    std::vector<JudgeRequest> missing;
    std::unordered_map<std::string, std::size_t> asked;
    for (const auto& request : requests) {
        const auto hash = sha256Hex(request.program);
        const auto key = hash + request.matrix->digest;
        keys.push_back(key);
        if (m_memory.contains(key) || asked.contains(key))
            continue;
        asked.emplace(key, missing.size());
        JudgeRequest out;
        out.program = request.program;
        out.matrix = request.matrix->matrix;
        out.matrixDigest = request.matrix->digest;
        out.matrixName = request.matrix->name;
        out.seed = Rng(m_seed).derive(key).next();
        out.stoppedEarly = request.stoppedEarly;
        out.stopReason = request.stopReason;
        missing.push_back(std::move(out));
    }
    m_hits += static_cast<std::int64_t>(requests.size() - missing.size());
    m_misses += static_cast<std::int64_t>(missing.size());

    if (!missing.empty()) {
        std::size_t finished = requests.size() - missing.size();
        auto records = m_judge.judge(missing, cancel, [&](std::size_t, const VerdictRecord&) {
            ++finished;
            if (done)
                done(finished);
        });
        if (!records)
            return fail(records.error());
        if (cancel.cancelled())
            return fail(interruption());
        if (records->size() != missing.size())
            return fail(
                fmt::format("The judge gave {} verdicts on {} programs", records->size(), missing.size()));
        for (const auto& [key, index] : asked)
            m_memory[key] = std::move((*records)[index]);
    }
    std::vector<VerdictRecord> result;
    result.reserve(requests.size());
    for (const auto& key : keys)
        result.push_back(m_memory.at(key));
    return result;
}

} // namespace sparserl
