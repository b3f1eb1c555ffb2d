// SPDX-License-Identifier: Apache-2.0
#include "evaluation/bench/bench.h"

#include "base/csv.h"
#include "target/workload.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparserl {

namespace {

std::string number(double value)
{
    return value > 0 ? fmt::format("{:.4f}", value) : std::string();
}

} // namespace

double breakEvenCalls(const BenchRow& program, const BenchRow* baseline)
{
    if (!baseline || !(program.warm.median > 0) || program.warm.median >= baseline->warm.median)
        return 0;
    const double setup = program.setupMicroseconds + program.conversionMicroseconds;
    return std::max(1.0, std::ceil(setup / (baseline->warm.median - program.warm.median)));
}

std::string benchCsvHeader(const TargetVariant& variant)
{
    const std::string type = variant.type == ElementType::F32 ? "" : ",element_type";
    return "matrix,class,rows,cols,nnz,dense_columns,device,kind,family,variant,best,best_of_family,csr_"
           "baseline,dropped,"
           "warm_us,warm_q25,warm_q75,n,cold_us,cold_q25,cold_q75,gflops,gbps,floor_us,share_of_limit,setup_"
           "us,"
           "conversion_us,setup_bytes,break_even_calls,speedup,in_turn_speedup,in_turn_q25,in_turn_q75,"
           "clocks_agree,"
           "blocks_per_sm,occupancy,limiter,problem" +
           type + "\n";
}

std::string benchCsv(const BenchMatrix& matrix, const BenchOptions& options, const std::string& device)
{
    std::string text;
    const BenchRow* baseline = matrix.bestBaseline();
    const Workload work(options.variant, matrix.sizes);
    const auto bytes = static_cast<double>(work.csrBytes()); // when nothing is read twice
    const auto line = [&](const BenchRow& row) {
        const double warm = row.warm.median;
        const double breakEven = row.baseline ? 0 : breakEvenCalls(row, baseline);
        const double speedup = baseline && warm > 0 ? baseline->warm.median / warm : 0;
        const bool final = row.best && matrix.final;
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{:d},{:d},{:d},{:d},", csvQuoted(matrix.name),
                            csvQuoted(matrix.structure), matrix.sizes.rows, matrix.sizes.cols,
                            matrix.sizes.nnz, options.variant.columns, csvQuoted(device),
                            row.baseline ? "baseline" : "program", csvQuoted(row.family),
                            csvQuoted(row.variant), row.best, row.bestOfFamily, row.csr, row.dropped);
        text += fmt::format("{},{},{},{},{},{},{},", number(warm), number(row.warm.q25), number(row.warm.q75),
                            row.warm.n, number(row.cold ? row.cold->median : 0),
                            number(row.cold ? row.cold->q25 : 0), number(row.cold ? row.cold->q75 : 0));
        text += fmt::format("{},{},{},{},{},{},{},{},", number(work.gflops(warm)),
                            number(warm > 0 ? bytes / (1e3 * warm) : 0), number(row.floorMicroseconds),
                            number(warm > 0 ? row.floorMicroseconds / warm : 0),
                            number(row.setupMicroseconds), number(row.conversionMicroseconds), row.setupBytes,
                            breakEven > 0 ? fmt::format("{:.0f}", breakEven) : std::string());
        text += fmt::format(
            "{},{},{},{},{:d},{},{},{},{}", number(speedup), number(final ? matrix.final->speedup.median : 0),
            number(final ? matrix.final->speedup.q25 : 0), number(final ? matrix.final->speedup.q75 : 0),
            row.clocksAgree, row.occupancy.blocksPerSm, number(row.occupancy.fraction),
            csvQuoted(row.occupancy.limiter), csvQuoted(row.problem));
        if (options.variant.type != ElementType::F32)
            text.append(",").append(nameOf(options.variant.type));
        text += '\n';
    };
    for (const BenchRow& row : matrix.table)
        line(row);
    if (matrix.table.empty()) {
        BenchRow none;
        none.problem = matrix.problem;
        line(none);
    }
    return text;
}

} // namespace sparserl
