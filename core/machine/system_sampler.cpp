// SPDX-License-Identifier: Apache-2.0
#include "machine/system_sampler.h"

#include "base/limits.h"
#include "base/time.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace sparserl {

namespace {

void keepLeast(std::optional<std::int64_t>& kept, const std::optional<std::int64_t>& value)
{
    if (value)
        kept = std::min(kept.value_or(*value), *value);
}

/// Of what is counted up, per second; never negative: a count that falls has lost a process.
std::optional<double> rate(std::optional<double> from, std::optional<double> to, double seconds)
{
    if (!from || !to || seconds <= 0)
        return std::nullopt;
    return std::max(0.0, (*to - *from) / seconds);
}

std::optional<double> asReal(const std::optional<std::int64_t>& value)
{
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

/// Of one GPU's readings.
GpuReading sumUp(const std::vector<std::vector<GpuReading>>& samples, std::size_t gpu)
{
    const auto mean = [&](std::optional<double> GpuReading::*member) -> std::optional<double> {
        double sum = 0, count = 0;
        for (const auto& sample : samples) {
            if (gpu >= sample.size() || !(sample[gpu].*member))
                continue;
            sum += *(sample[gpu].*member);
            ++count;
        }
        return count > 0 ? std::optional(sum / count) : std::nullopt;
    };
    GpuReading all{mean(&GpuReading::utilisation), mean(&GpuReading::memoryUsed),
                   mean(&GpuReading::memoryTotal), mean(&GpuReading::watts),
                   mean(&GpuReading::celsius),     mean(&GpuReading::smClock)};
    for (const auto& sample : samples)
        if (gpu < sample.size() && sample[gpu].memoryUsed)
            all.memoryUsed = std::max(*all.memoryUsed, *sample[gpu].memoryUsed);
    return all;
}

} // namespace

SystemSampler::SystemSampler(SystemSources sources)
    : m_sources(std::move(sources))
{
    if (auto gpus = GpuReadings::open(m_sources.nvml))
        m_gpus = std::move(*gpus);
}

SystemSample SystemSampler::sample() const
{
    SystemSample sample;
    sample.at = monotonicSeconds();
    sample.processes = readProcessUsage(m_sources.processes);
    if (const auto memory = machineMemory(m_sources.processes.proc))
        sample.freeBytes = memory->available;
    if (!m_sources.disk.empty()) {
        std::error_code code;
        const auto space = std::filesystem::space(m_sources.disk, code);
        if (!code)
            sample.diskFreeBytes = static_cast<std::int64_t>(space.available);
    }
    if (m_gpus)
        sample.gpus = m_gpus->read();
    return sample;
}

void SystemAccount::add(const SystemSample& sample)
{
    if (!m_from)
        m_from = sample;
    m_last = sample;
    ++m_use.samples;
    keepLeast(m_use.freeBytes, sample.freeBytes);
    keepLeast(m_use.diskFreeBytes, sample.diskFreeBytes);
    if (sample.processes) {
        const auto most =
            std::pair{std::max(m_use.processes.ownBytes, sample.processes->ownBytes),
                      std::max(m_use.processes.descendantBytes, sample.processes->descendantBytes)};
        m_use.processes = *sample.processes;
        m_use.processes.ownBytes = most.first;
        m_use.processes.descendantBytes = most.second;
    }
    m_gpus.push_back(sample.gpus);
}

SystemUse SystemAccount::take()
{
    SystemUse use = std::exchange(m_use, {});
    const auto gpus = std::exchange(m_gpus, {});
    if (use.samples == 0)
        return use;
    use.seconds = m_last->at - m_from->at;
    if (m_from->processes && m_last->processes) {
        const ProcessUsage &from = *m_from->processes, &to = *m_last->processes;
        use.cores = rate(from.cpuSeconds, to.cpuSeconds, use.seconds);
        use.readPerSecond = rate(asReal(from.readBytes), asReal(to.readBytes), use.seconds);
        use.writtenPerSecond = rate(asReal(from.writtenBytes), asReal(to.writtenBytes), use.seconds);
    }
    std::size_t count = 0;
    for (const auto& sample : gpus)
        count = std::max(count, sample.size());
    for (std::size_t gpu = 0; gpu < count; ++gpu)
        use.gpus.push_back(sumUp(gpus, gpu));
    m_from = m_last;
    return use;
}

} // namespace sparserl
