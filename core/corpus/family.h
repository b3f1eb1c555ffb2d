// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"
#include "target/target_id.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sparserl {

class Grammar;
struct ProgramShape;
struct SpmvMatrix;
struct SpmvWork;
struct SpmmProgram;
struct SpmmWork;

/// Values of parameters to combine, by name; parameters left out stay at their first value.
using ParameterGrid = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

/// How the terms of SpmvEstimate or SpmmEstimate become microseconds, fitted to measured times by
/// tests/benchmarks/spmv_estimate_fit and spmm_estimate_fit.
struct EstimateFit
{
    /// What a value of a parameter does beyond the terms.
    struct Factor
    {
        std::string parameter;
        std::int64_t value = 0;
        double factor = 1;
    };
    std::array<double, 16> weights{}; ///< Of the terms; SpMV has 15.
    double tail = 0;                  ///< What SpmvEstimate::tail does to the logarithm of the time.
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
    std::vector<EstimateFit> fits; ///< The first that is for a program's parameters counts.
    int apart = 2;                 ///< Parameters at least in which two candidates of the family differ.
    bool wholeLines = false;       ///< Reads the matrix by whole lines: worth trying with streaming loads.
};

/// The same for SpMM.
struct SpmmRules
{
    std::vector<ParameterGrid> grids;
    /// Nothing where the family does not apply. Programs whose lanes would not have columns are not asked
    /// for.
    std::optional<SpmmWork> (*work)(const SpmmProgram& program) = nullptr;
    std::string (*reason)(const MatrixFeatures& features, const TargetVariant& variant) = nullptr;
    std::vector<EstimateFit> fits;
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
    /// Static shared memory of a program whose values have so many bytes; nullptr: it always fits.
    std::int64_t (*sharedBytes)(const FamilyParameters& complete, std::int64_t valueBytes) = nullptr;

    Task task() const { return std::holds_alternative<SpmmRules>(rules) ? Task::SpMM : Task::SpMV; }
};

/// Whether every device has room for what a program of these parameters keeps in shared memory.
bool fitsShared(const KernelFamily& family, const FamilyParameters& complete, ElementType type);

/// All families in the order of families.def.
const std::vector<KernelFamily>& kernelFamilies();
/// One of them by id, or nullptr.
const KernelFamily* findKernelFamily(std::string_view id);

} // namespace sparserl
