// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/graph_timer.h"
#include "device/cuda/program_timing.h"

#include <algorithm>

namespace sparserl::cuda {

namespace {

using Refusal = Result<std::optional<Fault>>;

/// Median of a call, timed as programs are.
Result<double> timeOf(Gpu& gpu, std::function<Refusal(const Place&)> call)
{
    TimedWork work;
    work.call = std::move(call);
    SamplingOptions options;
    options.cold = false;
    SPARSERL_TRY(auto samples, sample(gpu, work, options));
    if (samples.fault)
        return fail("measuring what the GPU can do at best failed: " + samples.fault->message);
    return samples.warm.median;
}

Refusal helper(Gpu& gpu, CUfunction function, unsigned blocks, unsigned threads, void** arguments)
{
    SPARSERL_CHECK(
        gpu.launchHelper(function, blocks, threads, arguments, "measuring what it can do at best"));
    return std::nullopt;
}

Result<double> emptyKernels(Gpu& gpu, int count)
{
    return timeOf(gpu, [&gpu, count](const Place&) -> Refusal {
        for (int i = 0; i < count; ++i) {
            auto refused = helper(gpu, gpu.helpers().empty, 1, 32, nullptr);
            if (!refused)
                return refused;
        }
        return std::nullopt;
    });
}

} // namespace

Result<DeviceCeilings> measureCeilings(Gpu& gpu)
{
    SPARSERL_CHECK(gpu.begin());
    DeviceCeilings ceilings;
    const auto one = emptyKernels(gpu, 1), five = emptyKernels(gpu, 5);
    if (!one || !five)
        return fail(one ? five.error() : one.error());
    ceilings.launchMicroseconds = *one;
    ceilings.nextLaunchMicroseconds = (*five - *one) / 4;

    const std::int64_t l2 = std::max<std::int64_t>(gpu.info().l2Bytes, 1 << 20);
    const std::int64_t large =
        std::min<std::int64_t>(std::int64_t(1) << 30, gpu.info().memoryBytes / 16) / 256 * 256;
    SPARSERL_TRY(auto memory, gpu.allocate(2 * large + 256, "measuring the memory"));
    CUdeviceptr from = memory.address();
    SPARSERL_CHECK(
        gpu.check(gpu.api().memsetD32Async(from, 1, static_cast<std::size_t>(2 * large / 4), gpu.stream()),
                  "measuring the memory"));
    const auto fill = timeOf(gpu, [&gpu, from](const Place& place) -> Refusal {
        SPARSERL_CHECK(gpu.check(gpu.api().memsetD32Async(from + 4096 * static_cast<CUdeviceptr>(place.slot),
                                                          0, 256, gpu.stream()),
                                 "measuring the memory"));
        return std::nullopt;
    });
    if (!fill)
        return fail(fill.error());
    ceilings.fillMicroseconds = *fill;

    const unsigned blocks = static_cast<unsigned>(gpu.info().smCount) * 8;
    const auto reading = [&](std::int64_t bytes, unsigned repeats) -> Result<double> {
        CUdeviceptr sink = from + static_cast<CUdeviceptr>(2 * large);
        std::uint64_t count = static_cast<std::uint64_t>(bytes / 16);
        auto time = timeOf(gpu, [&, count, sink, repeats](const Place&) mutable -> Refusal {
            void* arguments[] = {&from, &count, &repeats, &sink};
            return helper(gpu, gpu.helpers().read, blocks, 256, arguments);
        });
        if (!time)
            return fail(time.error());
        return static_cast<double>(bytes) * repeats / (1e3 * *time);
    };
    // A third of L2: half of it is the other partition's copy on the largest GPUs. The passes are many enough
    // to hide the launch.
    SPARSERL_TRY(const auto cached, reading(l2 / 3 / 256 * 256, 16));
    ceilings.l2GBps = cached;
    SPARSERL_TRY(const auto streamed, reading(large, 1));
    ceilings.dramGBps = streamed;
    const auto copied = timeOf(gpu, [&, large](const Place&) -> Refusal {
        CUdeviceptr to = from + static_cast<CUdeviceptr>(large);
        std::uint64_t count = static_cast<std::uint64_t>(large / 16);
        void* arguments[] = {&from, &to, &count};
        return helper(gpu, gpu.helpers().copy, blocks, 256, arguments);
    });
    if (!copied)
        return fail(copied.error());
    ceilings.dramCopyGBps = 2.0 * static_cast<double>(large) / (1e3 * *copied);
    return ceilings;
}

} // namespace sparserl::cuda
