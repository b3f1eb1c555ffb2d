// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/checksums.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::cuda {

namespace {

constexpr std::size_t sumSlots = 64; ///< Of sparserl_checksum.
constexpr double copySeconds = 60;   ///< Nothing but our own kernels runs then.

} // namespace

Status fetchChecked(Gpu& gpu, void* to, CUdeviceptr from, std::size_t bytes)
{
    SPARSERL_TRY(const auto fault, gpu.settle(copySeconds));
    if (fault)
        return fail(fmt::format("the GPU failed while {}: {}", checking, fault->message));
    return gpu.download(to, from, bytes);
}

Result<Checksums> Checksums::make(Gpu& gpu, std::size_t most)
{
    Checksums made(gpu);
    made.m_most = most;
    const std::size_t bytes = most * (sizeof(Range) + sumSlots * sizeof(std::uint64_t));
    SPARSERL_TRY(auto memory,
                 gpu.allocate(static_cast<std::int64_t>(std::max<std::size_t>(bytes, 1)), checking));
    made.m_memory = std::move(memory);
    return made;
}

Status Checksums::ask()
{
    if (m_mostWords == 0)
        return {};
    CUdeviceptr table = m_memory.address(), found = results();
    SPARSERL_CHECK(m_gpu->check(
        m_gpu->api().memsetD32Async(found, 0, 2 * m_count * sumSlots, m_gpu->stream()), checking));
    void* arguments[] = {&table, &found};
    const auto blocks = static_cast<unsigned>(std::min<std::uint64_t>(
        (m_mostWords + 255) / 256, static_cast<std::uint64_t>(m_gpu->info().smCount) * 4));
    return m_gpu->launchHelper(m_gpu->helpers().checksum, blocks, 256, arguments, checking,
                               static_cast<unsigned>(m_count));
}

Result<std::vector<std::uint64_t>> Checksums::answer()
{
    const std::size_t total = m_count * sumSlots;
    std::vector<std::uint64_t> sums(m_count), slots(total);
    if (m_mostWords == 0)
        return sums;
    SPARSERL_CHECK(fetchChecked(*m_gpu, slots.data(), results(), total * sizeof(std::uint64_t)));
    for (std::size_t i = 0; i < total; ++i)
        sums[i / sumSlots] += slots[i];
    return sums;
}

Status Checksums::note(const std::vector<Range>& ranges)
{
    if (ranges.size() > m_most)
        return fail("more memory is to be watched on the GPU than there is room for");
    m_count = ranges.size();
    m_mostWords = 0;
    for (const Range& range : ranges)
        m_mostWords = std::max(m_mostWords, range.size);
    SPARSERL_CHECK(m_gpu->upload(m_memory.address(), ranges.data(), ranges.size() * sizeof(Range)));
    SPARSERL_CHECK(ask());
    SPARSERL_TRY(auto found, answer());
    m_expected = std::move(found);
    return {};
}

Result<std::optional<std::size_t>> Checksums::firstChanged()
{
    SPARSERL_TRY(const auto found, answer());
    for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i] != m_expected[i])
            return std::optional<std::size_t>(i);
    return std::optional<std::size_t>();
}

} // namespace sparserl::cuda
