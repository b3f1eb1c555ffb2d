// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sparserl {

class Grammar;
class SpmmPortfolio;
enum class SpmmPass;
struct ProgramShape;
struct SpmvMatrix;
struct SpmvWork;

/// Values of parameters to combine, by name; parameters left out stay at their first value.
using ParameterGrid = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

/// How the terms of SpmvEstimate become microseconds, fitted to measured times by
/// tests/benchmarks/spmv_estimate_fit.
struct SpmvFit
{
    /// What a value of a parameter does beyond the terms.
    struct Factor
    {
        std::string parameter;
        std::int64_t value = 0;
        double factor = 1;
    };
    /// Of the terms: constant, further launches, cleared buffers, longest chain, waves of typical chains,
    /// bytes from L2, from DRAM, bytes with few loads in flight, gathers of x, instructions, thousands of
    /// blocks, bytes through the SMs in use, the family's own, longest chain and bytes of streaming loads.
    std::array<double, 15> weights{};
    double tail = 0; ///< What SpmvEstimate::tail does to the logarithm of the time.
    std::vector<Factor> factors;
    /// Only for programs in which this parameter has this value; without a name for all.
    std::string parameter = {};
    std::int64_t value = 0;
};

/// What recommendations for SpMV need to know of a family: its time is estimated.
struct SpmvRules
{
    std::vector<ParameterGrid> grids; ///< What is worth an estimate.
    /// What a program with all parameters loads, issues and waits for; nothing where it does not apply.
    std::optional<SpmvWork> (*work)(const SpmvMatrix& matrix, const FamilyParameters& complete) = nullptr;
    /// The features that decide for or against the family, for people.
    std::string (*reason)(const MatrixFeatures& features) = nullptr;
    std::vector<SpmvFit> fits; ///< The first that is for a program's parameters counts.
    int apart = 2;             ///< Parameters at least in which two candidates of the family differ.
    bool wholeLines = false;   ///< Reads the matrix by whole lines: worth trying with streaming loads.
};

/// What recommendations for SpMM need to know of a family: it proposes candidates with scores.
struct SpmmRules
{
    void (*propose)(SpmmPortfolio& portfolio, SpmmPass pass) = nullptr;
    int firstTries = 1; ///< Candidates that may come before every family had its own.
    int place = 0; ///< Of two candidates with one score, the one whose family has the smaller place is first.
};

/// All that is known of a kernel family, in one file of its own below spmv/ or spmm/: how its programs are
/// written and recognised and when they pay. Its row in families.def is the only other place.
struct KernelFamily
{
    Family family;
    /// Writes a program; nullptr for a family that is only recognised.
    void (*write)(Grammar& grammar) = nullptr;
    /// How surely a program is one of this family by the shape of its code, 0: not at all. The family with
    /// the largest answer has it; program_shape.h has the scale.
    int (*recognise)(const ProgramShape& program) = nullptr;
    std::variant<SpmvRules, SpmmRules> rules;

    Task task() const { return std::holds_alternative<SpmmRules>(rules) ? Task::SpMM : Task::SpMV; }
};

/// All families in the order of families.def.
const std::vector<KernelFamily>& kernelFamilies();
/// One of them by id, or nullptr.
const KernelFamily* findKernelFamily(std::string_view id);

} // namespace sparserl
