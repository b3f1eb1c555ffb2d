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

/// One parameter of a family and the values that a derivation may take.
struct FamilyParameter
{
    std::string name;
    std::string help; ///< A phrase for people: what it does and in which unit.
    std::vector<std::int64_t> values;
};

/// A kernel family of the design space (docs/kernels.md 2, 3).
struct Family
{
    std::string id;          ///< "S1" .. "S18", "M1" .. "M13"
    std::string name;        ///< "CSR, thread per row"
    std::string description; ///< One sentence: how it works and where it is good.
    std::vector<FamilyParameter> parameters;
    std::vector<std::string> formats; ///< Storage formats a program of it needs beyond CSR.
};

/// The families that the grammar can derive for a task, in the order of docs/kernels.md.
const std::vector<Family>& families(Task task);
/// One of them by id, or nullptr.
const Family* findFamily(std::string_view id);

/// How a program is written, apart from what it does. The default is the plainest form; `sample` draws one.
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
    std::uint64_t seed = 0;         ///< Decides mixed names and the wording of comments.
    bool literalParameters = false; ///< Numbers in the code instead of `//! const`.
    bool guardBlock = false;        ///< `if (row < rows) { ... }` instead of an early return.
    bool whileLoop = false;         ///< `while` instead of `for`.
    bool readOnlyLoads = false;     ///< `__ldg(...)` for x instead of plain loads.
    bool restrictPointers = false;  ///< `__restrict__` on the parameters.
    bool butterfly = false;         ///< `__shfl_xor_sync` instead of `__shfl_down_sync`.
    bool bitOperations = false;     ///< `>> 3` and `& 7` instead of `/ 8` and `% 8`.
    bool fusedCalls = false;        ///< `s = fmaf(a, b, s)` instead of `s += a * b`.
    bool launchBounds = false;      ///< `__launch_bounds__(block)`.
    bool namedEnds = false;         ///< Loop ends in variables of their own.
    bool braceOnOwnLine = false;    ///< For the kernel's body.
    int comments = 0;               ///< 0: none, 1: a line above the kernel, 2: also inside it.
    int indent = 4;                 ///< Spaces, 2 or 4.

    /// `variety` in [0, 1] is how often choices leave the plainest form; 0 always gives the default.
    static Style sample(double variety, Rng& rng);
};

/// A program derived from the grammar; correct for every matrix that its formats apply to.
struct DerivedProgram
{
    std::string text;
    std::string family;
    FamilyParameters parameters;
};
/// {"block":128,"lanes":8}: on one line, keys in alphabetical order.
std::string parametersJson(const FamilyParameters& parameters);

/// Derives the program of a family with these parameters; parameters left out take the first value of their
/// domain. Fails for an unknown family, parameter or value. Without its plan a program is plain CUDA text, to
/// be read, not judged: constants are variables then.
Result<DerivedProgram> derive(std::string_view family, const FamilyParameters& parameters, const Style& style,
                              bool withPlan = true, ElementType type = ElementType::F32);

struct SampleOptions
{
    std::vector<std::string> families; ///< Ids to choose from; empty: all.
    double variety = 0.3;              ///< In [0, 1]; at most 0.4 keeps a program under 250 tokens.
    std::size_t maxBytes = 64 * 1024;  ///< Longer texts are drawn again in a plainer style.
    bool withPlan = true;              ///< As in derive(); so the next one.
    ElementType type = ElementType::F32;
};
/// Draws family, parameters and style. Fails for an unknown family or when nothing fits into `maxBytes`.
Result<DerivedProgram> sampleProgram(Task task, const SampleOptions& options, Rng& rng);

/// The code of a program behind its plan, or behind the constants that stand for it in a text without one:
/// the same for both forms of one derivation.
std::string_view codeOf(std::string_view text);

/// A family with parameters that suit a matrix, best first; `reason` names the features that decide.
struct Candidate
{
    std::string family;
    FamilyParameters parameters;
    double score = 0; ///< In (0, 1]; only the order means anything.
    std::string reason;
};
/// What may be fast on one matrix and device, by its features and the sizes and rates of the model: for SpMV
/// by an estimate of times (spmv_estimate.h), for SpMM by rules of thumb of docs/kernels.md 3. Never empty,
/// deterministic. For SpMM `denseColumns` is N, or 0 for the one that the features were computed for. In
/// double precision bytes and arithmetic are those of doubles; weights are those that were fitted in single
/// precision.
std::vector<Candidate> recommend(Task task, const MatrixFeatures& features, const DeviceModel& device,
                                 std::int64_t denseColumns = 0, ElementType type = ElementType::F32);

/// The program that is the baseline on the simulated device: family S3 for SpMV, one warp per CSR row with a
/// shuffle tree, 128 threads per block. It is the textbook "CSR-vector" kernel, the nearest plain relative of
/// what vendor libraries run on CSR, needs no conversion and applies to every matrix. For SpMM family M1: one
/// thread per element of C, neighbours on neighbouring columns, the textbook row-split kernel.
struct ReferenceProgram
{
    std::string name; ///< "reference CSR-vector (warp per row)"
    std::string text;
};
ReferenceProgram referenceProgram(Task task, ElementType type = ElementType::F32);

/// The family a program belongs to by the shape of its code (storage format, thread mapping, reduction), or
/// nothing where no rule fits. Heuristic: each family has its rule (program_shape.h). Reads any bytes.
std::optional<std::string> identifyFamily(std::string_view text);

} // namespace sparserl
