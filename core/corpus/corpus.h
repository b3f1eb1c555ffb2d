// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "target/element_type.h"
#include "target/task.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

class Rng;
struct DeviceModel;
struct MatrixFeatures;

/// The parameters of a derivation, keyed by name: "block" = 128, "lanes" = 8, ...
using FamilyParameters = std::map<std::string, std::int64_t>;

/// One parameter of a family and the values that a derivation may use.
struct FamilyParameter
{
    std::string name;
    std::string help; ///< A phrase for display that says the effect and the unit.
    std::vector<std::int64_t> values;
};

/// A kernel family of the design space (docs/kernels.md 2, 3).
struct Family
{
    std::string id;          ///< "S1" .. "S18", "M1" .. "M20"
    std::string name;        ///< "CSR, thread per row"
    std::string description; ///< A sentence that says how the family works and which matrices it suits.
    std::vector<FamilyParameter> parameters;
    std::vector<std::string> formats; ///< Storage formats that the family's programs need in addition to CSR.
};

/// The families that the grammar can derive for a task, in the order of docs/kernels.md.
const std::vector<Family>& families(Task task);
/// Finds a family by its id. Returns nullptr if there is no such family.
const Family* findFamily(std::string_view id);

/// The style in which a program is written, independent of what it computes. The default is the plainest
/// style. sample() draws a style.
struct Style
{
    enum class Naming
    {
        Canonical,
        Short,
        Long,
        Mixed
    };
    Naming naming = Naming::Canonical;
    std::uint64_t seed = 0;         ///< Determines the names for Naming::Mixed and the wording of comments.
    bool literalParameters = false; ///< Numbers in the code instead of `//! const`.
    bool guardBlock = false;        ///< `if (row < rows) { ... }` instead of an early return.
    bool whileLoop = false;         ///< `while` instead of `for`.
    bool readOnlyLoads = false;     ///< `__ldg(...)` for x instead of plain loads.
    bool restrictPointers = false;  ///< `__restrict__` on the parameters.
    bool butterfly = false;         ///< `__shfl_xor_sync` instead of `__shfl_down_sync`.
    bool bitOperations = false;     ///< `>> 3` and `& 7` instead of `/ 8` and `% 8`.
    bool fusedCalls = false;        ///< `s = fmaf(a, b, s)` instead of `s += a * b`.
    bool launchBounds = false;      ///< `__launch_bounds__(block)`.
    bool namedEnds = false;         ///< Loop ends in separate variables.
    bool braceOnOwnLine = false;    ///< The opening brace of the kernel's body is on its own line.
    int comments = 0;               ///< 0: none, 1: a line above the kernel, 2: also inside it.
    int indent = 4;                 ///< Spaces, 2 or 4.

    /// Draws a style. `variety` in [0, 1] controls how often its choices differ from the plainest style; 0
    /// always yields the default.
    static Style sample(double variety, Rng& rng);
};

/// A program derived from the grammar. It is correct for every matrix that its formats can store.
struct DerivedProgram
{
    std::string text;
    std::string family;
    FamilyParameters parameters;
};
/// Returns parameters as JSON on one line, with keys in alphabetical order: {"block":128,"lanes":8}.
std::string parametersJson(const FamilyParameters& parameters);

/// Derives the program of a family with these parameters. Omitted parameters get the first value of their
/// domain. Fails for an unknown family, parameter or value. If `withPlan` is false, the result is plain CUDA
/// text in which the plan's constants are variables. It can be read, but not judged.
Result<DerivedProgram> derive(std::string_view family, const FamilyParameters& parameters, const Style& style,
                              bool withPlan = true, ElementType type = ElementType::F32);

struct SampleOptions
{
    std::vector<std::string> families; ///< Ids of the families to choose from; empty: all.
    double variety = 0.3;              ///< In [0, 1]. Up to 0.4, programs have fewer than 250 tokens.
    std::size_t maxBytes = 64 * 1024;  ///< A longer program is drawn again in a plainer style.
    bool withPlan = true;              ///< This member and the next one are as in derive().
    ElementType type = ElementType::F32;
};
/// Draws a family, its parameters and a style. Fails for an unknown family, or if no program fits into
/// `maxBytes`.
Result<DerivedProgram> sampleProgram(Task task, const SampleOptions& options, Rng& rng);

/// Returns the code of a program after its plan or, if the text has no plan, after the constants that replace
/// the plan. A derivation has the same code with and without its plan.
std::string_view codeOf(std::string_view text);

/// A family and parameters that suit a matrix. Lists of candidates begin with the best one. `reason` names
/// the decisive features of the matrix.
struct Candidate
{
    std::string family;
    FamilyParameters parameters;
    double score = 0; ///< In (0, 1]. Only the order of scores has a meaning.
    std::string reason;
};
/// Returns candidates that may be fast for one matrix on one device, in the order of their estimated times
/// (spmv_estimate.h, spmm_estimate.h). Estimates use the features of the matrix and the sizes and rates of
/// the device model. The result is deterministic and never empty. For SpMM, `denseColumns` is N, or 0 for the
/// N that the features were computed for. In double precision, estimates count the bytes and the arithmetic
/// of doubles, but use the weights that were fitted in single precision.
std::vector<Candidate> recommend(Task task, const MatrixFeatures& features, const DeviceModel& device,
                                 std::int64_t denseColumns = 0, ElementType type = ElementType::F32);

/// The baseline program on the simulated device. For SpMV, it belongs to family S3: one warp per CSR row with
/// a shuffle tree, 128 threads per block. This textbook "CSR-vector" kernel is the plain kernel most similar
/// to the kernels of vendor libraries for CSR. It needs no conversion and applies to every matrix. For SpMM,
/// it belongs to family M1, the textbook row-split kernel: one thread per element of C, neighbouring threads
/// on neighbouring columns.
struct ReferenceProgram
{
    std::string name; ///< "reference CSR-vector (warp per row)"
    std::string text;
};
ReferenceProgram referenceProgram(Task task, ElementType type = ElementType::F32);

/// Identifies the family of a program by the shape of its code (storage format, thread mapping, reduction).
/// Returns nullopt if no rule matches. This is a heuristic with one rule per family (program_shape.h).
/// Accepts any bytes.
std::optional<std::string> identifyFamily(std::string_view text);

} // namespace sparserl
