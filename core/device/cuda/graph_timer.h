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

/// The ring of (x, y) pairs for timed calls, and the windows into each x. No two calls of a sample see the
/// same x, although together they touch no more bytes than the ring has.
constexpr int ringSlots = 8;
constexpr int ringWindows = 10;
constexpr int mostPlaces = ringSlots * ringWindows;

/// A timed operation. Programs and library routines share this interface, so both are timed in the same way.
struct TimedWork
{
    /// Enqueues one call on the GPU's stream. Returns a Fault if the GPU refuses a launch.
    std::function<Result<std::optional<Fault>>(const Place& place)> call;
    /// Enqueues new poison for all outputs and new values for all inputs of calls. Called before each sample,
    /// outside the timed part. May be empty.
    std::function<Status()> renew;
    /// Records a sequence of calls in order. The timed ones are the `count` calls that begin with number
    /// `first`. Returns the number of the sequence. Not called during a capture. May be empty.
    std::function<Result<int>(std::span<const Place> places, std::size_t first, std::size_t count)> watch;
    /// Enqueues a comparison of the results of a recorded sequence. Leaves out results that later calls of
    /// the sequence overwrite. Afterwards the outputs are undefined.
    std::function<Status(int sequence)> compare;
    int mostPlaces = cuda::mostPlaces; ///< Number of calls between two renewals, and of scratch copies.
    int outputs = ringSlots;           ///< Number of outputs available to calls.
};

struct SamplingOptions
{
    int samples =
        30; ///< Number of samples. It is doubled each time the clocks disagree, unless `mean` is set.
    double sampleMicroseconds = 200;
    bool cold = true;
    int coldSamples = 0; ///< 0: a third of `samples`.
    double limitMicroseconds = 1e6;
    double dropAbove = 0; ///< If the first estimate exceeds this time, nothing more is measured; 0: no limit.
    bool mean = false;    ///< Reports the mean of all calls instead of median and quartiles.
    std::uint64_t seed = 0;
    CancelToken cancel;
};

/// Results of sampling, in microseconds per call.
struct Samples
{
    std::optional<Fault> fault;
    bool dropped = false; ///< The estimate exceeded `dropAbove`. Only `warm.median` is set, with n = 1.
    Timing warm;
    std::optional<Timing> cold;
    double wallMicroseconds = 0;
    bool clocksAgree = true;
    int callsPerGraph = 0;
    double firstSeconds = 0, warmSeconds = 0, coldSeconds = 0; ///< Host time of each phase.
};

/// Times a call (docs/design.md 5.3).
///
/// Warm: a graph contains K whole calls in seeded order. K is chosen so that one launch of the graph fills
/// `sampleMicroseconds`. Events precede and follow the graph. The resolution of an event is about half a
/// microsecond, so for 200 us the error is a quarter of a per cent. Before each sample, outside the timed
/// part, everything is renewed and a few lead-in calls run. They bring the matrix back into L2 if renewal
/// displaced it, and keep the GPU busy while the graph is launched. A call cannot profit from earlier calls:
/// outputs, scratch and shared memory are poisoned or stale, and its x is new in this and all earlier
/// samples. The host clock and the events must agree on the total time of all samples. If they do not,
/// because the host is busy, the series is repeated with twice as many samples.
///
/// The results of timed calls are also the results that are compared: after each sample, outside the timed
/// part, outputs of its calls are compared in place. If outputs are large, there are fewer outputs than
/// calls, and later calls overwrite most results. Several graphs are then recorded. For each graph, as many
/// calls as there are outputs are drawn, and their results stay. The other calls use the remaining outputs in
/// rotation, so a call cannot know whether its result stays. A random number of extra calls after the timed
/// ones hides which call is the last timed one.
///
/// Renewal leaves the lines of x and y dirty in L2, as the preceding operation does in real use. A call
/// writes the lines of y anyway, so this adds no traffic. Library routines are renewed in the same way.
///
/// Cold: one graph contains K = 8 pairs of a flush and a call; another graph contains 8 flushes. A sample is
/// the difference of their times divided by 8. Events around the call inside a graph would add their own cost
/// and, for a kernel of 3 us, a quantisation error of 15 %. The difference contains the call and exactly one
/// more node, as in the warm graph. The order of the two graphs alternates to cancel drift. Everything is
/// renewed before each pair of graphs.
Result<Samples> sample(Gpu& gpu, const TimedWork& work, const SamplingOptions& options);

/// The warm times of two calls that are timed in alternation: each pair has one sample of both, in an order
/// that alternates. An untimed round of the same call precedes each sample, because the other call has used
/// the caches.
struct Interleaved
{
    std::optional<Fault> fault; ///< Fault of the first call.
    Timing first, second;
    Timing ratio; ///< Time of the second call divided by that of the first, pair by pair.
};
Result<Interleaved> interleave(Gpu& gpu, const TimedWork& first, const TimedWork& second,
                               const SamplingOptions& options);

/// Returns the median and quartiles, by linear interpolation.
Timing summarise(std::vector<double> values);

} // namespace sparserl::cuda
