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

/// Parameters of a derivation by name: "block" = 128, "lanes" = 8, ...
using FamilyParameters = std::map<std::string, std::int64_t>;

/// One parameter of a family and the values that a derivation may use.
struct FamilyParameter
{
    std::string name;
    std::string help; ///< A phrase for display: effect and unit.
    std::vector<std::int64_t> values;
};

/// A kernel family of the design space (docs/kernels.md 2, 3).
struct Family
{
    std::string id;          ///< "S1" .. "S18", "M1" .. "M13"
    std::string name;        ///< "CSR, thread per row"
    std::string description; ///< One sentence: how it works and for which matrices it is good.
    std::vector<FamilyParameter> parameters;
    std::vector<std::string> formats; ///< Storage formats that its programs need in addition to CSR.
};

/// The families that the grammar can derive for a task, in the order of docs/kernels.md.
const std::vector<Family>& families(Task task);
/// Finds a family by id; nullptr if there is none.
const Family* findFamily(std::string_view id);

/// How a program is written, independent of its function. The default is the plainest form. sample() draws a
/// style.
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
    std::uint64_t seed = 0;         ///< Determines mixed names and the wording of comments.
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
    bool braceOnOwnLine = false;    ///< For the body of the kernel.
    int comments = 0;               ///< 0: none, 1: a line above the kernel, 2: also inside it.
    int indent = 4;                 ///< Spaces, 2 or 4.

    /// `variety` in [0, 1] controls how often choices differ from the plainest form; 0 always gives the
    /// default.
    static Style sample(double variety, Rng& rng);
};

/// A program derived from the grammar. It is correct for every matrix that its formats can store.
struct DerivedProgram
{
    std::string text;
    std::string family;
    FamilyParameters parameters;
};
/// {"block":128,"lanes":8}, on one line, with keys in alphabetical order.
std::string parametersJson(const FamilyParameters& parameters);

/// Derives the program of a family with these parameters. Omitted parameters get the first value of their
/// domain. Fails for an unknown family, parameter or value. Without its plan, a program is plain CUDA text
/// with constants as variables. It can be read, but not judged.
Result<DerivedProgram> derive(std::string_view family, const FamilyParameters& parameters, const Style& style,
                              bool withPlan = true, ElementType type = ElementType::F32);

struct SampleOptions
{
    std::vector<std::string> families; ///< Ids of the families to choose from; empty: all.
    double variety = 0.3;              ///< In [0, 1]; at most 0.4 keeps a program under 250 tokens.
    std::size_t maxBytes = 64 * 1024;  ///< Texts that are longer are drawn again in a plainer style.
    bool withPlan = true;              ///< As in derive(); so is the next member.
    ElementType type = ElementType::F32;
};
/// Draws family, parameters and style. Fails for an unknown family, or if no program fits into `maxBytes`.
Result<DerivedProgram> sampleProgram(Task task, const SampleOptions& options, Rng& rng);

/// The code of a program after its plan or, in a text without a plan, after the constants that replace it.
/// Both forms of a derivation have the same code.
std::string_view codeOf(std::string_view text);

/// A family with parameters that suit a matrix. Lists contain the best candidate first. `reason` names the
/// decisive features.
struct Candidate
{
    std::string family;
    FamilyParameters parameters;
    double score = 0; ///< In (0, 1]. Only the order has a meaning.
    std::string reason;
};
/// Candidates that may be fast for one matrix on one device, from the features of the matrix and the sizes
/// and rates of the device model. The order is that of estimated times (spmv_estimate.h, spmm_estimate.h).
/// The result is deterministic and never empty. For SpMM, `denseColumns` is N, or 0 for the N that the
/// features were computed for. In double precision, bytes and arithmetic are those of doubles, but the
/// weights are those fitted in single precision.
std::vector<Candidate> recommend(Task task, const MatrixFeatures& features, const DeviceModel& device,
                                 std::int64_t denseColumns = 0, ElementType type = ElementType::F32);

/// The program that is the baseline on the simulated device. For SpMV, it belongs to family S3: one warp per
/// CSR row with a shuffle tree, 128 threads per block. This textbook "CSR-vector" kernel is the plain kernel
/// most similar to those of vendor libraries for CSR. It needs no conversion and applies to every matrix. For
/// SpMM, it belongs to family M1, the textbook row-split kernel: one thread per element of C, neighbouring
/// threads on neighbouring columns.
struct ReferenceProgram
{
    std::string name; ///< "reference CSR-vector (warp per row)"
    std::string text;
};
ReferenceProgram referenceProgram(Task task, ElementType type = ElementType::F32);

/// The family of a program, identified by the shape of its code (storage format, thread mapping, reduction);
/// nullopt if no rule matches. This is a heuristic with one rule per family (program_shape.h). Accepts any
/// bytes.
std::optional<std::string> identifyFamily(std::string_view text);

} // namespace sparserl
