// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "kernel/program_text.h"
#include "machine/sandbox_level.h"
#include "matrix/target.h"
#include "verdict/record.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sparserl {

/// One program to judge on one target.
struct JudgeRequest
{
    ProgramText program;
    Target target;             ///< The target. Runners map its contents once and identify them by the digest.
    std::uint64_t seed = 0;    ///< The inputs and the schedule derive from it.
    bool lineCounters = false; ///< The record keeps counters per line of the program and of its PTX.
    bool measured = true;      ///< If false, only correctness is requested: the record has no times.
    /// Our own grammar derived the program, so a surprising time is no reason for doubt.
    bool fromCorpus = false;
    bool stoppedEarly = false; ///< The incremental verifier stopped the program, so it is not compiled.
    std::string stopReason;
};

/// Judges programs in five steps: compile, gate, battery, target, timing (docs/design.md 5). Implementations
/// own their runner pool.
class Judge
{
public:
    virtual ~Judge() = default;
    /// Judges all requests and returns the records in the order of the requests. Calls `done` (may be empty)
    /// on the caller's thread after each record. An Error is a failure of our machinery, never a verdict.
    virtual Result<std::vector<VerdictRecord>>
    judge(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
          const std::function<void(std::size_t index, const VerdictRecord&)>& done = {}) = 0;
    /// Returns the sandboxes of the processes that run programs, one per role; empty if there are none.
    virtual std::vector<RoleSandbox> sandboxes() const { return {}; }
};

} // namespace sparserl
