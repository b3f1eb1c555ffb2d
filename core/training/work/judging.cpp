// SPDX-License-Identifier: Apache-2.0
#include "training/work/judging.h"

#include "base/interruption.h"
#include "base/json.h"
#include "base/rng.h"
#include "training/work/packed.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

/// What a process makes of its share of requests, for the others.
enum class ShareEnd : std::uint8_t
{
    Judged,
    Interrupted,
    Failed
};

} // namespace

CachedJudge::CachedJudge(Judge& judge, std::uint64_t seed, std::shared_ptr<ProcessGroup> processes,
                         std::size_t remembered)
    : m_judge(judge)
    , m_seed(seed)
    , m_processes(std::move(processes))
    , m_memory(remembered)
{
}

/// Records of this process's share of the requests, then of all. A failure anywhere is everybody's.
Result<std::vector<VerdictRecord>> CachedJudge::judgeShare(const std::vector<JudgeRequest>& requests,
                                                           const CancelToken& cancel,
                                                           const std::function<void(std::size_t)>& done)
{
    const auto judged = [&](const std::vector<JudgeRequest>& part) -> Result<Records> {
        if (part.empty())
            return Records();
        std::size_t finished = 0;
        auto records =
            m_judge.judge(part, cancel, [&](std::size_t, const VerdictRecord&) { done(++finished); });
        if (!records)
            return fail(records.error());
        if (cancel.cancelled())
            return fail(interruption());
        if (records->size() != part.size())
            return fail(
                fmt::format("the judge gave {} verdicts on {} programs", records->size(), part.size()));
        return std::move(*records);
    };
    if (m_processes->alone())
        return judged(requests);
    const auto own = judged(takeTurns(requests, *m_processes));
    Packer packer;
    packer.number(own                           ? ShareEnd::Judged
                  : isInterruption(own.error()) ? ShareEnd::Interrupted
                                                : ShareEnd::Failed);
    if (own) {
        for (const auto& record : *own)
            packer.text(dumpJson(toJson(record)));
    } else {
        packer.text(own.error().sentence());
    }
    const auto all = m_processes->gather(packer.take());
    std::vector<Unpacker> parts(all.begin(), all.end());
    bool interrupted = false;
    for (auto& part : parts) {
        const auto end = part.number<ShareEnd>();
        if (end == ShareEnd::Failed)
            return fail(part.text());
        interrupted = interrupted || end == ShareEnd::Interrupted;
    }
    if (interrupted)
        return fail(interruption());
    Records records;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        SPARSERL_TRY(const auto json, parseJson(parts[i % parts.size()].text()));
        SPARSERL_TRY(auto record, verdictRecordFromJson(json));
        records.push_back(std::move(record));
    }
    return records;
}

Result<std::vector<VerdictRecord>> CachedJudge::judge(const std::vector<Request>& requests,
                                                      const CancelToken& cancel,
                                                      const std::function<void(std::size_t)>& done)
{
    std::vector<JudgeRequest> missing;
    std::vector<std::string> keys;                      // Of `missing`.
    std::unordered_map<std::string, std::size_t> asked; // Into `missing`.
    Records result(requests.size());
    std::vector<std::pair<std::size_t, std::size_t>> open; // Into `result` and `missing`.
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const Request& request = requests[i];
        const auto what = request.program.hash() + request.target->target.id.key();
        const auto key = request.measured ? what : what + " unmeasured";
        if (const VerdictRecord* known = m_memory.find(key)) {
            result[i] = *known;
            continue;
        }
        const auto [at, isNew] = asked.emplace(key, missing.size());
        open.emplace_back(i, at->second);
        if (!isNew)
            continue;
        keys.push_back(key);
        JudgeRequest out;
        out.program = request.program;
        out.target = request.target->target;
        out.seed = Rng(m_seed).derive(what).next();
        out.stoppedEarly = request.stoppedEarly;
        out.stopReason = request.stopReason;
        out.measured = request.measured;
        out.fromCorpus = request.fromCorpus;
        missing.push_back(std::move(out));
    }
    m_hits += static_cast<std::int64_t>(requests.size() - missing.size());
    m_misses += static_cast<std::int64_t>(missing.size());

    if (!missing.empty()) {
        const std::size_t known = requests.size() - missing.size();
        const auto n = static_cast<std::size_t>(m_processes->size());
        SPARSERL_TRY(auto records, judgeShare(missing, cancel, [&](std::size_t finished) {
                         if (done)
                             done(known + std::min(finished * n, missing.size()));
                     }));
        // Nothing is known of such a program, so it has no reward, and learning stops before it learns one.
        for (const auto& record : records)
            if (record.verdict == Verdict::MachineError)
                return fail(record.message,
                            "Install what is missing (`sparserl doctor` names it), then resume the run");
        for (const auto& [place, index] : open)
            result[place] = records[index];
        for (std::size_t i = 0; i < records.size(); ++i)
            m_memory.put(std::move(keys[i]), std::move(records[i]));
    }
    return result;
}

} // namespace sparserl
