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

/// One edit on the way from a parent to a program.
struct EditStep
{
    std::string kind;  ///< Of the table of edits; of other sources empty.
    std::string words; ///< "batches of 6 instead of 4 in the loop over i in spmv"
};

/// A program of a search: how it came about and what became of it.
struct SearchedProgram
{
    std::size_t number = 0; ///< In the order of proposals, from 0.
    std::string text;
    std::string source;               ///< Name of the proposer; "bench" for what bench would try.
    std::string origin;               ///< Of a corpus program: "S2 {...}".
    std::vector<std::size_t> parents; ///< Numbers; the first is the one that was edited.
    std::vector<EditStep> steps;      ///< From the first parent to this program.
    double seconds = 0;               ///< Since the search began, when its verdict was there.
    Verdict verdict = Verdict::PlanError;
    std::string message;
    std::string key;         ///< Plan and PTX: equal for programs that run the same. Empty without PTX.
    bool fresh = false;      ///< The first with its key.
    double microseconds = 0; ///< Of a correct program.
    double speedup = 0;      ///< Over the baseline; 0: unknown.
    ProgramProfile profile;  ///< Of a correct program.
    std::string niche;       ///< Family and formats.
    bool improved = false;   ///< The record when it came.
    double gain = 1;         ///< Then, over the record before it; 1 where there was none.
    bool correct() const { return verdict == Verdict::Correct && microseconds > 0; }
};

/// All judged programs of one matrix. Programs that run the same count once. Elites are kept for each niche,
/// so that parents of other kinds than the record's are left.
class Archive
{
public:
    /// Takes a program in; sets what depends on those before it: `fresh`, `niche`, `improved`.
    const SearchedProgram& add(SearchedProgram program);

    const std::vector<SearchedProgram>& all() const { return m_all; }
    /// By its number; nullptr: it was never judged.
    const SearchedProgram* find(std::size_t number) const;
    /// The fastest, or nullptr.
    const SearchedProgram* best() const;
    /// The fastest that are new and correct, best first.
    std::vector<const SearchedProgram*> ranked(std::size_t most) const;
    /// Names of niches with a correct program.
    std::vector<std::string> niches() const;
    /// The fastest of a niche, best first.
    std::vector<const SearchedProgram*> elites(const std::string& niche) const;

    /// A parent: by rank among all, now and then by rank in a niche drawn among all niches. Null: there is no
    /// correct program yet.
    const SearchedProgram* chooseParent(Rng& rng) const;
    /// A parent of the same niche as another one, if there is one.
    const SearchedProgram* chooseMate(const SearchedProgram& parent, Rng& rng) const;
    /// From the corpus to a program by first parents.
    std::vector<const SearchedProgram*> lineage(const SearchedProgram& program) const;

private:
    std::vector<SearchedProgram> m_all;
    std::map<std::size_t, std::size_t> m_byNumber;
    std::set<std::string> m_keys;
    std::vector<std::size_t> m_ranked;                         ///< Indices, fastest first.
    std::map<std::string, std::vector<std::size_t>> m_byNiche; ///< The same of each niche.
};

/// "S2, csr16": what the family is by its shape, and the storage formats that its plan names.
std::string nicheOf(const std::string& text);

} // namespace sparserl
