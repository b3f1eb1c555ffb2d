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
    Task task() const { return family.id.front() == 'M' ? Task::SpMM : Task::SpMV; }
};

/// One function per group of families; `familyTable` joins them in the order of docs/kernels.md.
std::vector<FamilyEntry> csrFamilies();        ///< S1 to S4: CSR, no conversion.
std::vector<FamilyEntry> paddedFamilies();     ///< S10, S11, S13: regular formats with padding.
std::vector<FamilyEntry> nonzeroFamilies();    ///< S6 to S9: equal shares of the non-zeros.
std::vector<FamilyEntry> blockFamilies();      ///< S5, S14, S18, dense: pieces of the matrix by block.
std::vector<FamilyEntry> mixedFamilies();      ///< S12, S15, S17: rows by length; columns.
std::vector<FamilyEntry> spmmRowFamilies();    ///< M1, M4, M7, M12, M14 to M16, M19: groups of lanes per row.
std::vector<FamilyEntry> spmmStagedFamilies(); ///< M2, M3, M5: entries of A in shared memory.
std::vector<FamilyEntry> spmmBalancedFamilies(); ///< M6, M11, M13, M20: rows of very different length.
std::vector<FamilyEntry> spmmBlockedFamilies();  ///< M8, M17, M18: formats that store zeros too.
const std::vector<FamilyEntry>& familyTable();

} // namespace sparserl
