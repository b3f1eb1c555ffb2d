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

/// A region of the job's shared memory that holds numbers of a type.
struct NumberRange
{
    std::uint64_t at = 0; ///< Byte offset, a multiple of an element's size.
    std::uint64_t count = 0;
    ElementType type = ElementType::F32;
};
using NumberRanges = std::vector<NumberRange>;

/// The next `count` numbers of memory of which `bytes` are taken, which grows.
inline NumberRange takeRoom(std::uint64_t& bytes, std::uint64_t count, ElementType type)
{
    const NumberRange range{bytes, count, type};
    bytes += (sizeOf(type) * count + 63) / 64 * 64;
    return range;
}

/// A call: where the target's inputs and outputs are, in the order of `tensorRules` (target/workload.h).
struct CallRanges
{
    NumberRanges inputs, outputs;
    CallFactors by;           ///< Of a call of y = alpha A x + beta y;
    NumberRanges before = {}; ///< and what the outputs hold. Nothing: as if nothing were asked for.
};

/// What becomes of a case once a job has spent its `furtherSteps`. Only cases that are not `Runs` spend them.
enum class IfSpent
{
    Runs,      ///< As asked.
    Unchecked, ///< Runs without checks.
    LeftOut
};

/// One execution of a program: contents, and calls on them.
struct SimulationCase
{
    std::string contents; ///< Key of contents the runner has.
    std::vector<CallRanges> calls;
    std::uint64_t seed = 0;
    Checks checks = Checks::All;
    IfSpent ifSpent = IfSpent::Runs;
    bool counters = true; ///< As ExecutionRequest says; so the next three.
    bool drawnBlocks = false;
    std::optional<Schedule> schedule;
    AddressLayout layout = AddressLayout::Apart;
    std::uint64_t stepBudget = 0;
    bool lineCounters = false;
    std::string observe; ///< As ExecutionRequest says; so the next one.
    bool mark = false;
    bool launches = true; ///< The answer says how they were: names of kernels may be long, and cases many.
};

/// What the sim role is asked for: cases in order, ending with the first that faults.
struct SimulationJob
{
    std::string program, ptx;
    std::vector<KernelResources> resources;
    std::string model;
    TargetVariant variant;         ///< What is asked for of all contents.
    std::vector<std::string> drop; ///< Files of contents to forget.
    std::vector<std::string>
        take; ///< Names of the contents that come as files 1, 2, ...; file 0 is the memory.
    std::vector<SimulationCase> cases;
    std::uint64_t furtherSteps = 0; ///< Warp instructions of launches; see IfSpent.
    /// Of prepare kernels in the same cases. They are not timed, so a program that spends more is too slow to
    /// be judged, instead of being spared the checks.
    std::uint64_t furtherPrepareSteps = 0;
};

/// The record's share of a LaunchReport, and more where a program does not even start.
struct CaseAnswer
{
    std::optional<BindFailure> bind;
    std::optional<Fault> fault;
    ExecutionResult result; ///< Without `outputs`: those are in the shared memory.
    std::int64_t setupBytes = 0;
    bool leftOut = false;   ///< It did not run (IfSpent::LeftOut).
    bool unchecked = false; ///< It ran without checks (IfSpent::Unchecked).
};

nlohmann::json toJson(const CompileRequest& request);
Result<CompileRequest> compileRequestFromJson(const nlohmann::json& json);
nlohmann::json toJson(const AssembleRequest& request);
Result<AssembleRequest> assembleRequestFromJson(const nlohmann::json& json);
/// The cubin travels only where a GPU is going to run it.
nlohmann::json toJson(const tl::expected<CompiledProgram, CompileFailure>& answer, bool withCubin = false);
Result<tl::expected<CompiledProgram, CompileFailure>> compileAnswerFromJson(const nlohmann::json& json);

nlohmann::json toJson(const SimulationJob& job);
Result<SimulationJob> simulationJobFromJson(const nlohmann::json& json);
nlohmann::json toJson(const std::vector<CaseAnswer>& answers);
Result<std::vector<CaseAnswer>> caseAnswersFromJson(const nlohmann::json& json);

} // namespace sparserl
