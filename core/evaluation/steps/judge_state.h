// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/flow.h"
#include "compile/program_compiler.h"
#include "evaluation/cases/case_plan.h"
#include "evaluation/steps/record_builder.h"
#include "kernel/plan.h"

#include <memory>
#include <optional>
#include <string>

namespace sparserl {

/// Returns the shared pointer at a key of a map. Creates the object on first use.
template <typename Map>
auto sharedAt(Map& map, const typename Map::key_type& key)
{
    auto& place = map[key];
    if (!place)
        place = std::make_shared<typename Map::mapped_type::element_type>();
    return place; // a copy: later insertions may move the original
}

/// A compiled program, or the reason why there is none.
struct ProgramState
{
    std::optional<ProgramFailure> failure;
    KernelProgram program;
    CompiledProgram compiled;
    std::string sameKey; ///< Equal for programs with identical executed code.
};

/// The stages of a program. It is compiled first, and assembled only after it has passed a battery.
/// Assembling is half of the compilation time, and most programs of an untrained policy never need it.
struct ProgramEntry
{
    Awaited<ProgramState> compiled;
    /// When this is finished, `compiled` has the resources and, for a GPU, the cubin, or it is a failure.
    Awaited<bool> assembled;

    bool finished() const { return compiled.value && (!assembled.started() || assembled.value); }
};

/// The result of a program's battery. The program passed if there is no failure.
struct BatteryState
{
    std::optional<CaseFailure> failure;
    bool nondeterministic = false;
    double boundShare = 0; ///< Largest ratio of error to bound.
};

/// The baseline for a matrix.
struct Baseline
{
    std::string name, algorithm;
    double microseconds = 0; ///< 0 if this task has no baseline.
    /// Times of the two routines, as in VerdictRecord; 0: not timed.
    double defaultMicroseconds = 0, bestMicroseconds = 0;
    std::string problem = {}; ///< Why an expected baseline is missing.
};

} // namespace sparserl
