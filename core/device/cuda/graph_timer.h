// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/graph.h"
#include "device/timing.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace sparserl::cuda {

/// Ring of (x, y) pairs that timed calls rotate over.
constexpr int ringSlots = 8;

/// What is timed. Both programs and library routines are this, so both are timed alike.
struct TimedWork
{
    /// Puts one call on the GPU's stream, with the vectors of that slot. A Fault: the GPU refused a launch.
    std::function<Result<std::optional<Fault>>(int slot)> call;
    /// Puts poison into outputs and working memory; before sampling, not timed. May be empty.
    std::function<Status()> reset;
};

struct SamplingOptions
{
    int samples = 30;
    double sampleMicroseconds = 200;
    bool cold = true;
    double limitMicroseconds = 1e6;
    double dropAbove = 0; ///< Stop after the first estimate where it is longer than this (0: never).
    std::uint64_t seed = 0;
    CancelToken cancel;
};

/// What sampling found, in microseconds per call.
struct Samples
{
    std::optional<Fault> fault;
    bool dropped = false; ///< Longer than `dropAbove`: only `warm.median` is there, with n = 1.
    Timing warm;
    std::optional<Timing> cold;
    double wallMicroseconds = 0;
    bool clocksAgree = true;
    int callsPerGraph = 0;
    double firstSeconds = 0, warmSeconds = 0, coldSeconds = 0; ///< The host's.
};

/// Times a call (DESIGN 5.3).
///
/// Warm: a graph holds K whole calls over the ring in seeded order, K so that a launch of it fills
/// `sampleMicroseconds`; all samples are queued one behind the other with an event between two, so that the
/// host's clock from the first launch to the end must agree with the events. An event's resolution is about
/// half a microsecond, so 200 us give a quarter of a per cent.
///
/// Cold: two graphs, one with K = 8 times (flush, call), one with 8 flushes; a sample is the difference of
/// their times over 8. Events around the call inside a graph would add what they cost themselves and, at 3 us
/// for a kernel, quantise by 15 %; the difference charges the call exactly one more node, as the warm graph
/// does. Order alternates so that drift cancels.
Result<Samples> sample(Gpu& gpu, const TimedWork& work, const SamplingOptions& options);

/// Two calls timed in turn (ABAB, order of a pair alternating), warm: each sample follows a round of the same
/// call that is not timed, since the other one has used the caches.
struct Interleaved
{
    std::optional<Fault> fault; ///< Of the first.
    Timing first, second;
    Timing ratio; ///< Second over first, pair by pair.
};
Result<Interleaved> interleave(Gpu& gpu, const TimedWork& first, const TimedWork& second,
                               const SamplingOptions& options);

/// Median and quartiles by linear interpolation.
Timing summarise(std::vector<double> values);

} // namespace sparserl::cuda
