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

/// A matrix described by a few words: "stencil2d(n=64,points=5,seed=1)". The same text gives the same matrix
/// anywhere.
struct GeneratorSpec
{
    std::string kind;
    ParameterSet parameters; ///< As declared for the kind, `seed` included.
    std::int64_t memory = 0; ///< Bytes that making it may take; 0: this machine's free memory.
    /// Canonical text: every parameter that is not at its default, in order of declaration, seed last.
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
/// Blanks around it do not count.
bool isGeneratorKind(std::string_view name);

/// KIND or KIND(KEY=VALUE,...); spaces are free.
Result<GeneratorSpec> parseGenerator(std::string_view text);

/// Fails where the parameters ask for more than 2^31 - 1 entries or for more memory than there is, before
/// anything is made.
Result<Csr> generate(const GeneratorSpec& spec);
/// parseGenerator, then generate with that much memory.
Result<Csr> generate(std::string_view text, std::int64_t memory = 0);

} // namespace sparserl
