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

/// One program to be judged on one target.
struct JudgeRequest
{
    ProgramText program;
    Target target;             ///< Runners map its contents once, by the digest.
    std::uint64_t seed = 0;    ///< Inputs and schedule derive from it.
    bool lineCounters = false; ///< Keep counters per line of the program and of its PTX in the record.
    bool measured = true;      ///< Else correctness alone is asked for: the record has no times.
    bool stoppedEarly = false; ///< The incremental verifier stopped it: no need to compile.
    std::string stopReason;
};

/// Judges programs: compile, gate, battery, target, timing (docs/design.md 5). Implementations own their
/// runner pool.
class Judge
{
public:
    virtual ~Judge() = default;
    /// Records in the order of the requests. `done` (may be empty) is called on the caller's thread as
    /// records arrive. An Error is a failure of our machinery, never a verdict.
    virtual Result<std::vector<VerdictRecord>>
    judge(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
          const std::function<void(std::size_t index, const VerdictRecord&)>& done = {}) = 0;
    /// How the processes are locked that programs run in, by role; empty where there are none.
    virtual std::vector<RoleSandbox> sandboxes() const { return {}; }
};

} // namespace sparserl
