// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "search/program_view.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sparserl {

/// What an edit starts from.
struct EditInput
{
    const ProgramView& program;
    const ProgramView* other = nullptr; ///< A second parent, for those that exchange; may be null.
    Rng& rng;
};

/// A program after an edit.
struct EditedProgram
{
    std::string text;
    std::string words; ///< What was done: "block of 512 threads instead of 256".
};

/// A way to change a program. Most results compile and most are right, but none is by construction: the judge
/// refuses those that are not.
struct EditKind
{
    std::string_view name;  ///< "block-size"
    std::string_view help;  ///< A phrase for people.
    bool exchanges = false; ///< Needs a second parent.
    /// Nothing where it does not apply, or where this draw changes nothing.
    std::optional<EditedProgram> (*apply)(const EditInput& input) = nullptr;
};

/// All of them; names are unique.
std::span<const EditKind> editKinds();
/// One of them, or nullptr.
const EditKind* findEditKind(std::string_view name);

// The edits, by what they change. Each is a row of the table in edits.cpp.

// edits_plan.cpp: numbers that the plan and the code agree on.
std::optional<EditedProgram> editBlockSize(const EditInput& input);
std::optional<EditedProgram> editConstant(const EditInput& input);
std::optional<EditedProgram> editRowClasses(const EditInput& input);
std::optional<EditedProgram> editFormat(const EditInput& input);

// edits_loads.cpp: how memory is read and written.
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

// edits_shape.cpp: which thread does what.
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
