// SPDX-License-Identifier: Apache-2.0
#include "corpus/spmm_estimate.h"

#include "corpus/spmv_estimate.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

SpmmEstimate::SpmmEstimate(const MatrixFeatures& features, std::int64_t denseColumns,
                           const SpmvDevice& device, ElementType type)
    : m_matrix(features, device, type)
    , m_columns(static_cast<double>(std::max<std::int64_t>(1, denseColumns)))
{
}

std::vector<double> SpmmEstimate::terms(const SpmmRules& family, const FamilyParameters& complete) const
{
    const SpmvMatrix& m = m_matrix;
    const SpmvDevice& d = m.device;
    const SpmmProgram program(m, m_columns, complete);
    if (!program.fits())
        return {};
    const auto work = family.work(program);
    if (!work)
        return {};
    const SpmmWork& w = *work;
    const double bytesOfB = m.value * std::min(m.cols, m.nnz) * m_columns,
                 bytesOfC = m.value * m.rows * m_columns;
    const double working = w.bytes + bytesOfB + bytesOfC;
    const double latency = working < d.l2Bytes ? d.l2LatencyUs : d.dramLatencyUs;
    const double blocks = std::max(1.0, w.threads / w.block);
    const double used = std::min(d.sms, blocks);
    const double registers = 28 + 0.35 * w.inFlight;
    const double perSm =
        std::max(1.0, std::floor(std::min(d.registersPerSm / registers, d.threadsPerSm) / w.block));
    const double waves = std::max(1.0, w.threads / (d.sms * perSm * w.block * 0.9));
    const double share = working <= d.l2Bytes ? 0 : std::min(1.0, (working - d.l2Bytes) / d.l2Bytes);
    const double starved = std::max(0.0, 1 - w.inFlight / 48);
    const double reuse = std::clamp(m.features.windowReuse, 1.0, 4.0);
    return {d.call,
            (w.launches - 1) * d.launch,
            w.zeroed * (d.clear + bytesOfC / d.l2BytesPerUs),
            latency * w.chain,
            latency * (waves - 1) * w.typical,
            w.bytes * program.slices / d.l2BytesPerUs,
            (w.bytes + bytesOfB + bytesOfC) * share / d.dramBytesPerUs,
            w.gathered * starved / d.l2BytesPerUs,
            w.gathered / reuse / d.l2BytesPerUs,
            w.gathered / d.l2BytesPerUs,
            w.gathered * share / d.dramBytesPerUs,
            bytesOfC / d.l2BytesPerUs,
            (w.instructions + m.doubleInstructions(m_columns)) / (d.lanesPerUs * used / d.sms),
            blocks * 0.001 * d.block,
            (w.bytes + w.gathered) / (used * d.smBytesPerUs),
            w.atomics * std::ceil(m_columns * m.value / 32) * 0.0001 * d.atomic};
}

double SpmmEstimate::microseconds(const SpmmRules& family, const FamilyParameters& complete) const
{
    return weighted(terms(family, complete), fitOf(family.fits, complete), complete, tailOf(m_matrix));
}

} // namespace sparserl
