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

/// The parameter values to combine, with the name of each parameter. Omitted parameters keep their first
/// value.
using ParameterGrid = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

/// Converts the terms of SpmvEstimate or SpmmEstimate to microseconds. The numbers are fitted to measured
/// times by tests/benchmarks/spmv_estimate_fit and spmm_estimate_fit.
struct EstimateFit
{
    /// The effect of a parameter value that the terms do not express.
    struct Factor
    {
        std::string parameter;
        std::int64_t value = 0;
        double factor = 1;
    };
    std::array<double, 16> weights{}; ///< The weights of the terms; SpMV has 15 terms.
    double tail = 0;                  ///< The effect of SpmvEstimate::tail() on the logarithm of the time.
    std::vector<Factor> factors;
    /// The fit applies only to programs in which this parameter has this value. If the name is empty, it
    /// applies to all programs.
    std::string parameter = {};
    std::int64_t value = 0;
};

/// The properties of an SpMV family from which recommend() estimates the times of its programs.
struct SpmvRules
{
    std::vector<ParameterGrid> grids; ///< The parameter combinations to estimate.
    /// Returns the work of a program with complete parameters: its loads, instructions and waits. Returns
    /// nullopt if the program does not apply to the matrix.
    std::optional<SpmvWork> (*work)(const SpmvMatrix& matrix, const FamilyParameters& complete) = nullptr;
    /// Names the features that are decisive for or against the family, for display.
    std::string (*reason)(const MatrixFeatures& features) = nullptr;
    std::vector<EstimateFit> fits; ///< The first fit that matches a program's parameters applies.
    int apart = 2; ///< The minimum number of parameters in which two candidates of the family differ.
    bool wholeLines = false; ///< Programs read the matrix in whole lines, so streaming loads are worth a try.
};

/// The same for SpMM.
struct SpmmRules
{
    std::vector<ParameterGrid> grids;
    /// Returns nullopt if the family does not apply. Not called for programs in which most lanes would have
    /// no column.
    std::optional<SpmmWork> (*work)(const SpmmProgram& program) = nullptr;
    std::string (*reason)(const MatrixFeatures& features, const TargetVariant& variant) = nullptr;
    std::vector<EstimateFit> fits;
};

/// The complete description of a kernel family: how its programs are written and recognised, and when they
/// are fast. Each family has one file below spmv/ or spmm/, and a row in families.def.
struct KernelFamily
{
    Family family;
    /// Writes a program. nullptr if programs of the family are only recognised and never written.
    void (*write)(Grammar& grammar) = nullptr;
    /// Returns how certain it is that a program with this shape belongs to the family, or 0 if it does not
    /// belong to it. The family with the highest value is chosen. program_shape.h describes the scale.
    int (*recognise)(const ProgramShape& program) = nullptr;
    std::variant<SpmvRules, SpmmRules> rules;
    /// Returns the bytes of static shared memory of a program whose values have `valueBytes` bytes. nullptr
    /// if the programs of the family always fit.
    std::int64_t (*sharedBytes)(const FamilyParameters& complete, std::int64_t valueBytes) = nullptr;

    Task task() const { return std::holds_alternative<SpmmRules>(rules) ? Task::SpMM : Task::SpMV; }
};

/// Whether the shared memory of every device suffices for a program with these parameters.
bool fitsShared(const KernelFamily& family, const FamilyParameters& complete, ElementType type);

/// All families in the order of families.def.
const std::vector<KernelFamily>& kernelFamilies();
/// Finds a family by its id. Returns nullptr if there is no such family.
const KernelFamily* findKernelFamily(std::string_view id);

} // namespace sparserl
