// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "base/result.h"
#include "matrix/csr.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A matrix that is described by a short text: "stencil2d(n=64,points=5,seed=1)". The same text yields the
/// same matrix on every machine.
struct GeneratorSpec
{
    std::string kind;
    ParameterSet parameters; ///< The parameters that the kind declares, including `seed`.
    std::int64_t memory =
        0; ///< Limit in bytes on the memory for generating the matrix; 0: the free memory of this machine.
    /// Returns the canonical text: all parameters whose values are not the defaults, in order of declaration,
    /// then the seed.
    std::string text() const;
};

struct GeneratorKind
{
    std::string name; ///< "stencil2d"
    std::string help; ///< One sentence.
    ParameterDeclarations parameters;
};
/// Returns the kinds stencil2d, stencil3d, banded, wideband, diagonals, blockfem, rmat, lp, pruned and
/// random.
const std::vector<GeneratorKind>& generatorKinds();
/// Returns true if the name is that of a kind. Ignores surrounding blanks.
bool isGeneratorKind(std::string_view name);

/// Parses KIND or KIND(KEY=VALUE,...). Spaces are allowed anywhere.
Result<GeneratorSpec> parseGenerator(std::string_view text);
/// Returns true if a word has the form of a generator's text, NAME(...). The text may still be invalid.
bool hasGeneratorForm(std::string_view word);

/// Generates a matrix. Fails before allocating if the parameters require more than 2^31 - 1 entries, or more
/// memory than is available.
Result<Csr> generate(const GeneratorSpec& spec);
/// Parses a text with parseGenerator(), and generates the matrix with this memory limit.
Result<Csr> generate(std::string_view text, std::int64_t memory = 0);

} // namespace sparserl
