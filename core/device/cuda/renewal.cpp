// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/renewal.h"

#include <algorithm>

namespace sparserl::cuda {

namespace {

constexpr const char* renewing = "filling memory between samples";

} // namespace

Result<Renewal> Renewal::make(Gpu& gpu, const std::vector<Range>& writable, const InputRanges& inputs,
                              std::uint64_t seed, bool newSigns)
{
    Renewal made(gpu, seed);
    made.m_newSigns = newSigns;
    made.m_writable = static_cast<unsigned>(writable.size());
    made.m_inputs = static_cast<unsigned>(inputs.ranges.size());
    made.m_inputWords = static_cast<std::uint32_t>(sizeOf(inputs.type) / 4);
    std::vector<Range> tables = writable;
    tables.insert(tables.end(), inputs.ranges.begin(), inputs.ranges.end());
    for (const Range& range : writable)
        made.m_mostWritten = std::max(made.m_mostWritten, (range.size + 3) / 4);
    for (const Range& range : inputs.ranges)
        made.m_mostRead = std::max(made.m_mostRead, range.size);
    SPARSERL_TRY(auto memory,
                 gpu.allocate(static_cast<std::int64_t>(tables.size() * sizeof(Range)), renewing));
    made.m_tables = std::move(memory);
    SPARSERL_CHECK(gpu.upload(made.m_tables.address(), tables.data(), tables.size() * sizeof(Range)));
    return made;
}

Status Renewal::renew()
{
    ++m_renewals;
    if (m_mostWritten > 0) {
        CUdeviceptr table = m_tables.address();
        std::uint64_t seed = m_seed + m_renewals;
        void* arguments[] = {&table, &seed};
        SPARSERL_CHECK(m_gpu->launchHelper(m_gpu->helpers().poison, m_gpu->blocksFor(m_mostWritten), 256,
                                           arguments, renewing, m_writable));
    }
    return moveTo(m_newSigns ? m_renewals : 0);
}

Status Renewal::restore()
{
    return moveTo(0);
}

Status Renewal::moveTo(std::uint32_t state)
{
    if (m_mostRead == 0)
        return {};
    CUdeviceptr table = m_tables.address() + m_writable * sizeof(Range);
    void* arguments[] = {&table, &m_seed, &m_state, &state, &m_inputWords};
    auto ok = m_gpu->launchHelper(m_gpu->helpers().signs, m_gpu->blocksFor(m_mostRead), 256, arguments,
                                  renewing, m_inputs);
    m_state = state;
    return ok;
}

} // namespace sparserl::cuda
