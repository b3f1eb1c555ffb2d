// SPDX-License-Identifier: Apache-2.0
#include "corpus/spmv_work.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

double valueOf(const FamilyParameters& parameters, const char* name)
{
    const auto found = parameters.find(name);
    return found == parameters.end() ? 1 : static_cast<double>(found->second);
}

bool isOn(const FamilyParameters& parameters, const char* name)
{
    const auto found = parameters.find(name);
    return found != parameters.end() && found->second == 1;
}

SpmvMatrix::SpmvMatrix(const MatrixFeatures& matrixFeatures, const SpmvDevice& onDevice, ElementType type)
    : features(matrixFeatures)
    , device(onDevice)
    , value(static_cast<double>(sizeOf(type)))
    , entry(4 + value)
    , rows(static_cast<double>(features.rows))
    , cols(static_cast<double>(features.cols))
    , nnz(static_cast<double>(features.nnz))
    , mean(std::max(features.rowMean, 0.01))
    , longest(static_cast<double>(features.rowMax))
{
    const double bytes = entry * nnz + (4 + value) * rows + value * cols;
    latency = bytes < device.l2Bytes ? device.l2LatencyUs : device.dramLatencyUs;
    // Neighbouring columns share sectors, neighbouring rows share lines; a short x stays in L1 whole.
    apart = std::clamp(features.columnGap * value / 32, value / 32, 1.0);
    const double resident = std::min(1.0, device.l1Columns * 4 / value / std::max(cols, 1.0));
    gather = apart / std::clamp(features.windowReuse, 1.0, 4.0) * (1 - resident);
}

double SpmvMatrix::csrBytes(bool narrow) const
{
    return entryWith(narrow) * nnz + (narrow ? 8 : 4) * rows;
}

double SpmvMatrix::doubleInstructions(double columns) const
{
    return value > 4 ? nnz * columns * std::max(0.0, device.doubleSlots - 1) : 0;
}

double SpmvMatrix::rounds(double length, double lanes, const FamilyParameters& p) const
{
    if (valueOf(p, "vector") == 4)
        return std::ceil((length + 1.5) / (lanes * 4));
    const double batch = valueOf(p, "batch");
    const double steps = std::ceil(length / lanes);
    if (batch > 1)
        return std::ceil(steps / batch);
    if (valueOf(p, "slice") > 1)
        return steps; // Compilers leave that loop as it is.
    // Compilers unroll by four and leave up to three single steps.
    return std::floor(steps / 4) + std::min(steps, std::fmod(steps, 4.0));
}

double SpmvMatrix::gathers(double manyRows, double meanLength, double lanes, const FamilyParameters& p) const
{
    const double batch = valueOf(p, "vector") == 4 ? 4 : valueOf(p, "batch");
    if (batch == 1 || (isOn(p, "predicate") && valueOf(p, "vector") != 4))
        return manyRows * meanLength;
    const double round = lanes * batch;
    const double all =
        meanLength > round ? meanLength + 0.5 * round : std::min(round, meanLength * batch + lanes);
    return manyRows *
           (meanLength +
            0.6 * std::max(0.0, all - meanLength)); // What is read again costs less than a first read.
}

SpmvWork SpmvMatrix::rowWork(const FamilyParameters& p, double lanes) const
{
    SpmvWork w;
    const bool narrow = isOn(p, "index16");
    const double batch = valueOf(p, "vector") == 4 ? 4 : valueOf(p, "batch");
    w.bytes = csrBytes(narrow);
    w.block = valueOf(p, "block");
    w.threads = rows * lanes;
    const double reduce = std::log2(std::max(lanes, 1.0)) * device.shuffleUs / latency;
    const double ends = 1 + reduce + (lanes > 32 ? 0.6 : 0);
    w.chain = ends + 2 * rounds(longest, lanes, p);
    w.typical = ends + 2 * rounds(std::max(mean, static_cast<double>(features.rowQ80)), lanes, p);
    const double steps = std::ceil(mean / (lanes * batch)) * batch;
    w.instructions = rows * lanes *
                     (22 + 3 * std::log2(lanes + 1) +
                      steps * (batch > 1 ? 9 : 11) * (valueOf(p, "vector") == 4 ? 0.6 : 1));
    w.inFlight = (batch > 1 ? batch : 2) * entryWith(narrow);
    w.reads = gathers(rows, mean, lanes, p) / std::max(nnz, 1.0);
    // Threads of neighbouring rows read words that lie a row apart.
    if (lanes < 8)
        w.extra = nnz * (mean > 2 * lanes ? 2.0 : 1.0) / (lanes * 1.1e6) * std::min(1.0, mean / 8);
    return w;
}

bool SpmvMatrix::storable(double bytes) const
{
    return bytes <= 8 * (entry * nnz + 4 * rows) + 64.0 * 1024 * 1024;
}

SpmvWork SpmvMatrix::entryWork(const FamilyParameters& p, double each, double step) const
{
    SpmvWork w;
    w.block = valueOf(p, "block");
    w.threads = nnz / each;
    w.chain = w.typical = 4 + each * step + shuffles(10);
    w.inFlight = entry * each;
    w.zeroed = 1 - valueOf(p, "clear");
    w.launches = 1 + valueOf(p, "clear");
    return w;
}

} // namespace sparserl
