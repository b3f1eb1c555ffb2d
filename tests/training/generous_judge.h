// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fake_judge.h"

#include "base/hash.h"

#include <atomic>
#include <set>
#include <string>

namespace sparserl::test {

/// Takes every program for a correct one.
class GenerousJudge : public FakeJudge
{
public:
    Result<std::vector<VerdictRecord>>
    judge(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
          const std::function<void(std::size_t, const VerdictRecord&)>& done) override
    {
        auto better = requests;
        for (auto& request : better) {
            request.program =
                "//! task spmv\n//! launch k<<<1, 32>>>(x, y)\n// " + request.program.hash() + "\n";
            request.stoppedEarly = false;
        }
        SPARSERL_TRY(auto records, FakeJudge::judge(better, cancel, {}));
        for (std::size_t i = 0; i < records.size(); ++i) {
            records[i].programHash = requests[i].program.hash();
            if (done)
                done(i, records[i]);
        }
        return records;
    }
};

/// Takes programs for correct where the matrix is one of some, and for wrong elsewhere.
class PartialJudge : public GenerousJudge
{
public:
    std::set<std::string> good; ///< Digests.
    std::atomic<int> judged = 0;
    Result<std::vector<VerdictRecord>>
    judge(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
          const std::function<void(std::size_t, const VerdictRecord&)>& done) override
    {
        SPARSERL_TRY(auto records, GenerousJudge::judge(requests, cancel, done));
        judged += static_cast<int>(requests.size());
        for (auto& record : records) {
            if (!good.contains(record.target.contents)) {
                record.verdict = Verdict::WrongResult;
                record.warm.reset();
            }
        }
        return records;
    }
};

} // namespace sparserl::test
