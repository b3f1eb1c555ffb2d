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
    Target target;             ///< Runners map its contents once, identified by the digest.
    std::uint64_t seed = 0;    ///< Inputs and schedule derive from it.
    bool lineCounters = false; ///< The record keeps counters per line of the program and of its PTX.
    bool measured = true;      ///< If false, only correctness is requested: the record has no times.
    bool fromCorpus = false;   ///< Our own grammar derived it, so a surprising time is no reason for doubt.
    bool stoppedEarly = false; ///< The incremental verifier stopped it, so it is not compiled.
    std::string stopReason;
};

/// Judges programs: compile, gate, battery, target, timing (docs/design.md 5). Implementations own their
/// runner pool.
class Judge
{
public:
    virtual ~Judge() = default;
    /// Returns records in the order of the requests. Calls `done` (may be empty) on the caller's thread as
    /// records arrive. An Error is a failure of our machinery, never a verdict.
    virtual Result<std::vector<VerdictRecord>>
    judge(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
          const std::function<void(std::size_t index, const VerdictRecord&)>& done = {}) = 0;
    /// The sandboxes of the processes that run programs, by role; empty if there are none.
    virtual std::vector<RoleSandbox> sandboxes() const { return {}; }
};

} // namespace sparserl
