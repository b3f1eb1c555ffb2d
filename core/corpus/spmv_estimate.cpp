// SPDX-License-Identifier: Apache-2.0
#include "corpus/spmv_estimate.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sparserl {

namespace {

constexpr double never = 1e12;

} // namespace

std::vector<double> SpmvEstimate::terms(const SpmvRules& family, const FamilyParameters& complete) const
{
    const SpmvMatrix& m = m_matrix;
    // A span of 16 bits is certain where the matrix is that narrow, or its band.
    if (isOn(complete, "index16") && m.features.cols > 65536 && m.features.bandwidthMax > 32767)
        return {};
    const auto work = family.work(m, complete);
    if (!work)
        return {};
    const SpmvWork& w = *work;
    const SpmvDevice& d = m.device;
    const double blocks = std::max(1.0, w.threads / w.block);
    const double used = std::min(d.sms, blocks);
    // Registers, roughly: whole blocks share those of an SM.
    const double registers = 24 + 0.35 * w.inFlight;
    const double perSm =
        std::max(1.0, std::floor(std::min(d.registersPerSm / registers, d.threadsPerSm) / w.block));
    const double waves = std::max(1.0, w.threads / (d.sms * perSm * w.block * 0.9));
    const double working = w.bytes + m.value * m.cols + m.value * m.rows;
    const double share = working <= d.l2Bytes ? 0 : std::min(1.0, (working - d.l2Bytes) / d.l2Bytes);
    // Many threads need enough loads in flight to fill the memory's pipes.
    const double starved = std::max(0.0, 1 - w.inFlight / 24);
    const bool streamed = isOn(complete, "stream");
    return {d.call,
            (w.launches - 1) * d.launch,
            w.zeroed * d.clear,
            m.latency * w.chain,
            m.latency * (waves - 1) * w.typical,
            w.bytes * (1 - share) / d.l2BytesPerUs,
            w.bytes * share / d.dramBytesPerUs,
            w.bytes * starved / d.l2BytesPerUs,
            32 * m.nnz * w.gather * (m.gather + 0.2 * m.apart * w.reads) / d.l2BytesPerUs,
            (w.instructions + m.doubleInstructions(1)) / (d.lanesPerUs * used / d.sms),
            blocks * 0.001 * d.block,
            w.bytes / (used * d.smBytesPerUs),
            w.extra,
            streamed ? m.latency * w.chain : 0,
            streamed ? w.bytes * (1 - share) / (used * d.smBytesPerUs) : 0};
}

double SpmvEstimate::tail() const
{
    return tailOf(m_matrix);
}

double SpmvEstimate::microseconds(const SpmvRules& family, const FamilyParameters& complete) const
{
    return weighted(terms(family, complete), fitOf(family.fits, complete), complete, tail());
}

double tailOf(const SpmvMatrix& matrix)
{
    return std::log(std::max(matrix.features.rowCv, 1.0)) *
           std::clamp(std::log10(std::max(matrix.nnz, 1.0) / 3e5), 0.0, 1.5);
}

double weighted(const std::vector<double>& terms, const EstimateFit& fit, const FamilyParameters& complete,
                double tail)
{
    if (terms.empty())
        return never;
    double time = 0;
    for (std::size_t i = 0; i < terms.size(); ++i)
        time += fit.weights[i] * terms[i];
    return time * factorOf(fit, complete) * std::exp(fit.tail * tail);
}

double factorOf(const EstimateFit& fit, const FamilyParameters& complete)
{
    double product = 1;
    for (const EstimateFit::Factor& factor : fit.factors) {
        const auto found = complete.find(factor.parameter);
        if (found != complete.end() && found->second == factor.value)
            product *= factor.factor;
    }
    return product;
}

const EstimateFit& fitOf(const std::vector<EstimateFit>& fits, const FamilyParameters& complete)
{
    const auto found = std::find_if(fits.begin(), fits.end(), [&](const EstimateFit& fit) {
        const auto value = complete.find(fit.parameter);
        return fit.parameter.empty() || (value != complete.end() && value->second == fit.value);
    });
    assert(found != fits.end());
    return *found;
}

} // namespace sparserl
