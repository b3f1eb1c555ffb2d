// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"

#include <vector>

namespace sparserl {

class Grammar;

/// A family and how its programs are written.
struct FamilyEntry
{
    Family family;
    void (*write)(Grammar& grammar) = nullptr;
};

/// One function per group of families; `familyTable` joins them in the order of kernels.md.
std::vector<FamilyEntry> csrFamilies();    ///< S1 to S4: CSR, no conversion.
std::vector<FamilyEntry> paddedFamilies(); ///< S10, S11, S13: regular formats with padding.
const std::vector<FamilyEntry>& familyTable();

} // namespace sparserl
