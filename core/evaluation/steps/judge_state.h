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

/// What a map of shared pointers has at a key; made when first asked for.
template <typename Map>
auto sharedAt(Map& map, const typename Map::key_type& key)
{
    auto& place = map[key];
    if (!place)
        place = std::make_shared<typename Map::mapped_type::element_type>();
    return place; // a copy: what follows may add others
}

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
struct ProgramEntry
{
    Awaited<ProgramState> compiled;
    /// Then `compiled` has resources, and the cubin where a GPU needs it, or failed.
    Awaited<bool> assembled;

    bool finished() const { return compiled.value && (!assembled.started() || assembled.value); }
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
