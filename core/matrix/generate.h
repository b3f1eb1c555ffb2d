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

/// A matrix described by a short text: "stencil2d(n=64,points=5,seed=1)". The same text yields the same
/// matrix on every machine.
struct GeneratorSpec
{
    std::string kind;
    ParameterSet parameters; ///< As declared for the kind, including `seed`.
    std::int64_t memory = 0; ///< Maximum bytes for the generation; 0: the free memory of this machine.
    /// Canonical text: all parameters with non-default values, in order of declaration, seed last.
    std::string text() const;
};

struct GeneratorKind
{
    std::string name; ///< "stencil2d"
    std::string help; ///< One sentence.
    ParameterDeclarations parameters;
};
/// stencil2d stencil3d banded wideband diagonals blockfem rmat lp pruned random
const std::vector<GeneratorKind>& generatorKinds();
/// Ignores surrounding blanks.
bool isGeneratorKind(std::string_view name);

/// KIND or KIND(KEY=VALUE,...); spaces are allowed anywhere.
Result<GeneratorSpec> parseGenerator(std::string_view text);
/// Whether a word has the form of a generator, NAME(...), which may still be wrong.
bool hasGeneratorForm(std::string_view word);

/// Fails before allocating if the parameters require more than 2^31 - 1 entries or more memory than
/// available.
Result<Csr> generate(const GeneratorSpec& spec);
/// parseGenerator(), then generate() with that memory limit.
Result<Csr> generate(std::string_view text, std::int64_t memory = 0);

} // namespace sparserl
