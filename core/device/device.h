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

/// The checks of a run. Accesses are always checked for array bounds.
enum class Checks
{
    None,     ///< Checks bounds, barriers, shuffle masks and the step budget.
    Counters, ///< Also keeps counters and computes caches and the cost model.
    All       ///< Also detects reads of uninitialised memory, and races.
};

/// The order in which the blocks of a launch start, and in which blocks, warps and the sides of a divergent
/// warp take turns.
enum class Schedule
{
    InOrder, ///< In the order of their numbers.
    Shuffled ///< In an order that depends on the seed.
};

/// Returns the default schedule of a run: shuffled if the run looks for races.
constexpr Schedule usualSchedule(Checks checks)
{
    return checks == Checks::All ? Schedule::Shuffled : Schedule::InOrder;
}

/// The placement of arrays in memory. A program can read addresses, so they must not reveal whether a call
/// is only a test. Bounds are checked exactly in every layout.
enum class AddressLayout
{
    Apart,    ///< Each array has its own 64 GiB, so that accesses far outside an array are detected, too.
    Together, ///< All arrays are in one allocation, as on a GPU. A wrong access may hit another array.
    Far       ///< Arrays are in any order, more than 4 GiB apart.
};

/// A request to run a bound plan: its prepare calls once, then its launches once per input.
struct ExecutionRequest
{
    const BoundPlan* plan = nullptr;
    const ptx::Module* module = nullptr;
    std::vector<CallInputs> inputs; ///< One element per call of the program; at least one call.
    std::vector<ScaledCall>
        scaled; ///< One element per call. If empty, alpha is 1, beta is 0, and outputs are poisoned.
    std::uint64_t seed = 0; ///< Determines poison, schedule and addresses.
    Checks checks = Checks::All;
    bool counters =
        true; ///< With Checks::All: also keeps counters and computes times, which takes a fifth of the work.
    /// With less than Checks::All: applies every check in blocks that are drawn from the seed, and only
    /// `checks` elsewhere, at nearly the same cost. The drawn blocks include runs of adjacent
    /// blocks and the first and last blocks. For inputs that are too large to be checked completely.
    bool drawnBlocks = false;
    std::optional<Schedule> schedule; ///< If nullopt, usualSchedule().
    AddressLayout layout =
        AddressLayout::Apart; ///< Layout of simulated memory. The seed determines the addresses in it.
    std::uint64_t stepBudget = 200'000'000; ///< Limit on warp instructions of all kernels together. A run
                                            ///< that exceeds it is a Timeout.
    bool lineCounters = false;              ///< Keeps counters for each line, if there are counters.
    const DeviceModel* model = nullptr;     ///< If nullptr, the model "h200".
    std::string_view cubin;                 ///< For a GPU: what nvJitLink made of `module`.
    double limitSeconds = 1;                ///< For a GPU: a launch that takes longer is a Timeout.
    std::vector<KernelResources>
        resources; ///< As reported by the assembler. If empty, registers are estimated.
    CancelToken cancel;
    /// For audits, in simulated memory: the name of a scratch array whose first word is reported for each
    /// call (empty: none). With `mark`, which the control of an audit sets, zeroed scratch begins with a 1.
    std::string observe;
    bool mark = false;

    ScaledCall scaledCall(std::size_t call) const
    {
        return call < scaled.size() ? scaled[call] : ScaledCall();
    }
};

/// The counters of one kernel launch, and what the cost model computed from them.
struct LaunchReport
{
    std::string kernel;
    int planLine = 0;
    bool prepare = false;
    bool skipped = false; ///< The launch was skipped because an extent is zero.
    std::int64_t blocks = 0, threadsPerBlock = 0;
    LineCounters total; ///< Sums over all lines. The member `line` is 0.
    std::int64_t distinctSectors = 0;
    int registers = 0;
    std::int64_t staticShared = 0, dynamicShared = 0, localBytes = 0;
    Occupancy occupancy;
    double warmMicroseconds = 0, coldMicroseconds = 0; ///< Without the latency of the launch.
    std::string boundBy;  ///< "dram", "l2", "l1", "issue", "latency", "atomics", "launch"
    double imbalance = 1; ///< Largest work of an SM divided by the mean over SMs.
};

struct ExecutionResult
{
    std::optional<Fault> fault;       ///< The first fault. Data after it may be incomplete.
    std::vector<CallOutputs> outputs; ///< One element per call.
    std::vector<LaunchReport>
        launches; ///< Reports on the prepare calls, then on the launches of the first input.
    std::vector<LineCounters>
        lines; ///< Counters of the prepare calls and the launches of the first input, one element per line.
    std::vector<LineCounters> ptxLines; ///< The same counters, one element per line of the PTX.
    double warmMicroseconds = 0;        ///< Estimated time of one call: all launches, zeroing and latency.
    double coldMicroseconds = 0;
    double setupMicroseconds =
        0; ///< Estimated time of prepare kernels. The plan has the time of the conversion on the host.
    std::uint64_t steps = 0;        ///< Number of warp instructions executed.
    std::uint64_t prepareSteps = 0; ///< The part of `steps` in prepare kernels, which are not timed.
    /// Number of compare-and-swap instructions, without those of prepare kernels, in which at least one lane
    /// found a value other than the expected one.
    std::uint64_t failedSwaps = 0;
    CallProfile profile;       ///< Profile of the first input for the cost model, if counters are kept.
    bool atomicFloats = false; ///< The program used float atomics, so the order of summation is free.
    std::vector<std::uint32_t> observed; ///< One word per call, if the plan has the observed array.
};

/// A device that runs kernels. An Error means that our machinery failed or that the work was cancelled; it is
/// never a verdict on a program.
class Device
{
public:
    virtual ~Device() = default;
    virtual std::string name() const = 0; ///< "simulated h200"
    virtual Result<ExecutionResult> execute(const ExecutionRequest& request) = 0;
};

/// The PTX interpreter with its cost model. Cheap to create. An object runs one execution at a time.
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
