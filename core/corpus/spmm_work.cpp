// SPDX-License-Identifier: Apache-2.0
#include "corpus/spmm_work.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

SpmmProgram::SpmmProgram(const SpmvMatrix& matrix, double denseColumns, const FamilyParameters& parameters)
    : m(matrix)
    , p(parameters)
    , columns(denseColumns)
    , across(has("across") ? of("across") : 1)
    , vec(has("vec") ? of("vec") : 1)
    , chunks(has("merge") ? of("merge") : 1)
    , unroll(of("unroll"))
    , slices(std::ceil(columns / (across * vec * chunks)))
{
}

bool SpmmProgram::fits() const
{
    return std::fmod(columns, vec) == 0 && across * vec * chunks < 2 * std::max(columns, 4.0) &&
           (!has("lanes") || of("lanes") >= across);
}

double SpmmProgram::ways() const
{
    return std::max(1.0, of("lanes") / across);
}

double SpmmProgram::typicalLength() const
{
    return std::max(m.mean, static_cast<double>(m.features.rowQ80));
}

double SpmmProgram::rounds(double length, double lanes) const
{
    const double steps = std::ceil(length / lanes);
    if (has("batch") && of("batch") == 2)
        return 1 + std::ceil(steps / unroll);
    if (has("batch") && of("batch") == 1)
        return 2 * std::ceil(steps / unroll);
    return 2 * (std::floor(steps / unroll) + std::min(steps, std::fmod(steps, unroll)));
}

double SpmmProgram::reduction(double lanes) const
{
    const double inWarp = std::min(lanes, std::max(1.0, 32 / across));
    return m.shuffles(std::log2(std::max(1.0, inWarp)) * vec * chunks) + (lanes > inWarp ? 1.2 : 0);
}

double SpmmProgram::entryBytes() const
{
    return std::max(2.0, has("batch") && of("batch") > 0 ? unroll : 2) * (m.entry + m.value * vec * chunks);
}

double SpmmProgram::rowsOfB(double count) const
{
    return count * slices * chunks * std::max(32.0, std::min(m.value * columns, m.value * across * vec));
}

double SpmmProgram::sliceFill() const
{
    const double slice = of("slice"), sigma = of("sigma");
    const double spread = m.features.rowCv * std::sqrt(2 * std::log(std::max(slice, 2.0)));
    const double sorted = sigma <= slice ? 1 : slice / sigma;
    return 1 + std::min(spread, m.longest / m.mean) * std::min(1.0, sorted * 1.5 + 0.02);
}

double SpmmProgram::rowsBelow(double length) const
{
    if (length > m.longest)
        return 1.0;
    if (length > static_cast<double>(m.features.rowQ99))
        return 0.995;
    if (length > static_cast<double>(m.features.rowQ80))
        return 0.9;
    return length > static_cast<double>(m.features.rowQ50) ? 0.65 : 0.3;
}

SpmmWork SpmmProgram::groups(double count, double lanes, double entries, double typicalEntries,
                             double longestEntries) const
{
    SpmmWork w;
    w.bytes = csrBytes();
    w.block = of("block");
    w.threads = count * across * lanes * slices;
    w.typical = 1 + rounds(typicalEntries, lanes) + reduction(lanes);
    w.chain = 1 + rounds(longestEntries, lanes) + reduction(lanes);
    w.instructions = w.threads * (35 + 3 * std::log2(std::max(1.0, lanes)) * vec * chunks) +
                     entries * across * slices * (6 + chunks * (2 + vec));
    w.gathered = rowsOfB(entries);
    w.inFlight = entryBytes();
    return w;
}

SpmmWork SpmmProgram::rowGroups() const
{
    return groups(m.rows, ways(), m.nnz, typicalLength(), m.longest);
}

} // namespace sparserl
