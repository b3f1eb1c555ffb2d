// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "compile/resources.h"
#include "device/fault.h"
#include "device/tensor.h"
#include "machine/device_model.h"
#include "matrix/csr.h"
#include "ptx/module.h"
#include "verdict/record.h"
#include "verdict/timing.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// What timed calls have to compute, in the type of the matrix: y = A x, or C = A B with `columns` columns.
struct CompareRequest
{
    std::shared_ptr<const Csr> matrix;
    std::int64_t columns = 1;
    /// What an entry of float32 may lose below the normal range (cases/oracle.h).
    double underflow = 0x1p-149;
};

/// What was found of the calls that were timed.
struct ComparedCalls
{
    std::int64_t calls = 0, elements = 0; ///< How many were looked at, and of how much of them.
    double boundShare = 0;                ///< The largest error over its bound.
    std::optional<WrongElement> wrong;    ///< One that is outside of its bound.
};

/// For audits: keep a word of what every call has written to a scratch buffer of one.
struct ObserveRequest
{
    /// What makes calls differ on purpose, so that it can be seen that a difference shows.
    enum class Control
    {
        None,
        Signs, ///< In half of the samples signs are as given, around inputs too; these count as looked at.
        Marks  ///< Shared memory is cleared before half of the calls; these count as looked at.
    };
    std::string buffer;
    Control control = Control::None;
};

struct ObservedCall
{
    int sample = 0, sequence = 0, position = 0; ///< Position in the sequence, with the calls that lead in.
    bool timed = false, looked = false;
    std::uint32_t word = 0;
};

/// How a program is timed (docs/design.md 5.3): CUDA graphs of whole calls, inputs and outputs rotating over
/// a ring and renewed between samples, events on our stream and the host's clock after a full synchronise,
/// which have to agree.
struct MeasureRequest
{
    const BoundPlan* plan = nullptr;
    const ptx::Module* module = nullptr;
    std::string_view cubin;
    std::vector<CallInputs> ring; ///< 1 to 8; fewer than 8 are repeated with fresh addresses.
    int samples = 30; ///< Timed graph launches; each holds as many calls as fill `sampleMicroseconds`.
    double sampleMicroseconds = 200;
    bool cold = true;    ///< Also with L2 flushed before every call.
    int coldSamples = 0; ///< Pairs of them, a flush of 0.1 ms before each call; 0: a third of `samples`.
    double limitMicroseconds = 1e6; ///< A call that takes longer is a Timeout (watchdog).
    bool mean = false;              ///< `warm` is the mean of all calls, in place of median and quartiles.
    double dropAbove = 0;   ///< Stop after the first estimate where it is longer (0: never): `dropped`.
    bool counters = false;  ///< Hardware counters through CUPTI, where permitted.
    std::uint64_t seed = 0; ///< Order of the ring, poison, what is compared.
    std::optional<CompareRequest> compare; ///< Nothing: what is timed is not compared.
    std::optional<ObserveRequest> observe; ///< With `compare` only.
    CancelToken cancel;
};

/// Hardware counters of one call, summed over its launches; absent where the machine does not permit them.
struct HardwareCounters
{
    double dramBytes = 0, l2Bytes = 0, l2HitRate = 0, l1HitRate = 0, instructions = 0, achievedOccupancy = 0;
};

/// Where the host's seconds of a measurement went.
struct MeasurePhases
{
    double load = 0;  ///< Module, memory, matrix.
    double first = 0; ///< Prepare kernels, inputs, first calls, the first estimate.
    double warm = 0;  ///< Graph, warm-up and samples.
    double cold = 0;
    double checks = 0; ///< Counters, bounds, read-only data.
};

/// What timing found. Times are microseconds per call, all launches and the zeroing of buffers included.
struct Measurement
{
    std::optional<Fault> fault;
    bool dropped = false; ///< By `dropAbove`: `warm` is the estimate (n = 1), and nothing is compared.
    Timing warm;
    std::optional<Timing> cold;
    double setupMicroseconds =
        0;                       ///< Prepare kernels; conversion on the host is BoundPlan::conversionSeconds.
    double wallMicroseconds = 0; ///< Per call by the host's clock over the same launches.
    bool clocksAgree = true;     ///< Events and wall clock, within 5 % plus the launch overhead.
    double measuringSeconds = 0; ///< Wall time spent in measuring sections.
    MeasurePhases phases;
    std::vector<Occupancy> occupancy;   ///< Of each launch.
    ComparedCalls compared;             ///< Of calls drawn among those that were timed.
    std::vector<ObservedCall> observed; ///< Where asked for: of every sample.
    std::optional<HardwareCounters> counters;
    std::string countersMissing; ///< Why there are none, one sentence.
};

/// A program and a library routine timed in turn: the figures that count (docs/design.md 5.3).
struct HeadToHead
{
    std::optional<Fault> fault;
    Timing program, baseline;
    Timing speedup;         ///< Baseline over program, pair by pair.
    ComparedCalls compared; ///< As in Measurement.
};

/// What one device can do at best, measured under the protocol above once per device.
struct DeviceCeilings
{
    double launchMicroseconds = 0;     ///< A call that is one empty kernel.
    double nextLaunchMicroseconds = 0; ///< Every further empty kernel of a call.
    double fillMicroseconds = 0;       ///< Zeroing one small buffer of a call.
    double l2GBps = 0;                 ///< Reading what stays in L2.
    double dramGBps = 0;               ///< Reading far more than L2 holds.
    double dramCopyGBps = 0;           ///< Copying it: bytes read plus bytes written.
};

} // namespace sparserl
