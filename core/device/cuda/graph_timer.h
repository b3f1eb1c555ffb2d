// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/arena.h"
#include "device/cuda/graph.h"
#include "verdict/timing.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace sparserl::cuda {

/// Ring of (x, y) pairs that timed calls rotate over, and windows into each x: no two calls of a sample see
/// the same x, while the bytes that they touch stay those of the ring.
constexpr int ringSlots = 8;
constexpr int ringWindows = 10;
constexpr int mostPlaces = ringSlots * ringWindows;

/// What is timed. Both programs and library routines are this, so both are timed alike.
struct TimedWork
{
    /// Puts one call on the GPU's stream. A Fault: the GPU refused a launch.
    std::function<Result<std::optional<Fault>>(const Place& place)> call;
    /// Puts new poison into all that calls write and new values into what they read, on the stream; before
    /// each sample, not timed. May be empty.
    std::function<Status()> renew;
    /// Notes the calls of a sequence, in their order, of which `count` from `first` on are timed; gives its
    /// number. Not during a capture. May be empty.
    std::function<Result<int>(std::span<const Place> places, std::size_t first, std::size_t count)> watch;
    /// Puts a comparison on the stream of what the calls of a noted sequence have left, where later calls of
    /// it did not overwrite it; behind it the sequence's outputs may be anything.
    std::function<Status(int sequence)> compare;
    int mostPlaces = cuda::mostPlaces; ///< Calls between two renewals: there are as many copies of scratch.
    int outputs = ringSlots;           ///< That calls may write to.
};

struct SamplingOptions
{
    int samples = 30; ///< Twice as many for each time that the clocks did not agree, unless `mean`.
    double sampleMicroseconds = 200;
    bool cold = true;
    int coldSamples = 0; ///< 0: a third of `samples`.
    double limitMicroseconds = 1e6;
    double dropAbove = 0; ///< Stop after the first estimate where it is longer than this (0: never).
    bool mean = false;    ///< The mean of all calls in place of median and quartiles.
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

/// Times a call (docs/design.md 5.3).
///
/// Warm: a graph holds K whole calls in seeded order, K so that a launch of it fills `sampleMicroseconds`,
/// with events before and behind it. An event's resolution is about half a microsecond, so 200 us give a
/// quarter of a per cent. Before each sample, and not timed, everything is renewed and a few calls lead in:
/// they bring the matrix back into L2 where renewing has displaced it, and keep the GPU busy while the graph
/// is launched. Nothing that a call could leave for another helps it: outputs, scratch and shared memory are
/// poison or stale, and x is one that no call of this sample or of an earlier one has seen. The whole row of
/// samples takes as long by the host's clock as by the events; where it does not, because the host is busy,
/// there is another row.
///
/// What is timed is what is compared: behind each sample, and not timed, outputs of its calls are compared
/// where they lie. Calls write to fewer outputs than there are calls, where outputs are large; then as many
/// calls as there are outputs, drawn for each of several graphs, are the last to write to theirs. Outputs
/// rotate among those that are still to be written, so a call cannot know whether its own is one that stays;
/// a few calls behind the timed ones, as many as the graph's draw says, keep it from knowing which is the
/// last.
///
/// Renewing leaves the lines of x and y in L2 and dirty, as the operation before does in use; a call writes
/// those of y anyway, so no traffic is added to it. Library routines are renewed alike.
///
/// Cold: two graphs, one with K = 8 times (flush, call), one with 8 flushes; a sample is the difference of
/// their times over 8. Events around the call inside a graph would add what they cost themselves and, at 3 us
/// for a kernel, quantise by 15 %; the difference charges the call exactly one more node, as the warm graph
/// does. Order alternates so that drift cancels. Renewed before each pair.
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
