// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/profile_rows.h"

#include "project/queries/findings.h"
#include "widgets/common/format.h"
#include "widgets/common/translate.h"

#include <QLocale>
#include <cmath>

namespace sparserl {

namespace {

using Better = ProfileRow::Better;

LineCounters sumOf(const std::vector<LineCounters>& lines)
{
    LineCounters sum;
    for (const LineCounters& line : lines) {
        sum.warpInstructions += line.warpInstructions;
        sum.threadInstructions += line.threadInstructions;
        sum.globalSectors += line.globalSectors;
        sum.l1Hits += line.l1Hits;
        sum.l2Hits += line.l2Hits;
        sum.dramSectors += line.dramSectors;
        sum.bankConflicts += line.bankConflicts;
        sum.atomics += line.atomics;
        sum.divergentBranches += line.divergentBranches;
    }
    return sum;
}

void addTimes(std::vector<ProfileRow>& rows, const VerdictRecord& r)
{
    const auto time = [](double us) { return formatMicroseconds(us); };
    rows.push_back({tr("Warm time"), time(r.warm->median),
                    tr("Median; matrix resident in the cache; lower is better."), r.warm->median,
                    Better::Lower, true});
    if (r.warm->n > 1)
        rows.push_back({tr("Quartiles"),
                        tr("%1 – %2, n = %3").arg(time(r.warm->q25), time(r.warm->q75)).arg(r.warm->n),
                        tr("Quartiles of the warm time; n is the number of timings.")});
    if (r.cold)
        rows.push_back({tr("Cold time"), time(r.cold->median),
                        tr("Median; caches emptied before the call; lower is better."), r.cold->median,
                        Better::Lower, true});
    if (r.speedup() > 0)
        rows.push_back({tr("Speed-up"), formatRatio(r.speedup()),
                        tr("Time of the baseline divided by the time of this program; higher is better."),
                        r.speedup(), Better::Higher});
    if (r.shareOfLimit > 0)
        rows.push_back({tr("Share of the limit"), formatPercent(r.shareOfLimit),
                        tr("Time that moving the compulsory bytes would take, divided by the measured "
                           "time; no program can exceed 100 %."),
                        r.shareOfLimit, Better::Higher});
    const double gain = r.baselineMicroseconds - r.warm->median;
    rows.push_back({tr("Set-up"), r.setupMicroseconds > 0 ? time(r.setupMicroseconds) : tr("none"),
                    tr("Time to build the storage formats and run the prepare kernels, once."),
                    r.setupMicroseconds, Better::Lower, true});
    QString pays = tr("at once");
    double calls = 0;
    if (r.setupMicroseconds > 0) {
        calls = gain > 0 ? std::ceil(r.setupMicroseconds / gain) : qQNaN();
        pays = r.baselineMicroseconds <= 0 ? QStringLiteral("–")
               : calls == 1                ? tr("after one call")
               : gain > 0                  ? tr("after %1 calls").arg(formatShortCount(calls))
                                           : tr("never");
    }
    rows.push_back({tr("Set-up pays off"), pays,
                    tr("Number of calls after which this program, with its set-up, has taken less time than "
                       "the baseline."),
                    calls, Better::Lower, true});
}

void addResources(std::vector<ProfileRow>& rows, const VerdictRecord& r)
{
    if (r.compulsoryBytes > 0) {
        rows.push_back({tr("Bytes to move"), formatBytes(static_cast<double>(r.compulsoryBytes)),
                        tr("Bytes that any program must move: the matrix, x and y."),
                        static_cast<double>(r.compulsoryBytes), Better::Neither, true});
        if (const double rate = bandwidthOf(r); rate > 0)
            rows.push_back({tr("Bandwidth"), bandwidthText(r),
                            tr("Bytes to move, divided by the warm time. Data that the caches keep from the "
                               "previous call need not come from DRAM, so with a small matrix, this can "
                               "exceed the bandwidth of DRAM."),
                            rate, Better::Higher, true});
    }
    if (r.registers > 0) {
        rows.push_back({tr("Registers"), formatCount(r.registers),
                        tr("Per thread; maximum over all kernels."), static_cast<double>(r.registers),
                        Better::Lower});
        const auto shared = static_cast<double>(r.staticShared + r.dynamicShared);
        rows.push_back({tr("Shared memory"), formatBytes(shared), tr("Static and dynamic, per block."),
                        shared, Better::Neither});
        const auto local = static_cast<double>(r.localBytes);
        rows.push_back({tr("Local memory"), formatBytes(local), tr("Per thread; includes spilled registers."),
                        local, Better::Lower});
    }
    if (r.occupancy > 0) {
        rows.push_back({tr("Occupancy"), formatPercent(r.occupancy),
                        tr("Warps that fit on a multiprocessor at once, as a share of the maximum."),
                        r.occupancy, Better::Higher});
        if (!r.occupancyLimiter.empty())
            rows.push_back(
                {tr("Limited by"), toQString(r.occupancyLimiter), tr("The resource that limits occupancy.")});
    }
}

void addCounters(std::vector<ProfileRow>& rows, const VerdictRecord& r)
{
    const LineCounters sum = sumOf(r.lines);
    if (sum.warpInstructions == 0)
        return;
    const auto count = [&](const QString& name, std::int64_t value, const QString& help) {
        rows.push_back({name, formatShortCount(static_cast<double>(value)), help, static_cast<double>(value),
                        Better::Lower, true});
    };
    count(tr("Warp instructions"), sum.warpInstructions, tr("Total issued."));
    const double lanes =
        static_cast<double>(sum.threadInstructions) / (32.0 * static_cast<double>(sum.warpInstructions));
    rows.push_back({tr("Active lanes"), formatPercent(lanes),
                    tr("Average share of the 32 lanes of a warp that were active; less than 100 % means "
                       "divergence or idle lanes."),
                    lanes, Better::Higher});
    count(tr("Global sectors"), sum.globalSectors,
          tr("Sectors of 32 bytes that loads and stores requested."));
    count(tr("Sectors from L1"), sum.l1Hits, tr("Sectors found in L1, the fastest cache."));
    rows.back().better = Better::Neither;
    count(tr("Sectors from L2"), sum.l2Hits, tr("Sectors that missed L1 and were found in L2."));
    count(tr("Sectors from DRAM"), sum.dramSectors,
          tr("Sectors that missed both caches after a cold start."));
    count(tr("Divergent branches"), sum.divergentBranches, tr("Branches that split a warp."));
    count(tr("Bank conflicts"), sum.bankConflicts, tr("Extra passes over shared memory."));
    count(tr("Atomics"), sum.atomics, tr("Atomic operations."));
}

} // namespace

double bandwidthOf(const VerdictRecord& r)
{
    return r.warm && r.warm->median > 0 ? static_cast<double>(r.compulsoryBytes) / (1e3 * r.warm->median) : 0;
}

QString bandwidthText(const VerdictRecord& r)
{
    const double rate = bandwidthOf(r);
    if (rate <= 0)
        return {};
    const QString text = tr("%1 GB/s").arg(formatNumber(rate, 3));
    const DeviceModel* model = deviceModelOf(r);
    return model ? tr("%1, %2 of DRAM").arg(text, formatPercent(rate / model->dramGBps)) : text;
}

std::vector<ProfileRow> profileRows(const VerdictRecord& record)
{
    std::vector<ProfileRow> rows;
    if (record.warm)
        addTimes(rows, record);
    addResources(rows, record);
    addCounters(rows, record);
    return rows;
}

std::vector<ProfileRow> baselineRows(const VerdictRecord& record)
{
    if (record.baselineMicroseconds <= 0)
        return {};
    return {{tr("Warm time"),
             formatMicroseconds(record.baselineMicroseconds),
             {},
             record.baselineMicroseconds,
             Better::Lower},
            {tr("Speed-up"), formatRatio(1), {}, 1, Better::Higher}};
}

int deltaSign(const ProfileRow& row, const ProfileRow& base)
{
    if (!std::isfinite(row.value) || !std::isfinite(base.value) || row.value == base.value ||
        row.better == Better::Neither)
        return 0;
    return (row.value < base.value) == (row.better == Better::Lower) ? 1 : -1;
}

QString deltaText(const ProfileRow& row, const ProfileRow& base)
{
    if (!std::isfinite(row.value) || !std::isfinite(base.value))
        return {};
    if (row.value == base.value)
        return tr("same");
    const int sign = deltaSign(row, base);
    QString word = sign > 0 ? tr("better") : sign < 0 ? tr("worse") : QString();
    if (base.value == 0)
        return word;
    const double percent = 100 * (row.value - base.value) / base.value;
    const QString number = QLocale().toString(std::abs(percent), 'f', std::abs(percent) < 10 ? 1 : 0);
    return QStringLiteral("%1%2 % %3")
        .arg(percent < 0 ? QStringLiteral("−") : QStringLiteral("+"), number, word)
        .trimmed();
}

} // namespace sparserl
