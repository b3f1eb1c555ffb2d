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

/// How closely a run is watched. Bounds are always checked.
enum class Checks
{
    None,     ///< Bounds, barriers, shuffle masks, step budget.
    Counters, ///< And counters, caches and the cost model.
    All       ///< And uninitialised memory and races.
};

/// In which order the blocks of a launch begin, and blocks, warps and sides of a warp get their turns.
enum class Schedule
{
    InOrder, ///< By their numbers.
    Shuffled ///< By the seed.
};

/// What a run has where nobody asks for a schedule: what looks for races shuffles.
constexpr Schedule usualSchedule(Checks checks)
{
    return checks == Checks::All ? Schedule::Shuffled : Schedule::InOrder;
}

/// Where arrays lie. A program can read addresses, so what they say may not differ between what is looked at
/// and what counts. Bounds are exact in every layout.
enum class AddressLayout
{
    Apart,    ///< Each in 64 GiB of its own: whoever leaves an array is found, however far it goes.
    Together, ///< In one allocation, as on a GPU; what leaves an array and meets another one is that one's.
    Far       ///< In any order, each more than 4 GiB from the next.
};

/// Runs a bound plan: its prepare calls once, then its launches once for each input.
struct ExecutionRequest
{
    const BoundPlan* plan = nullptr;
    const ptx::Module* module = nullptr;
    std::vector<CallInputs> inputs; ///< Of each call of the program; at least one.
    std::vector<ScaledCall> scaled; ///< Of each call; none: alpha is 1, beta 0, and outputs are poisoned.
    std::uint64_t seed = 0;         ///< Poison, schedule and addresses derive from it.
    Checks checks = Checks::All;
    bool counters = true; ///< With All: counters and times as well, which take a fifth of the work.
    /// Below All: every check in blocks that the seed draws, runs of neighbours among them, and the first and
    /// the last; everything else as `checks` says, at nearly its cost. For what is too large to be checked
    /// whole.
    bool drawnBlocks = false;
    std::optional<Schedule> schedule;            ///< Nothing: usualSchedule().
    AddressLayout layout = AddressLayout::Apart; ///< Of simulated memory; the seed draws the addresses.
    std::uint64_t stepBudget = 200'000'000;      ///< Warp instructions over all kernels; beyond it: Timeout.
    bool lineCounters = false;                   ///< Keep counters per line, where there are counters.
    const DeviceModel* model = nullptr;          ///< nullptr: "h200".
    std::string_view cubin;                      ///< For a GPU: what nvJitLink made of `module`.
    double limitSeconds = 1;                     ///< On a GPU: a launch that takes longer is a Timeout.
    std::vector<KernelResources> resources;      ///< From the assembler; without it registers are estimated.
    CancelToken cancel;
    /// For audits: a scratch array whose first word is told of each call (simulated memory; empty: none). And
    /// a control of these: zeroed scratch begins with a 1.
    std::string observe;
    bool mark = false;

    ScaledCall scaledCall(std::size_t call) const
    {
        return call < scaled.size() ? scaled[call] : ScaledCall();
    }
};

/// What one kernel launch did and what the cost model makes of it.
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
    double imbalance = 1; ///< Busiest SM over the mean.
};

struct ExecutionResult
{
    std::optional<Fault> fault;         ///< The first fault; what follows may then be incomplete.
    std::vector<CallOutputs> outputs;   ///< Of each call.
    std::vector<LaunchReport> launches; ///< Prepare calls, then the launches of the first input.
    std::vector<LineCounters> lines;    ///< Of the prepare calls and the first input, by line.
    std::vector<LineCounters> ptxLines; ///< The same by line of the PTX.
    double warmMicroseconds = 0;        ///< Estimate for one call: every launch, zeroing and latency.
    double coldMicroseconds = 0;
    double setupMicroseconds = 0;   ///< Prepare kernels; conversion on the host is the plan's.
    std::uint64_t steps = 0;        ///< Warp instructions executed.
    std::uint64_t prepareSteps = 0; ///< Those of prepare kernels among them, which no clock counts.
    /// Compare-and-swaps of the launches in which a lane at least found another value than it expected.
    std::uint64_t failedSwaps = 0;
    CallProfile profile;       ///< Of the first input (with Counters or All): what the cost model saw.
    bool atomicFloats = false; ///< Float atomics ran: the order of summation is free.
    std::vector<std::uint32_t> observed; ///< Of each call, where the plan has the array to observe.
};

/// Something that runs kernels. An Error is a failure of our machinery (or cancelled work), never a verdict.
class Device
{
public:
    virtual ~Device() = default;
    virtual std::string name() const = 0; ///< "simulated h200"
    virtual Result<ExecutionResult> execute(const ExecutionRequest& request) = 0;
};

/// The PTX interpreter with its cost model. Cheap to create; one execution at a time for each object.
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
