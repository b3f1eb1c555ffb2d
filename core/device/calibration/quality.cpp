// SPDX-License-Identifier: Apache-2.0
#include "device/calibration/quality.h"

#include "base/csv.h"
#include "base/geometric_mean.h"
#include "base/quantile.h"
#include "device/simulator/profile/cost_model.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace sparserl {

ModelledTimes modelledTimes(const DeviceModel& model, const std::vector<CalibrationRow>& rows)
{
    ModelledTimes times{std::vector<double>(rows.size(), 0), std::vector<double>(rows.size(), 0)};
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!rows[i].usable())
            continue;
        const sim::CallTime time = sim::callTime(model, *rows[i].profile);
        times.warm[i] = time.warmMicroseconds;
        times.cold[i] = time.coldMicroseconds;
    }
    return times;
}

ModelQuality modelQuality(const DeviceModel& model, const std::vector<CalibrationRow>& rows,
                          std::int64_t lowest, std::int64_t highest)
{
    const ModelledTimes times = modelledTimes(model, rows);
    return qualityOfTimes(times.warm, times.cold, rows, lowest, highest);
}

ModelQuality qualityOfTimes(const std::vector<double>& warm, const std::vector<double>& cold,
                            const std::vector<CalibrationRow>& rows, std::int64_t lowest,
                            std::int64_t highest)
{
    ModelQuality quality;
    std::map<std::string, std::vector<std::size_t>> groups;
    std::vector<double> errors, coldErrors;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const CalibrationRow& row = rows[i];
        if (!row.usable() || warm[i] <= 0 || row.nnz < lowest || row.nnz >= highest)
            continue;
        ++quality.rows;
        groups[row.target.key()].push_back(i);
        errors.push_back(std::abs(warm[i] / row.warm->median - 1));
        if (row.cold)
            coldErrors.push_back(std::abs(cold[i] / row.cold->median - 1));
    }
    quality.matrices = static_cast<std::int64_t>(groups.size());
    quality.medianError = median(std::move(errors));
    quality.medianColdError = median(std::move(coldErrors));
    std::int64_t right = 0;
    GeometricMean regret;
    for (const auto& [key, members] : groups) {
        std::size_t fastest = members[0], chosen = members[0];
        for (const std::size_t i : members) {
            if (rows[i].warm->median < rows[fastest].warm->median)
                fastest = i;
            if (warm[i] < warm[chosen])
                chosen = i;
        }
        const double loss = rows[chosen].warm->median / rows[fastest].warm->median;
        regret.add(loss);
        quality.worstRegret = std::max(quality.worstRegret, loss - 1);
        for (std::size_t a = 0; a < members.size(); ++a) {
            for (std::size_t b = a + 1; b < members.size(); ++b) {
                const double first = rows[members[a]].warm->median, second = rows[members[b]].warm->median;
                if (std::max(first, second) <= 1.1 * std::min(first, second))
                    continue;
                ++quality.pairs;
                right += (first < second) == (warm[members[a]] < warm[members[b]]);
            }
        }
    }
    quality.ordered = quality.pairs ? double(right) / double(quality.pairs) : 1;
    quality.regret = groups.empty() ? 0 : regret.value() - 1;
    return quality;
}

std::string qualityTable(const std::vector<double>& warm, const std::vector<double>& cold,
                         const std::vector<CalibrationRow>& rows)
{
    struct Range
    {
        const char* name;
        std::int64_t low, high;
    };
    const Range ranges[] = {{"all", 0, INT64_MAX},
                            {"nnz < 10,000", 0, 10'000},
                            {"10,000 to 50,000", 10'000, 50'000},
                            {"50,000 to 200,000", 50'000, 200'000},
                            {"200,000 to 1,000,000", 200'000, 1'000'000},
                            {"1,000,000 or more", 1'000'000, INT64_MAX},
                            {"50,000 or more", 50'000, INT64_MAX}};
    std::string text = "| matrices | n | rows | pairs | ordered right | regret | worst regret | median error "
                       "| cold |\n|---|---|---|---|---|---|---|---|---|\n";
    for (const Range& range : ranges) {
        const ModelQuality q = qualityOfTimes(warm, cold, rows, range.low, range.high);
        if (q.rows)
            text +=
                fmt::format("| {} | {} | {} | {} | {:.1f} % | {:.1f} % | {:.0f} % | {:.1f} % | {:.1f} % |\n",
                            range.name, q.matrices, q.rows, q.pairs, 100 * q.ordered, 100 * q.regret,
                            100 * q.worstRegret, 100 * q.medianError, 100 * q.medianColdError);
    }
    return text;
}

std::string timesCsv(const std::vector<CalibrationRow>& rows, const ModelledTimes& before,
                     const ModelledTimes& after, const ModelledTimes& heldOut)
{
    std::string text =
        "matrix,rows,cols,nnz,dense_columns,family,parameters,warm_us,warm_q25,warm_q75,cold_us,"
        "before_us,fitted_us,held_out_us,fitted_cold_us,problem\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const CalibrationRow& row = rows[i];
        text += fmt::format(
            "{},{},{},{},{},{},{},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{:.4f},{}\n",
            csvQuoted(row.target.name), row.rows, row.cols, row.nnz, row.target.variant.columns, row.family,
            csvQuoted(row.parameters), row.warm ? row.warm->median : 0, row.warm ? row.warm->q25 : 0,
            row.warm ? row.warm->q75 : 0, row.cold ? row.cold->median : 0, before.warm[i], after.warm[i],
            heldOut.warm.empty() ? 0 : heldOut.warm[i], after.cold[i], csvQuoted(row.problem));
    }
    return text;
}

} // namespace sparserl
