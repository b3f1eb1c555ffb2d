// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "compile/program_compiler.h"
#include "device/device.h"
#include "kernel/bind.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// A region of a job's shared memory that contains numbers of a type.
struct NumberRange
{
    std::uint64_t at = 0; ///< Byte offset, a multiple of the element size.
    std::uint64_t count = 0;
    ElementType type = ElementType::F32;
};
using NumberRanges = std::vector<NumberRange>;

/// Reserves space for `count` numbers at offset `bytes`, and increases `bytes`.
inline NumberRange takeRoom(std::uint64_t& bytes, std::uint64_t count, ElementType type)
{
    const NumberRange range{bytes, count, type};
    bytes += (sizeOf(type) * count + 63) / 64 * 64;
    return range;
}

/// The locations of the inputs and outputs of a call, in the order of `tensorRules` (target/workload.h).
struct CallRanges
{
    NumberRanges inputs, outputs;
    CallFactors by;           ///< Factors of a call of y = alpha A x + beta y.
    NumberRanges before = {}; ///< Initial outputs of a call with factors. Empty for default factors.
};

/// What happens to a case after its job has used up the budget `furtherSteps`. Cases with `Runs` do not use
/// this budget.
enum class IfSpent
{
    Runs,      ///< The case runs as requested.
    Unchecked, ///< The case runs without checks.
    LeftOut
};

/// One execution of a program: the contents, and the calls on them.
struct SimulationCase
{
    std::string contents; ///< Key of contents that the runner has.
    std::vector<CallRanges> calls;
    std::uint64_t seed = 0;
    Checks checks = Checks::All;
    IfSpent ifSpent = IfSpent::Runs;
    bool counters = true; ///< This and the next three fields are as in ExecutionRequest.
    bool drawnBlocks = false;
    std::optional<Schedule> schedule;
    AddressLayout layout = AddressLayout::Apart;
    std::uint64_t stepBudget = 0;
    bool lineCounters = false;
    std::string observe; ///< This and the next field are as in ExecutionRequest.
    bool mark = false;
    bool launches = true; ///< The answer describes the launches. Not always set, because kernel names may be
                          ///< long and cases many.
};

/// A request to the role sim. It runs the cases in order, up to the first fault.
struct SimulationJob
{
    std::string program, ptx;
    std::vector<KernelResources> resources;
    std::string model;
    TargetVariant variant;         ///< The variant for all contents.
    std::vector<std::string> drop; ///< Names of content files that the runner forgets.
    /// Names of the contents that come as files 1, 2, ...; file 0 is the memory.
    std::vector<std::string> take;
    std::vector<SimulationCase> cases;
    std::uint64_t furtherSteps = 0; ///< Budget of warp instructions for launches; see IfSpent.
    /// The limit for warp instructions of prepare kernels in the same cases. They are not timed. A program
    /// that exceeds the limit fails as too slow to judge, so slow kernels cannot evade the checks.
    std::uint64_t furtherPrepareSteps = 0;
};

/// The answer for one case: its result, or the reason why the program does not start.
struct CaseAnswer
{
    std::optional<BindFailure> bind;
    std::optional<Fault> fault;
    ExecutionResult result; ///< Without `outputs`, which are in the shared memory.
    std::int64_t setupBytes = 0;
    bool leftOut = false;   ///< The case did not run (IfSpent::LeftOut).
    bool unchecked = false; ///< The case ran without checks (IfSpent::Unchecked).
};

nlohmann::json toJson(const CompileRequest& request);
Result<CompileRequest> compileRequestFromJson(const nlohmann::json& json);
nlohmann::json toJson(const AssembleRequest& request);
Result<AssembleRequest> assembleRequestFromJson(const nlohmann::json& json);
/// `withCubin` includes the cubin, which is needed only if a GPU runs the program.
nlohmann::json toJson(const tl::expected<CompiledProgram, CompileFailure>& answer, bool withCubin = false);
Result<tl::expected<CompiledProgram, CompileFailure>> compileAnswerFromJson(const nlohmann::json& json);

nlohmann::json toJson(const SimulationJob& job);
Result<SimulationJob> simulationJobFromJson(const nlohmann::json& json);
nlohmann::json toJson(const std::vector<CaseAnswer>& answers);
Result<std::vector<CaseAnswer>> caseAnswersFromJson(const nlohmann::json& json);

} // namespace sparserl
