// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "compile/resources.h"
#include "device/fault.h"
#include "device/launch_profile.h"
#include "device/tensor.h"
#include "kernel/bind.h"
#include "machine/device_model.h"
#include "ptx/module.h"
#include "verdict/counters.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The checks of a run. Bounds are always checked.
enum class Checks
{
    None,     ///< Bounds, barriers, shuffle masks, step budget.
    Counters, ///< Also counters, caches and the cost model.
    All       ///< Also uninitialised memory and races.
};

/// The order in which blocks of a launch start, and in which blocks, warps and sides of a warp are scheduled.
enum class Schedule
{
    InOrder, ///< By number.
    Shuffled ///< By seed.
};

/// The default schedule of a run: shuffled if it looks for races.
constexpr Schedule usualSchedule(Checks checks)
{
    return checks == Checks::All ? Schedule::Shuffled : Schedule::InOrder;
}

/// Placement of arrays. A program can read addresses, so they must not differ between tests and the calls
/// that count. Bounds are exact in every layout.
enum class AddressLayout
{
    Apart,    ///< Each in its own 64 GiB: detects any access outside an array, however far away.
    Together, ///< In one allocation, as on a GPU; an access outside an array may hit another one.
    Far       ///< In any order, more than 4 GiB apart.
};

/// Runs a bound plan: its prepare calls once, then its launches once per input.
struct ExecutionRequest
{
    const BoundPlan* plan = nullptr;
    const ptx::Module* module = nullptr;
    std::vector<CallInputs> inputs; ///< Per call of the program; at least one.
    std::vector<ScaledCall> scaled; ///< Per call; if empty, alpha is 1, beta is 0, and outputs are poisoned.
    std::uint64_t seed = 0;         ///< Determines poison, schedule and addresses.
    Checks checks = Checks::All;
    bool counters = true; ///< With All: also counters and times, which are a fifth of the work.
    /// Below All: applies every check in blocks drawn from the seed, including runs of adjacent blocks and
    /// the first and the last, and only `checks` elsewhere, at nearly the same cost. For inputs that are too
    /// large to be checked completely.
    bool drawnBlocks = false;
    std::optional<Schedule> schedule;            ///< nullopt: usualSchedule().
    AddressLayout layout = AddressLayout::Apart; ///< Layout of simulated memory; the seed draws the
                                                 ///< addresses.
    std::uint64_t stepBudget = 200'000'000;      ///< Limit of warp instructions over all kernels; beyond it:
                                                 ///< Timeout.
    bool lineCounters = false;                   ///< Keeps counters per line, if there are counters.
    const DeviceModel* model = nullptr;          ///< nullptr: "h200".
    std::string_view cubin;                      ///< For a GPU: the output of nvJitLink for `module`.
    double limitSeconds = 1;                     ///< On a GPU: a longer launch is a Timeout.
    std::vector<KernelResources> resources;      ///< From the assembler; without it, registers are estimated.
    CancelToken cancel;
    /// For audits: a scratch array whose first word is reported for each call (in simulated memory; empty:
    /// none). With `mark`, the control of an audit, zeroed scratch begins with a 1.
    std::string observe;
    bool mark = false;

    ScaledCall scaledCall(std::size_t call) const
    {
        return call < scaled.size() ? scaled[call] : ScaledCall();
    }
};

/// The counters of one kernel launch and their evaluation in the cost model.
struct LaunchReport
{
    std::string kernel;
    int planLine = 0;
    bool prepare = false;
    bool skipped = false; ///< Zero extent.
    std::int64_t blocks = 0, threadsPerBlock = 0;
    LineCounters total; ///< Summed over lines; `line` is 0.
    std::int64_t distinctSectors = 0;
    int registers = 0;
    std::int64_t staticShared = 0, dynamicShared = 0, localBytes = 0;
    Occupancy occupancy;
    double warmMicroseconds = 0, coldMicroseconds = 0; ///< Without launch latency.
    std::string boundBy;  ///< "dram", "l2", "l1", "issue", "latency", "atomics", "launch"
    double imbalance = 1; ///< Maximum over mean of the SMs' work.
};

struct ExecutionResult
{
    std::optional<Fault> fault;         ///< The first fault; later data may then be incomplete.
    std::vector<CallOutputs> outputs;   ///< Per call.
    std::vector<LaunchReport> launches; ///< Prepare calls, then the launches of the first input.
    std::vector<LineCounters> lines;    ///< Counters of the prepare calls and the first input, per line.
    std::vector<LineCounters> ptxLines; ///< The same per line of the PTX.
    double warmMicroseconds = 0;        ///< Estimate for one call: all launches, zeroing and latency.
    double coldMicroseconds = 0;
    double setupMicroseconds = 0;   ///< Prepare kernels; host conversion belongs to the plan.
    std::uint64_t steps = 0;        ///< Warp instructions executed.
    std::uint64_t prepareSteps = 0; ///< The part of `steps` in prepare kernels, which are not timed.
    /// Compare-and-swaps of the launches in which at least one lane found an unexpected value.
    std::uint64_t failedSwaps = 0;
    CallProfile profile;       ///< Profile of the first input for the cost model (with Counters or All).
    bool atomicFloats = false; ///< Float atomics ran: the order of summation is free.
    std::vector<std::uint32_t> observed; ///< Per call, if the plan has the observed array.
};

/// A device that runs kernels. An Error is a failure of our machinery (or cancelled work), never a verdict.
class Device
{
public:
    virtual ~Device() = default;
    virtual std::string name() const = 0; ///< "simulated h200"
    virtual Result<ExecutionResult> execute(const ExecutionRequest& request) = 0;
};

/// The PTX interpreter with its cost model. Cheap to create; one execution at a time per object.
class SimulatedDevice : public Device
{
public:
    explicit SimulatedDevice(std::string_view modelName = "h200");
    ~SimulatedDevice() override;
    std::string name() const override;
    Result<ExecutionResult> execute(const ExecutionRequest& request) override;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace sparserl
