// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/hash.h"
#include "base/interruption.h"
#include "base/rng.h"
#include "evaluation/judge.h"
#include "kernel/plan.h"

#include <atomic>
#include <functional>

namespace sparserl::test {

/// Judges without compiling: a program whose plan parses is correct, and its time is a number that follows
/// from its text and matrix. Deterministic, so that runs can be compared bit for bit.
class FakeJudge : public Judge
{
public:
    std::atomic<int> calls = 0;
    int failAfter = -1; ///< Calls after which the machinery fails.
    std::function<void()> beforeFailing;

    Result<std::vector<VerdictRecord>>
    judge(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
          const std::function<void(std::size_t, const VerdictRecord&)>& done) override
    {
        if (failAfter >= 0 && calls >= failAfter) {
            if (beforeFailing)
                beforeFailing();
            return fail("The runner is gone", "Install it again");
        }
        ++calls;
        std::vector<VerdictRecord> records;
        for (std::size_t i = 0; i < requests.size(); ++i) {
            if (cancel.cancelled())
                return fail(interruption());
            records.push_back(record(requests[i]));
            if (done)
                done(i, records.back());
        }
        return records;
    }

    static VerdictRecord record(const JudgeRequest& request)
    {
        VerdictRecord record;
        record.programHash = request.program.hash();
        record.target = request.target.id;
        record.device = "fake";
        record.seed = request.seed;
        record.baselineName = "reference";
        record.baselineMicroseconds = 10;
        if (request.stoppedEarly) {
            record.verdict = Verdict::StoppedEarly;
            record.message = request.stopReason;
        } else if (auto program = parseProgram(request.program); !program) {
            record.verdict = Verdict::PlanError;
            record.message = program.error().reason;
        } else {
            record.verdict = Verdict::Correct;
            Rng rng(seedFrom(record.programHash + request.target.id.contents));
            const double t = rng.uniform(5, 20);
            if (request.measured)
                record.warm = Timing{t, t, t, 3};
        }
        return record;
    }
};

/// The fake judge's verdicts with what tells programs apart.
class PtxJudge : public FakeJudge
{
public:
    Result<std::vector<VerdictRecord>>
    judge(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
          const std::function<void(std::size_t, const VerdictRecord&)>& done) override
    {
        std::vector<VerdictRecord> records;
        for (const JudgeRequest& request : requests) {
            SPARSERL_TRY(auto one, FakeJudge::judge({request}, cancel, {}));
            one.front().ptxHash = one.front().programHash;
            records.push_back(std::move(one.front()));
            if (done)
                done(records.size() - 1, records.back());
        }
        return records;
    }
};

} // namespace sparserl::test
