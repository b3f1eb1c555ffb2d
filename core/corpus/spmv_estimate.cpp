// SPDX-License-Identifier: Apache-2.0
#include "corpus/spmv_estimate.h"

#include "corpus/spmv_machine.h"
#include "corpus/spmv_weights.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparserl {

using namespace spmv;

SpmvEstimate::SpmvEstimate(const MatrixFeatures& features)
    : m_f(features)
    , m_rows(static_cast<double>(features.rows))
    , m_cols(static_cast<double>(features.cols))
    , m_nnz(static_cast<double>(features.nnz))
    , m_mean(std::max(features.rowMean, 0.01))
    , m_max(static_cast<double>(features.rowMax))
{
    const double bytes = 8 * m_nnz + 8 * m_rows + 4 * m_cols;
    m_latency = bytes < l2Bytes ? 0.16 : 0.4;
    // Neighbouring columns share sectors, neighbouring rows share lines; a short x stays in L1 whole.
    m_apart = std::clamp(m_f.columnGap / 8, 0.125, 1.0);
    const double resident = std::min(1.0, l1Columns / std::max(m_cols, 1.0));
    m_gather = m_apart / std::clamp(m_f.windowReuse, 1.0, 4.0) * (1 - resident);
}

std::vector<double> SpmvEstimate::terms(std::string_view family, const FamilyParameters& complete) const
{
    const auto work = workOf(family, complete);
    if (!work)
        return {};
    const Work& w = *work;
    const double blocks = std::max(1.0, w.threads / w.block);
    const double used = std::min(sms, blocks);
    // Registers, roughly: whole blocks share the 65,536 of an SM.
    const double registers = 24 + 0.35 * w.inFlight;
    const double perSm = std::max(1.0, std::floor(std::min(65536 / registers, threadsPerSm) / w.block));
    const double waves = std::max(1.0, w.threads / (sms * perSm * w.block * 0.9));
    const double working = w.bytes + 4 * m_cols + 4 * m_rows;
    const double share = working <= l2Bytes ? 0 : std::min(1.0, (working - l2Bytes) / l2Bytes);
    // Many threads need enough loads in flight to fill the memory's pipes.
    const double starved = std::max(0.0, 1 - w.inFlight / 24);
    return {1,
            w.launches - 1,
            w.zeroed,
            m_latency * w.chain,
            m_latency * (waves - 1) * w.typical,
            w.bytes * (1 - share) / l2BytesPerUs,
            w.bytes * share / dramBytesPerUs,
            w.bytes * starved / l2BytesPerUs,
            32 * m_nnz * w.gather * (m_gather + 0.2 * m_apart * w.reads) / l2BytesPerUs,
            w.instructions / (lanesPerUs * used / sms),
            blocks * 0.001,
            w.bytes / (used * smBytesPerUs),
            w.extra,
            at(complete, "stream") == 1 && complete.count("stream") != 0 ? m_latency * w.chain : 0,
            at(complete, "stream") == 1 && complete.count("stream") != 0
                ? w.bytes * (1 - share) / (used * smBytesPerUs)
                : 0};
}

double SpmvEstimate::tail() const
{
    return std::log(std::max(m_f.rowCv, 1.0)) * std::clamp(std::log10(std::max(m_nnz, 1.0) / 3e5), 0.0, 1.5);
}

double SpmvEstimate::microseconds(std::string_view family, const FamilyParameters& complete) const
{
    const auto values = terms(family, complete);
    if (values.empty())
        return never;
    double time = 0;
    const std::string_view key = family == "S15" && at(complete, "mode") == 2 ? "S15/2" : family;
    const auto& weights = spmvWeights(key);
    for (std::size_t i = 0; i < values.size(); ++i)
        time += weights[i] * values[i];
    return time * spmvFactor(key, complete) * std::exp(spmvTail(key) * tail());
}

std::string SpmvEstimate::reason(std::string_view family) const
{
    if (family == "S10" || family == "S11" || family == "S12")
        return fmt::format("longest row {} entries, {:.2f} times the mean; coefficient of variation {:.2f}",
                           m_f.rowMax, m_f.ellRatio, m_f.rowCv);
    if (family == "S13")
        return fmt::format("{} diagonals, {:.0f} % filled", m_f.diagonals, 100 * m_f.diagonalFill);
    if (family == "S14")
        return fmt::format("blocks of 2, 4 and 8 are filled by {:.0f}, {:.0f} and {:.0f} %",
                           100 * m_f.blockFill[0], 100 * m_f.blockFill[1], 100 * m_f.blockFill[2]);
    if (family == "S18" || family == "S17")
        return fmt::format("{} columns, {:.1f} entries each", m_f.cols, m_nnz / std::max(1.0, m_cols));
    if (family == "dense")
        return fmt::format("{:.0f} % of the entries are there", 100 * m_f.density);
    if (family == "S4")
        return fmt::format("{} rows of mean length {:.0f}", m_f.rows, m_f.rowMean);
    if (family == "S1" || family == "S2" || family == "S3")
        return fmt::format("mean row length {:.1f}, coefficient of variation {:.2f}", m_f.rowMean, m_f.rowCv);
    return fmt::format("{} entries, longest row {} against a mean of {:.1f}", m_f.nnz, m_f.rowMax,
                       m_f.rowMean);
}

} // namespace sparserl
