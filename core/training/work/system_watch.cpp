// SPDX-License-Identifier: Apache-2.0
#include "training/work/system_watch.h"

#include "base/time.h"
#include "training/work/packed.h"

#include <algorithm>
#include <utility>

namespace sparserl {

namespace {

constexpr double mebibyte = 1 << 20, gibibyte = 1 << 30;
constexpr double betweenLooks = 1; ///< Seconds, of processes that do not lead.

void put(Metrics& metrics, const std::string& name, std::optional<double> value, double unit = 1)
{
    if (value)
        metrics[name] = *value / unit;
}

void put(Metrics& metrics, const std::string& name, const std::optional<std::int64_t>& bytes)
{
    if (bytes)
        metrics[name] = static_cast<double>(*bytes) / gibibyte;
}

/// What something that is counted up has grown by in a second; never negative: a count that falls has lost a
/// process.
double growth(double before, double now, double seconds)
{
    return seconds > 0 ? std::max(0.0, (now - before) / seconds) : 0;
}

double growth(const std::optional<std::int64_t>& before, const std::optional<std::int64_t>& now,
              double seconds)
{
    return growth(static_cast<double>(before.value_or(0)), static_cast<double>(now.value_or(0)), seconds);
}

} // namespace

Metrics systemMetrics(const SystemUse& use, const ProcessUsage& others, const ProcessUsage& othersBefore)
{
    Metrics metrics;
    if (use.cores)
        metrics[metric::systemCpu] =
            *use.cores + growth(othersBefore.cpuSeconds, others.cpuSeconds, use.seconds);
    if (use.processes.ownBytes > 0) {
        const auto gib = [](std::int64_t bytes) { return static_cast<double>(bytes) / gibibyte; };
        metrics[metric::systemMemory.part("worker")] = gib(use.processes.ownBytes + others.ownBytes);
        metrics[metric::systemMemory.part("runners")] =
            gib(use.processes.descendantBytes + others.descendantBytes);
    }
    if (use.readPerSecond)
        metrics[metric::systemDisk.part("read")] =
            (*use.readPerSecond + growth(othersBefore.readBytes, others.readBytes, use.seconds)) / mebibyte;
    if (use.writtenPerSecond)
        metrics[metric::systemDisk.part("written")] =
            (*use.writtenPerSecond + growth(othersBefore.writtenBytes, others.writtenBytes, use.seconds)) /
            mebibyte;
    put(metrics, metric::systemFreeMemory, use.freeBytes);
    put(metrics, metric::systemFreeDisk, use.diskFreeBytes);
    for (std::size_t i = 0; i < use.gpus.size(); ++i) {
        const GpuReading& gpu = use.gpus[i];
        const std::string number = std::to_string(i);
        put(metrics, metric::gpuUtilisation.part(number), gpu.utilisation);
        put(metrics, metric::gpuMemory.part(number), gpu.memoryUsed, gibibyte);
        put(metrics, metric::gpuMemoryTotal.part(number), gpu.memoryTotal, gibibyte);
        put(metrics, metric::gpuPower.part(number), gpu.watts);
        put(metrics, metric::gpuTemperature.part(number), gpu.celsius);
        put(metrics, metric::gpuClock.part(number), gpu.smClock);
    }
    return metrics;
}

SystemWatch::SystemWatch(SystemSources sources, bool leads)
    : m_sources(std::move(sources))
    , m_leads(leads)
{
}

void SystemWatch::begin(std::int64_t step, double every)
{
    m_step = step;
    m_since = monotonicSeconds();
    m_monitor.reset();
    if (every > 0 && m_leads)
        m_monitor = std::make_unique<SystemMonitor>(m_sources);
}

void SystemWatch::skip()
{
    m_since = monotonicSeconds();
    m_othersBefore = m_others;
    if (m_monitor)
        m_monitor->take();
}

std::optional<Metrics> SystemWatch::due(std::int64_t step, double every, bool end)
{
    if (!m_leads || step <= m_step)
        return std::nullopt;
    if ((every > 0) != (m_monitor != nullptr)) // changed while the run goes on
        begin(m_step, every);
    if (!m_monitor || (!end && monotonicSeconds() - m_since < every))
        return std::nullopt;
    const SystemUse use = m_monitor->take();
    auto metrics = systemMetrics(use, m_others, m_othersBefore);
    m_since = monotonicSeconds();
    m_othersBefore = m_others;
    m_others.ownBytes = m_others.descendantBytes = 0;
    if (metrics.empty())
        return std::nullopt;
    m_step = step;
    return metrics;
}

std::string SystemWatch::tell(double every)
{
    if (m_leads || every <= 0)
        return {};
    const double now = monotonicSeconds();
    if (!m_told.empty() && now - m_toldAt < betweenLooks)
        return m_told;
    const auto usage = readProcessUsage(m_sources.processes);
    if (!usage)
        return m_told;
    Packer packer;
    packer.number(usage->cpuSeconds);
    packer.number(usage->ownBytes);
    packer.number(usage->descendantBytes);
    packer.number(usage->readBytes.value_or(0));
    packer.number(usage->writtenBytes.value_or(0));
    m_toldAt = now;
    m_told = packer.take();
    return m_told;
}

void SystemWatch::hear(std::span<const std::string> told)
{
    ProcessUsage sum;
    sum.readBytes = sum.writtenBytes = 0;
    for (const std::string& bytes : told) {
        if (bytes.empty())
            continue;
        Unpacker one(bytes);
        sum.cpuSeconds += one.number<double>();
        sum.ownBytes += one.number<std::int64_t>();
        sum.descendantBytes += one.number<std::int64_t>();
        *sum.readBytes += one.number<std::int64_t>();
        *sum.writtenBytes += one.number<std::int64_t>();
    }
    if (!std::exchange(m_heard, true))
        m_othersBefore = sum; // what they did before nobody asked
    sum.ownBytes = std::max(sum.ownBytes, m_others.ownBytes);
    sum.descendantBytes = std::max(sum.descendantBytes, m_others.descendantBytes);
    m_others = sum;
}

} // namespace sparserl
