// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/system_summary.h"

#include "project/run/metrics.h"
#include "widgets/common/translate.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <optional>

namespace sparserl {

namespace {

/// One decimal below ten, whole numbers above: 1.3, 41.
QString brief(double value)
{
    return QString::number(value, 'f', std::abs(value) < 9.95 ? 1 : 0);
}

/// Of a metric's values on all GPUs.
struct OfGpus
{
    int count = 0;
    double sum = 0;

    void add(const LatestMetric& metric)
    {
        ++count;
        sum += metric.value;
    }
};

} // namespace

QString systemSummary(const std::vector<LatestMetric>& metrics)
{
    std::optional<double> cores;
    double memory = 0;
    OfGpus utilisation, used, total;
    for (const LatestMetric& metric : metrics) {
        if (metric.split != systemSplit || !std::isfinite(metric.value))
            continue;
        const MetricDescription* description = findMetric(metric.name);
        const std::string_view name = description ? description->name : std::string_view();
        if (name == metric::systemCpu.text)
            cores = metric.value;
        else if (name == metric::systemMemory.text)
            memory += metric.value;
        else if (name == metric::gpuUtilisation.text)
            utilisation.add(metric);
        else if (name == metric::gpuMemory.text)
            used.add(metric);
        else if (name == metric::gpuMemoryTotal.text)
            total.add(metric);
    }
    QStringList machine, gpu;
    if (cores)
        machine.append(tr("%1 cores").arg(brief(*cores)));
    if (memory > 0)
        machine.append(tr("%1 GiB").arg(brief(memory)));
    if (utilisation.count > 0)
        gpu.append(tr("%1 %").arg(std::round(utilisation.sum / utilisation.count)));
    if (total.count > 0)
        gpu.append(tr("%1 of %2 GiB").arg(brief(used.sum), brief(total.sum)));
    QStringList parts;
    if (!machine.isEmpty())
        parts.append(machine.join(QStringLiteral(", ")));
    if (!gpu.isEmpty()) {
        const int count = std::max(utilisation.count, total.count);
        const QString values = gpu.join(QStringLiteral(", "));
        parts.append(count == 1 ? tr("GPU %1").arg(values) : tr("%1 GPUs %2").arg(count).arg(values));
    }
    return parts.join(QStringLiteral("; "));
}

} // namespace sparserl
