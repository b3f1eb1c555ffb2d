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

/// What timed calls should compute, in the matrix's type: y = A x, or C = A B with `columns` columns.
struct CompareRequest
{
    std::shared_ptr<const Csr> matrix;
    std::int64_t columns = 1;
    /// The possible loss by underflow in a float32 product (cases/oracle.h).
    double underflow = 0x1p-149;
};

/// The result of comparing timed calls.
struct ComparedCalls
{
    std::int64_t calls = 0, elements = 0; ///< Number of compared calls and elements.
    double boundShare = 0;                ///< The largest error divided by its bound.
    std::optional<WrongElement> wrong;    ///< An element whose error exceeds its bound.
};

/// For audits: asks to keep the word that every call writes to a scratch buffer of one word.
struct ObserveRequest
{
    /// A deliberate difference between calls. It verifies that the audit detects differences.
    enum class Control
    {
        None,
        Signs, ///< In half of the samples, inputs and their surroundings keep the given signs. These samples
               ///< count as compared.
        Marks  ///< Before half of the calls, shared memory is cleared. These calls count as compared.
    };
    std::string buffer;
    Control control = Control::None;
};

struct ObservedCall
{
    int sample = 0, sequence = 0,
        position = 0; ///< `position` counts all calls of the sequence, including lead-in calls.
    bool timed = false, looked = false;
    std::uint32_t word = 0;
};

/// How to time a program (docs/design.md 5.3): with CUDA graphs of whole calls, whose inputs and outputs
/// rotate over a ring and are renewed between samples. The events on our stream must agree with the host
/// clock after a full synchronisation.
struct MeasureRequest
{
    const BoundPlan* plan = nullptr;
    const ptx::Module* module = nullptr;
    std::string_view cubin;
    std::vector<CallInputs>
        ring; ///< 1 to 8 sets of inputs. If there are fewer than 8, they are repeated at new addresses.
    int samples =
        30; ///< Number of timed graph launches. A graph has enough calls to fill `sampleMicroseconds`.
    double sampleMicroseconds = 200;
    bool cold = true;    ///< Also measures the time with L2 flushed before every call.
    int coldSamples = 0; ///< Number of pairs of graphs (graph_timer.h), whose flushes take 0.1 ms each; 0: a
                         ///< third of `samples`.
    double limitMicroseconds = 1e6; ///< A call that takes longer is a Timeout (watchdog).
    bool mean = false;      ///< If true, `warm` is the mean of all calls instead of median and quartiles.
    double dropAbove = 0;   ///< If the first estimate exceeds this time, the program is `dropped`; 0: never.
    bool counters = false;  ///< Also collects hardware counters from CUPTI, if permitted.
    std::uint64_t seed = 0; ///< Determines ring order, poison, and compared results.
    std::optional<CompareRequest> compare; ///< If nullopt, timed results are not compared.
    std::optional<ObserveRequest> observe; ///< Needs `compare`.
    CancelToken cancel;
};

/// Hardware counters of one call, summed over its launches; absent if the machine does not permit them.
struct HardwareCounters
{
    double dramBytes = 0, l2Bytes = 0, l2HitRate = 0, l1HitRate = 0, instructions = 0, achievedOccupancy = 0;
};

/// Host seconds of a measurement by phase.
struct MeasurePhases
{
    double load = 0;  ///< Loading the module, allocating memory, uploading the matrix.
    double first = 0; ///< Prepare kernels, inputs, the first calls and the first estimate.
    double warm = 0;  ///< Graph, warm-up and samples.
    double cold = 0;
    double checks = 0; ///< Counters, checks of bounds and of read-only data.
};

/// The result of timing. Times are microseconds per call, including all launches and zeroing of buffers.
struct Measurement
{
    std::optional<Fault> fault;
    /// The program was dropped because of `dropAbove`. `warm` is then the estimate (n = 1), and no results
    /// are compared.
    bool dropped = false;
    Timing warm;
    std::optional<Timing> cold;
    double setupMicroseconds =
        0; ///< Time of prepare kernels. The conversion on the host is BoundPlan::conversionSeconds.
    double wallMicroseconds = 0; ///< Host time per call for the same launches as `warm`.
    bool clocksAgree = true;     ///< Events and host clock agree within 5 % plus the launch overhead.
    double measuringSeconds = 0; ///< Wall time of the sections that measure.
    MeasurePhases phases;
    std::vector<Occupancy> occupancy;   ///< Per launch.
    ComparedCalls compared;             ///< Comparison of calls drawn from the timed ones.
    std::vector<ObservedCall> observed; ///< One entry per call of every sample, if requested.
    std::optional<HardwareCounters> counters;
    std::string countersMissing; ///< If there are no counters: the reason, in one sentence.
};

/// The times of a program and a library routine that were timed in alternation. These are the reported
/// figures (docs/design.md 5.3).
struct HeadToHead
{
    std::optional<Fault> fault;
    Timing program, baseline;
    Timing speedup;         ///< Time of the baseline divided by that of the program, pair by pair.
    ComparedCalls compared; ///< As in Measurement.
};

/// The ceilings of a device, measured once per device in the same way as programs.
struct DeviceCeilings
{
    double launchMicroseconds = 0;     ///< Time of a call with one empty kernel.
    double nextLaunchMicroseconds = 0; ///< Time of each additional empty kernel in a call.
    double fillMicroseconds = 0;       ///< Time to set one small buffer to zero in a call.
    double l2GBps = 0;                 ///< Rate of reads of data that stay in L2.
    double dramGBps = 0;               ///< Rate of reads of far more data than L2 holds.
    double dramCopyGBps = 0;           ///< Rate of copies: bytes read plus bytes written.
};

} // namespace sparserl
