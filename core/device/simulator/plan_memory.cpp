// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/plan_memory.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace sparserl::sim {

namespace {

constexpr std::int64_t maxBufferBytes = (std::int64_t(1) << 32) - 4096;

std::uint64_t mix(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// Fills with quiet NaNs of a seeded payload; as integers these are far outside any array. No byte of a
/// boolean array is 0 or 1.
void poison(std::span<std::byte> bytes, ElementType type, std::uint64_t seed)
{
    const auto payload = static_cast<std::uint32_t>(mix(seed));
    std::byte pattern[8];
    if (type == ElementType::F64) {
        const std::uint64_t word = 0x7ff8000000000000u | payload | 1;
        std::memcpy(pattern, &word, 8);
    } else if (isOnlyOfOperators(type)) {
        const std::uint32_t half = type == ElementType::F16    ? 0x7e00u | (payload & 0x1ffu) | 1
                                   : type == ElementType::BF16 ? 0x7fc0u | (payload & 0x3fu) | 1
                                                               : 0x8080u | (payload & 0x7f7fu);
        const std::uint32_t word = half | half << 16;
        std::memcpy(pattern, &word, 4);
        std::memcpy(pattern + 4, &word, 4);
    } else {
        const std::uint32_t word = 0x7fc00000u | (payload & 0x3fffffu) | 1;
        std::memcpy(pattern, &word, 4);
        std::memcpy(pattern + 4, &word, 4);
    }
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = pattern[i % 8];
}

} // namespace

void PlanMemory::addData()
{
    Region& constants = m_memory.regions.emplace_back();
    constants.name = "constant memory";
    constants.base = m_addresses.plan.constants;
    constants.elementBytes = 1;
    constants.firstSector = 8;
    Region& variables = m_memory.regions.emplace_back();
    variables.name = "the program's constant data";
    variables.base = m_addresses.plan.variables;
    variables.elementBytes = 1;
}

Status PlanMemory::addBuffer(std::size_t index, std::uint64_t sector)
{
    const BoundBuffer& buffer = m_plan.buffers[index];
    const auto bytes = static_cast<std::size_t>(buffer.bytes());
    Region& region = m_memory.regions.emplace_back();
    region.name = buffer.name;
    region.role = buffer.role;
    region.bytes = bytes;
    region.base = m_addresses.arrays[index];
    region.elementBytes = static_cast<std::uint32_t>(sizeOf(buffer.type));
    region.firstSector = static_cast<std::uint32_t>(sector);
    if (buffer.role == BufferRole::Matrix) {
        if (buffer.data.size() != bytes)
            return fail(
                fmt::format("the array '{}' has {} bytes, not {}", buffer.name, buffer.data.size(), bytes));
        // Never written: the region stays read-only.
        region.host = const_cast<std::byte*>(buffer.data.data());
        return {};
    }
    m_storage[index].resize(bytes + 8);
    region.host = m_storage[index].data();
    const bool all = m_request.checks == Checks::All, watched = all || m_request.drawnBlocks;
    if (buffer.role == BufferRole::Prepared) {
        poison({region.host, bytes}, buffer.type, m_request.seed + index);
        if (watched)
            region.written.reset(bytes);
    }
    if (all && buffer.role != BufferRole::Input)
        region.history.reset(bytes / 4 + 1);
    else if (watched && buffer.role != BufferRole::Input)
        region.history.resetSparse(bytes / 4 + 1, m_memory.historyRoom);
    return {};
}

Result<std::optional<std::string>> PlanMemory::setUp(std::size_t variableBytes)
{
    m_storage.resize(m_plan.buffers.size());
    addData();
    std::uint64_t sector = 2048; // room for 64 KiB of constants
    for (std::size_t i = 0; i < m_plan.buffers.size(); ++i) {
        const BoundBuffer& buffer = m_plan.buffers[i];
        if (buffer.count < 0 || buffer.bytes() > maxBufferBytes)
            return fmt::format("the array '{}' is too large: at most {} bytes are possible", buffer.name,
                               maxBufferBytes);
        const std::uint64_t first = sector;
        sector += (static_cast<std::uint64_t>(buffer.bytes()) / 32 + 8) & ~std::uint64_t(7);
        if (sector > 0x3fffffffu - (maxVariableBytes / 32 + 8))
            return "the arrays of the plan are larger than 32 GiB together";
        SPARSERL_CHECK(addBuffer(i, first));
    }
    m_memory.regions[variableRegion].firstSector = static_cast<std::uint32_t>(sector);
    sector += variableBytes / 32 + 8;
    if (m_request.layout != AddressLayout::Apart)
        m_memory.map.build(m_memory.regions, variableBytes);
    m_memory.touched.assign(sector / 64 + 1, 0);
    m_memory.l2.reset(m_model.l2Bytes, static_cast<std::int64_t>(sector) * 32);
    return std::nullopt;
}

Status PlanMemory::startCall(const CallInputs& inputs, std::uint64_t call)
{
    std::fill(m_memory.touched.begin(), m_memory.touched.end(), 0);
    if (call == 0)
        m_memory.l2.clear(); // the first call is cold, whatever set-up left behind
    for (std::size_t i = 0; i < m_plan.buffers.size(); ++i) {
        const BoundBuffer& buffer = m_plan.buffers[i];
        Region& region = m_memory.regions[bufferRegion(i)];
        const std::span<std::byte> bytes{region.host, region.bytes};
        if (buffer.role == BufferRole::Input) {
            SPARSERL_TRY(const auto input, inputOf(buffer, inputs));
            std::copy(input.bytes.begin(), input.bytes.end(), region.host);
        } else if (buffer.role == BufferRole::Scratch || buffer.role == BufferRole::Output) {
            const NumberView before =
                buffer.role == BufferRole::Output ? m_request.scaledCall(call).before : NumberView();
            if (!before.empty()) {
                SPARSERL_TRY(const auto old, inputOf(buffer, {{buffer.name, before.type(), before.bytes()}}));
                std::copy(old.bytes.begin(), old.bytes.end(), region.host);
            }
            if (buffer.zero)
                std::fill(bytes.begin(), bytes.end(), std::byte(0));
            if (buffer.zero && m_request.mark && buffer.role == BufferRole::Scratch && !bytes.empty())
                bytes.front() = std::byte(1);
            if (!buffer.zero && before.empty())
                poison(bytes, buffer.type, m_request.seed + i + 1000 * (call + 1));
            if ((m_request.checks == Checks::All || m_request.drawnBlocks) && !buffer.zero)
                region.written.reset(region.bytes);
            if (!before.empty() && region.written.active())
                region.written.setRun(0, static_cast<std::uint32_t>(region.bytes));
        }
    }
    return {};
}

void PlanMemory::startLaunch(const KernelCode& code, bool prepare)
{
    // Nothing can write to either: their regions are read-only.
    Region& constants = m_memory.regions[constantRegion];
    constants.host = const_cast<std::byte*>(code.constantBytes.data());
    constants.bytes = code.constantBytes.size();
    Region& variables = m_memory.regions[variableRegion];
    variables.host = const_cast<std::byte*>(code.variableBytes.data());
    variables.bytes = code.variableBytes.size();
    for (std::size_t i = 0; i < m_plan.buffers.size(); ++i) {
        Region& region = m_memory.regions[bufferRegion(i)];
        region.writable = prepare ? region.role == BufferRole::Prepared
                                  : region.role == BufferRole::Scratch || region.role == BufferRole::Output;
    }
}

CallOutputs PlanMemory::outputs() const
{
    CallOutputs outputs;
    for (std::size_t i = 0; i < m_plan.buffers.size(); ++i) {
        if (m_plan.buffers[i].role != BufferRole::Output)
            continue;
        Tensor& tensor = outputs.emplace_back(tensorFor(m_plan.buffers[i]));
        const std::byte* const host = m_memory.regions[bufferRegion(i)].host;
        std::copy(host, host + tensor.bytes.size(), tensor.bytes.begin());
    }
    return outputs;
}

std::optional<std::uint32_t> PlanMemory::observed() const
{
    for (std::size_t i = 0; i < m_plan.buffers.size(); ++i) {
        const Region& region = m_memory.regions[bufferRegion(i)];
        if (m_plan.buffers[i].role == BufferRole::Scratch && m_plan.buffers[i].name == m_request.observe &&
            region.bytes >= sizeof(std::uint32_t)) {
            std::uint32_t word = 0;
            std::memcpy(&word, region.host, sizeof word);
            return word;
        }
    }
    return std::nullopt;
}

void PlanMemory::noteTouched(CallProfile& profile) const
{
    for (std::size_t i = 0; i < m_plan.buffers.size(); ++i) {
        const BoundBuffer& buffer = m_plan.buffers[i];
        const Region& region = m_memory.regions[bufferRegion(i)];
        double sectors = 0;
        for (std::uint64_t s = region.firstSector, end = s + region.bytes / 32 + 1; s < end; ++s)
            sectors += static_cast<double>(m_memory.touched[s / 64] >> (s % 64) & 1);
        (buffer.role == BufferRole::Input    ? profile.inputBytes
         : buffer.role == BufferRole::Output ? profile.outputBytes
                                             : profile.matrixBytes) += 32 * sectors;
        const bool filled = buffer.role == BufferRole::Scratch || buffer.role == BufferRole::Output;
        if (filled && buffer.zero)
            profile.fills.push_back(buffer.bytes());
    }
}

} // namespace sparserl::sim
