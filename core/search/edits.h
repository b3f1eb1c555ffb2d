// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "search/program_view.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sparserl {

/// The input of an edit.
struct EditInput
{
    const ProgramView& program;
    const ProgramView* other = nullptr; ///< A second parent for edits that combine programs; may be null.
    Rng& rng;
};

/// The result of an edit.
struct EditedProgram
{
    std::string text;
    std::string words; ///< A description: "block of 512 threads instead of 256".
};

/// A way to change a program. Most results compile and are correct, but the judge must check them.
struct EditKind
{
    std::string_view name;  ///< For example "block-size".
    std::string_view help;  ///< A description for display.
    bool exchanges = false; ///< Whether it needs a second parent.
    /// Applies the edit at a random place. Returns nullopt if the program has no suitable place, or if the
    /// result would be unchanged.
    std::optional<EditedProgram> (*apply)(const EditInput& input) = nullptr;
};

/// Returns all kinds of edits. Their names are unique.
std::span<const EditKind> editKinds();
/// Returns the kind of edit with this name, or nullptr.
const EditKind* findEditKind(std::string_view name);

// The edits, grouped by what they change. The table in edits.cpp has a row for each of them.

// edits_plan.cpp: numbers shared by plan and code.
std::optional<EditedProgram> editBlockSize(const EditInput& input);
std::optional<EditedProgram> editConstant(const EditInput& input);
std::optional<EditedProgram> editRowClasses(const EditInput& input);
std::optional<EditedProgram> editFormat(const EditInput& input);

// edits_loads.cpp: memory accesses.
std::optional<EditedProgram> editLoadHint(const EditInput& input);
std::optional<EditedProgram> editStoreHint(const EditInput& input);
std::optional<EditedProgram> editRestrict(const EditInput& input);

// edits_loops.cpp: loops and sums.
std::optional<EditedProgram> editUnroll(const EditInput& input);
std::optional<EditedProgram> editBatchSize(const EditInput& input);
std::optional<EditedProgram> editBatch(const EditInput& input);
std::optional<EditedProgram> editSplitLoop(const EditInput& input);
std::optional<EditedProgram> editAccumulators(const EditInput& input);
std::optional<EditedProgram> editIndexType(const EditInput& input);
std::optional<EditedProgram> editFunctionCopy(const EditInput& input);

// edits_shape.cpp: distribution of work over threads.
std::optional<EditedProgram> editLaunchBounds(const EditInput& input);
std::optional<EditedProgram> editRowsPerThread(const EditInput& input);
std::optional<EditedProgram> editSortedRows(const EditInput& input);
std::optional<EditedProgram> editBlockOrder(const EditInput& input);
std::optional<EditedProgram> editShuffle(const EditInput& input);
std::optional<EditedProgram> editClassLanes(const EditInput& input);

// edits_crossover.cpp: parts of another program.
std::optional<EditedProgram> editTakeFunction(const EditInput& input);
std::optional<EditedProgram> editTakeConstants(const EditInput& input);
std::optional<EditedProgram> editTakeLoop(const EditInput& input);

} // namespace sparserl
