// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/program_compiler.h"
#include "evaluation/cases/case_plan.h"
#include "evaluation/stages/record_builder.h"
#include "kernel/plan.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sparserl {

/// A value that others wait for. `set` may end up in `then` of others.
template <typename T>
struct Awaited
{
    bool started = false;
    std::string owner; ///< Hash of the program text that is run for everybody.
    std::optional<T> value;
    std::vector<std::function<void()>> waiters;

    void then(std::function<void()> next)
    {
        if (value)
            next();
        else
            waiters.push_back(std::move(next));
    }
    void set(T result)
    {
        value = std::move(result);
        const auto waiting = std::move(waiters);
        waiters.clear();
        for (const auto& next : waiting)
            next();
    }
    /// Nobody waits any more: the work was given up. Who waits mostly owns what it waits for, so that neither
    /// would ever be freed.
    void abandon() { const auto dropped = std::exchange(waiters, {}); }
};

/// A program compiled, or why not.
struct ProgramState
{
    std::optional<ProgramFailure> failure;
    KernelProgram program;
    CompiledProgram compiled;
    std::string sameKey; ///< Equal for programs that differ in nothing that runs.
};

/// A program's way: compiled first, assembled once it has passed a battery. Half of a compilation's time goes
/// into assembling, and most programs of an unlearned policy never need it.
struct ProgramEntry : Awaited<ProgramState>
{
    Awaited<bool>
        assembled; ///< With a value: `value` has resources, and the cubin where a GPU needs it, or failed.

    bool finished() const { return value && (!assembled.started || assembled.value); }
    void abandon()
    {
        Awaited::abandon();
        assembled.abandon();
    }
};

/// What a program's battery found; nothing: it passed.
struct BatteryState
{
    std::optional<CaseFailure> failure;
    bool nondeterministic = false;
    double boundShare = 0; ///< Largest error over its bound.
};

/// What a program is compared with on a matrix.
struct Baseline
{
    std::string name, algorithm;
    double microseconds = 0;                              ///< 0: there is none for this task.
    double defaultMicroseconds = 0, bestMicroseconds = 0; ///< As in VerdictRecord; 0: not timed.
    std::string problem = {};                             ///< Why there is none although there should be.
};

} // namespace sparserl
