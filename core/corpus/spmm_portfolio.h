// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/estimate_device.h"
#include "corpus/family.h"
#include "matrix/features.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sparserl {

/// 1 from `best` on, 0 from `worst` on, between them a line.
double falling(double value, double best, double worst);
double rising(double value, double worst, double best);
/// The first power of two times `least` that is not below the value, at most `most`.
std::int64_t powerAbove(double value, std::int64_t least, std::int64_t most);

/// What families are asked for, one after the other.
enum class SpmmPass
{
    Groups, ///< Groups of lanes on rows, the first choices: over the whole width of B.
    Rows,   ///< Other programs whose lanes share rows of A.
    Others, ///< All other programs.
    Slices, ///< Groups and Rows with slices of B's columns in blocks of their own, where half the device is
            ///< idle.
    BusySlices ///< The same where the rows fill the device.
};

/// The candidates of one matrix: families propose what may be fast, each once.
class SpmmPortfolio
{
public:
    SpmmPortfolio(const MatrixFeatures& matrixFeatures, std::int64_t denseColumns,
                  const SpmmDevice& onDevice);

    /// Asks all families. The best of each come first, so that a few of the list already try different
    /// things.
    std::vector<Candidate> candidates();

    // For families.
    const MatrixFeatures& features() const { return m_features; }
    const SpmmDevice& device() const { return m_device; }
    std::int64_t columns() const { return m_columns; }
    std::int64_t vec() const { return m_vec; }       ///< Columns that one load takes.
    std::int64_t across() const { return m_across; } ///< Lanes side by side in the candidates being made.
    double mean() const { return m_mean; }           ///< Row length; never 0.
    double typical() const { return m_typical; }     ///< A length that most rows do not exceed.
    const std::string& lengths() const { return m_lengths; } ///< A reason: the lengths of rows.

    /// Threads that the rows give, a lane for every load of a row of B.
    double rowThreads() const;
    /// Lanes per row so that a lane has about `each` entries of a row, fewer where the device is full anyway.
    std::int64_t lanesFor(double each) const;
    /// A number of lanes as families take them.
    std::int64_t allowedLanes(std::int64_t lanes, std::int64_t most = 32) const;
    double perLane(std::int64_t lanes) const; ///< Entries of a typical row.
    /// 1 where the rows leave most of the device idle, 0 where they fill it.
    double idle() const;
    /// How evenly rows of equal treatment keep the device busy.
    double evenness() const;
    /// Bytes of a storage format that the judge would still build.
    double byteLimit() const;
    /// The longest row against a typical one, and a reason that says so.
    double skew() const;
    std::string skewReason() const;

    /// A candidate of the family that is being asked; what was proposed before is not proposed again. Scores
    /// are in (0, 1], 1: as fast as anything may be.
    void add(FamilyParameters parameters, double score, const std::string& reason);

private:
    struct Proposed
    {
        Candidate candidate;
        const KernelFamily* family = nullptr;
    };
    void ask(SpmmPass pass);
    std::vector<Candidate> diverse() const;

    const MatrixFeatures m_features;
    SpmmDevice m_device;
    std::int64_t m_columns = 1, m_vec = 1;
    std::int64_t m_whole = 1; ///< Lanes that cover a row of B.
    std::int64_t m_across = 1;
    double m_weight = 1;
    double m_mean = 0, m_typical = 0;
    std::string m_lengths;
    std::vector<const KernelFamily*> m_families;
    const KernelFamily* m_asked = nullptr;
    std::vector<Proposed> m_all;
};

} // namespace sparserl
