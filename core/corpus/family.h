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

/// Values of parameters to combine, by name. Omitted parameters keep their first value.
using ParameterGrid = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

/// The conversion of the terms of SpmvEstimate or SpmmEstimate to microseconds, fitted to measured times by
/// tests/benchmarks/spmv_estimate_fit and spmm_estimate_fit.
struct EstimateFit
{
    /// The effect of a parameter value that the terms do not cover.
    struct Factor
    {
        std::string parameter;
        std::int64_t value = 0;
        double factor = 1;
    };
    std::array<double, 16> weights{}; ///< Weights of the terms; SpMV has 15.
    double tail = 0;                  ///< The effect of SpmvEstimate::tail() on the logarithm of the time.
    std::vector<Factor> factors;
    /// The fit applies only to programs in which this parameter has this value. Without a name, it applies to
    /// all.
    std::string parameter = {};
    std::int64_t value = 0;
};

/// Properties of a family for recommendations for SpMV, which estimate its time.
struct SpmvRules
{
    std::vector<ParameterGrid> grids; ///< Parameter combinations worth an estimate.
    /// What a program with complete parameters loads, issues and waits for; nullopt if it does not apply to
    /// the matrix.
    std::optional<SpmvWork> (*work)(const SpmvMatrix& matrix, const FamilyParameters& complete) = nullptr;
    /// The decisive features for or against the family, for display.
    std::string (*reason)(const MatrixFeatures& features) = nullptr;
    std::vector<EstimateFit> fits; ///< The first fit that matches a program's parameters counts.
    int apart = 2;           ///< Minimum number of parameters in which two candidates of the family differ.
    bool wholeLines = false; ///< Reads the matrix in whole lines: streaming loads are worth a try.
};

/// The same for SpMM.
struct SpmmRules
{
    std::vector<ParameterGrid> grids;
    /// nullopt if the family does not apply. Not called for programs in which lanes would have no columns.
    std::optional<SpmmWork> (*work)(const SpmmProgram& program) = nullptr;
    std::string (*reason)(const MatrixFeatures& features, const TargetVariant& variant) = nullptr;
    std::vector<EstimateFit> fits;
};

/// The complete description of a kernel family: how its programs are written and recognised, and when they
/// are fast. Each family has one file below spmv/ or spmm/. Only its row in families.def is elsewhere.
struct KernelFamily
{
    Family family;
    /// Writes a program. nullptr for a family that is only recognised.
    void (*write)(Grammar& grammar) = nullptr;
    /// The certainty that a program with this shape belongs to this family; 0: it does not. The family with
    /// the highest value is chosen. program_shape.h describes the scale.
    int (*recognise)(const ProgramShape& program) = nullptr;
    std::variant<SpmvRules, SpmmRules> rules;
    /// Static shared memory of a program whose values have `valueBytes` bytes. nullptr: it always fits.
    std::int64_t (*sharedBytes)(const FamilyParameters& complete, std::int64_t valueBytes) = nullptr;

    Task task() const { return std::holds_alternative<SpmmRules>(rules) ? Task::SpMM : Task::SpMV; }
};

/// Whether the shared memory of every device suffices for a program with these parameters.
bool fitsShared(const KernelFamily& family, const FamilyParameters& complete, ElementType type);

/// All families in the order of families.def.
const std::vector<KernelFamily>& kernelFamilies();
/// Finds a family by id; nullptr if there is none.
const KernelFamily* findKernelFamily(std::string_view id);

} // namespace sparserl
