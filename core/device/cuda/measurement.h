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

/// The expected computation of timed calls, in the matrix's type: y = A x, or C = A B with `columns` columns.
struct CompareRequest
{
    std::shared_ptr<const Csr> matrix;
    std::int64_t columns = 1;
    /// The possible underflow loss of a float32 entry (cases/oracle.h).
    double underflow = 0x1p-149;
};

/// The result of comparing timed calls.
struct ComparedCalls
{
    std::int64_t calls = 0, elements = 0; ///< Number of compared calls and elements.
    double boundShare = 0;                ///< Largest ratio of error to bound.
    std::optional<WrongElement> wrong;    ///< An element outside its bound.
};

/// For audits: keeps the word that every call writes to a scratch buffer of one word.
struct ObserveRequest
{
    /// A deliberate difference between calls, which verifies that differences are detected.
    enum class Control
    {
        None,
        Signs, ///< Half of the samples keep the given signs, also around inputs; they count as compared.
        Marks  ///< Shared memory is cleared before half of the calls; they count as compared.
    };
    std::string buffer;
    Control control = Control::None;
};

struct ObservedCall
{
    int sample = 0, sequence = 0, position = 0; ///< Position in the sequence, including lead-in calls.
    bool timed = false, looked = false;
    std::uint32_t word = 0;
};

/// How to time a program (docs/design.md 5.3): CUDA graphs of whole calls, inputs and outputs rotating over a
/// ring and renewed between samples. Events on our stream must agree with the host clock after a full
/// synchronisation.
struct MeasureRequest
{
    const BoundPlan* plan = nullptr;
    const ptx::Module* module = nullptr;
    std::string_view cubin;
    std::vector<CallInputs> ring; ///< 1 to 8; fewer than 8 are repeated at new addresses.
    int samples = 30; ///< Timed graph launches; each contains enough calls to fill `sampleMicroseconds`.
    double sampleMicroseconds = 200;
    bool cold = true;    ///< Also times with L2 flushed before every call.
    int coldSamples = 0; ///< Pairs, with a flush of 0.1 ms before each call; 0: a third of `samples`.
    double limitMicroseconds = 1e6; ///< A longer call is a Timeout (watchdog).
    bool mean = false;              ///< `warm` is the mean of all calls instead of median and quartiles.
    double dropAbove = 0;           ///< Stops after a longer first estimate (0: never): `dropped`.
    bool counters = false;          ///< Hardware counters from CUPTI, if permitted.
    std::uint64_t seed = 0;         ///< Determines ring order, poison, and compared results.
    std::optional<CompareRequest> compare; ///< nullopt: timed results are not compared.
    std::optional<ObserveRequest> observe; ///< Only with `compare`.
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
    double load = 0;  ///< Module, memory, matrix.
    double first = 0; ///< Prepare kernels, inputs, first calls, the first estimate.
    double warm = 0;  ///< Graph, warm-up and samples.
    double cold = 0;
    double checks = 0; ///< Counters, bounds, read-only data.
};

/// The result of timing. Times are microseconds per call, including all launches and zeroing of buffers.
struct Measurement
{
    std::optional<Fault> fault;
    /// Dropped because of `dropAbove`: `warm` is the estimate (n = 1), and nothing is compared.
    bool dropped = false;
    Timing warm;
    std::optional<Timing> cold;
    double setupMicroseconds =
        0;                       ///< Prepare kernels; conversion on the host is BoundPlan::conversionSeconds.
    double wallMicroseconds = 0; ///< Host time per call over the same launches.
    bool clocksAgree = true;     ///< Events and host clock agree within 5 % plus the launch overhead.
    double measuringSeconds = 0; ///< Wall time of measuring sections.
    MeasurePhases phases;
    std::vector<Occupancy> occupancy;   ///< Per launch.
    ComparedCalls compared;             ///< Comparison of calls drawn from the timed ones.
    std::vector<ObservedCall> observed; ///< If requested: for every sample.
    std::optional<HardwareCounters> counters;
    std::string countersMissing; ///< Why there are none, in one sentence.
};

/// A program and a library routine timed in alternation: the reported figures (docs/design.md 5.3).
struct HeadToHead
{
    std::optional<Fault> fault;
    Timing program, baseline;
    Timing speedup;         ///< Baseline over program, per pair.
    ComparedCalls compared; ///< As in Measurement.
};

/// The ceilings of a device, measured once per device under the protocol above.
struct DeviceCeilings
{
    double launchMicroseconds = 0;     ///< A call with one empty kernel.
    double nextLaunchMicroseconds = 0; ///< Each additional empty kernel of a call.
    double fillMicroseconds = 0;       ///< Zeroing one small buffer of a call.
    double l2GBps = 0;                 ///< Reads of data that stay in L2.
    double dramGBps = 0;               ///< Reads of far more data than L2 holds.
    double dramCopyGBps = 0;           ///< Copies: bytes read plus bytes written.
};

} // namespace sparserl
