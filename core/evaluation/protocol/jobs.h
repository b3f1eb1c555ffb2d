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

/// A region of the job's shared memory with numbers of a type.
struct NumberRange
{
    std::uint64_t at = 0; ///< Byte offset, a multiple of the element size.
    std::uint64_t count = 0;
    ElementType type = ElementType::F32;
};
using NumberRanges = std::vector<NumberRange>;

/// Reserves space for `count` numbers after `bytes` used bytes and increases `bytes`.
inline NumberRange takeRoom(std::uint64_t& bytes, std::uint64_t count, ElementType type)
{
    const NumberRange range{bytes, count, type};
    bytes += (sizeOf(type) * count + 63) / 64 * 64;
    return range;
}

/// A call: the locations of the target's inputs and outputs, in the order of `tensorRules`
/// (target/workload.h).
struct CallRanges
{
    NumberRanges inputs, outputs;
    CallFactors by;           ///< Factors of a call of y = alpha A x + beta y.
    NumberRanges before = {}; ///< Initial outputs of such a call. Empty for default factors.
};

/// The treatment of a case after a job has used up its `furtherSteps`. Only cases other than `Runs` use them.
enum class IfSpent
{
    Runs,      ///< Runs as requested.
    Unchecked, ///< Runs without checks.
    LeftOut
};

/// One execution of a program: contents, and calls on them.
struct SimulationCase
{
    std::string contents; ///< Key of contents that the runner has.
    std::vector<CallRanges> calls;
    std::uint64_t seed = 0;
    Checks checks = Checks::All;
    IfSpent ifSpent = IfSpent::Runs;
    bool counters = true; ///< As in ExecutionRequest, like the next three.
    bool drawnBlocks = false;
    std::optional<Schedule> schedule;
    AddressLayout layout = AddressLayout::Apart;
    std::uint64_t stepBudget = 0;
    bool lineCounters = false;
    std::string observe; ///< As in ExecutionRequest, like the next one.
    bool mark = false;
    bool launches = true; ///< The answer describes the launches. Kernel names may be long and cases many.
};

/// A request to the sim role: cases in order, up to the first fault.
struct SimulationJob
{
    std::string program, ptx;
    std::vector<KernelResources> resources;
    std::string model;
    TargetVariant variant;         ///< Requested for all contents.
    std::vector<std::string> drop; ///< Content files to forget.
    std::vector<std::string>
        take; ///< Names of the contents that come as files 1, 2, ...; file 0 is the memory.
    std::vector<SimulationCase> cases;
    std::uint64_t furtherSteps = 0; ///< Limit of warp instructions of launches; see IfSpent.
    /// The limit for prepare kernels in the same cases. They are not timed. A program that exceeds it is too
    /// slow to judge; it does not escape the checks.
    std::uint64_t furtherPrepareSteps = 0;
};

/// The part of a LaunchReport that goes into the record, and the reason if a program does not start.
struct CaseAnswer
{
    std::optional<BindFailure> bind;
    std::optional<Fault> fault;
    ExecutionResult result; ///< Without `outputs`, which are in the shared memory.
    std::int64_t setupBytes = 0;
    bool leftOut = false;   ///< Not run (IfSpent::LeftOut).
    bool unchecked = false; ///< Run without checks (IfSpent::Unchecked).
};

nlohmann::json toJson(const CompileRequest& request);
Result<CompileRequest> compileRequestFromJson(const nlohmann::json& json);
nlohmann::json toJson(const AssembleRequest& request);
Result<AssembleRequest> assembleRequestFromJson(const nlohmann::json& json);
/// Includes the cubin only if a GPU will run it.
nlohmann::json toJson(const tl::expected<CompiledProgram, CompileFailure>& answer, bool withCubin = false);
Result<tl::expected<CompiledProgram, CompileFailure>> compileAnswerFromJson(const nlohmann::json& json);

nlohmann::json toJson(const SimulationJob& job);
Result<SimulationJob> simulationJobFromJson(const nlohmann::json& json);
nlohmann::json toJson(const std::vector<CaseAnswer>& answers);
Result<std::vector<CaseAnswer>> caseAnswersFromJson(const nlohmann::json& json);

} // namespace sparserl
