// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "verdict/program_profile.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sparserl {

/// One edit in the derivation of a program from its parent.
struct EditStep
{
    std::string kind;  ///< Name in the table of edits; empty for other sources.
    std::string words; ///< "batches of 6 instead of 4 in the loop over i in spmv"
};

/// A program of a search with its origin and results.
struct SearchedProgram
{
    std::size_t number = 0; ///< In the order of proposals, from 0.
    std::string text;
    std::string source;               ///< Name of the proposer; "bench" for bench's candidates.
    std::string origin;               ///< For a corpus program: "S2 {...}".
    std::vector<std::size_t> parents; ///< Numbers; the first is the edited one.
    std::vector<EditStep> steps;      ///< From the first parent to this program.
    double seconds = 0;               ///< From the start of the search to its verdict.
    Verdict verdict = Verdict::PlanError;
    std::string message;
    std::string key;         ///< Plan and PTX: equal for programs that execute the same code. Empty without
                             ///< PTX.
    bool fresh = false;      ///< The first program with its key.
    double microseconds = 0; ///< For a correct program.
    double speedup = 0;      ///< Over the baseline; 0: unknown.
    ProgramProfile profile;  ///< Of a correct program.
    std::string niche;       ///< Family and formats.
    bool improved = false;   ///< Set a new record when it was judged.
    double gain = 1;         ///< Speed-up over the previous record; 1 if there was none.
    bool correct() const { return verdict == Verdict::Correct && microseconds > 0; }
};

/// All judged programs of one matrix. Programs that execute the same code count once. Keeps elites for each
/// niche, so parents of different kinds remain available.
class Archive
{
public:
    /// Adds a program and sets the fields that depend on earlier ones: `fresh`, `niche`, `improved`.
    const SearchedProgram& add(SearchedProgram program);

    const std::vector<SearchedProgram>& all() const { return m_all; }
    /// Finds a program by number; nullptr if it was never judged.
    const SearchedProgram* find(std::size_t number) const;
    /// The fastest, or nullptr.
    const SearchedProgram* best() const;
    /// The fastest fresh correct programs, best first.
    std::vector<const SearchedProgram*> ranked(std::size_t most) const;
    /// Names of niches with a correct program.
    std::vector<std::string> niches() const;
    /// The fastest programs of a niche, best first.
    std::vector<const SearchedProgram*> elites(const std::string& niche) const;

    /// A parent: usually by rank among all programs, occasionally by rank in a random niche. Null if there is
    /// no correct program yet.
    const SearchedProgram* chooseParent(Rng& rng) const;
    /// A parent of the same niche as another one, if possible.
    const SearchedProgram* chooseMate(const SearchedProgram& parent, Rng& rng) const;
    /// The chain of first parents from the oldest known ancestor to this program.
    std::vector<const SearchedProgram*> lineage(const SearchedProgram& program) const;

private:
    std::vector<SearchedProgram> m_all;
    std::map<std::size_t, std::size_t> m_byNumber;
    std::set<std::string> m_keys;
    std::vector<std::size_t> m_ranked;                         ///< Indices, fastest first.
    std::map<std::string, std::vector<std::size_t>> m_byNiche; ///< The same for each niche.
};

/// "S2, csr16": the family by shape, and the storage formats in the plan.
std::string nicheOf(const std::string& text);

} // namespace sparserl
