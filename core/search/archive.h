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

/// An edit that was applied to a parent to derive a program.
struct EditStep
{
    std::string kind;  ///< EditKind::name; empty for steps that are not edits.
    std::string words; ///< A description: "batches of 6 instead of 4 in the loop over i in spmv".
};

/// A program of a search with its origin and results.
struct SearchedProgram
{
    std::size_t number = 0; ///< Programs are numbered from 0 in the order of proposals.
    std::string text;
    std::string source;               ///< Name of the proposer; "bench" for bench's candidates.
    std::string origin;               ///< The derivation of a corpus program: "S2 {...}".
    std::vector<std::size_t> parents; ///< Numbers of its parents; the edits start from the first.
    std::vector<EditStep> steps;      ///< The edits that lead from the first parent to this program.
    double seconds = 0;               ///< Seconds from the start of the search to its verdict.
    Verdict verdict = Verdict::PlanError;
    std::string message;
    std::string key;    ///< Hash of plan and PTX (runKey()): equal for programs that execute the same code.
                        ///< Empty if there is no PTX.
    bool fresh = false; ///< No earlier program has the same key.
    double microseconds = 0; ///< Time of a correct program.
    double speedup = 0;      ///< Speed-up over the baseline; 0: unknown.
    ProgramProfile profile;  ///< Profile of a correct program.
    std::string niche;       ///< Family and formats (nicheOf()).
    bool improved = false;   ///< Whether it set a new record when it was judged.
    double gain = 1;         ///< Speed-up over the previous record; 1 if there was none.
    bool correct() const { return verdict == Verdict::Correct && microseconds > 0; }
};

/// The judged programs of one matrix. Programs that execute the same code are ranked only once. The archive
/// also keeps the fastest programs of each niche (its elites), so that parents of different kinds remain
/// available.
class Archive
{
public:
    /// Adds a program and sets its fields `fresh`, `niche`, `improved` and `gain`.
    const SearchedProgram& add(SearchedProgram program);

    const std::vector<SearchedProgram>& all() const { return m_all; }
    /// Returns the program with this number, or nullptr if it was never judged.
    const SearchedProgram* find(std::size_t number) const;
    /// Returns the fastest correct program, or nullptr if there is none.
    const SearchedProgram* best() const;
    /// Returns the fastest programs that are correct and fresh, at most `most`, in ascending order of time.
    std::vector<const SearchedProgram*> ranked(std::size_t most) const;
    /// Returns the names of all niches that contain a correct program.
    std::vector<std::string> niches() const;
    /// Returns the elites of a niche, the fastest first.
    std::vector<const SearchedProgram*> elites(const std::string& niche) const;

    /// Draws a parent, usually from all ranked programs, sometimes from the elites of a random niche. Faster
    /// programs are more likely. Returns nullptr if there is no correct program yet.
    const SearchedProgram* chooseParent(Rng& rng) const;
    /// Draws a second parent from the elites of the first one's niche. Returns nullptr if there is no other
    /// elite.
    const SearchedProgram* chooseMate(const SearchedProgram& parent, Rng& rng) const;
    /// Returns the chain of first parents, from the oldest known ancestor to this program.
    std::vector<const SearchedProgram*> lineage(const SearchedProgram& program) const;

private:
    std::vector<SearchedProgram> m_all;
    std::map<std::size_t, std::size_t> m_byNumber;
    std::set<std::string> m_keys;
    std::vector<std::size_t> m_ranked; ///< Indices into m_all, the fastest program first.
    std::map<std::string, std::vector<std::size_t>> m_byNiche; ///< The same for the elites of each niche.
};

/// Returns the niche of a program: its family, recognised by the shape of its code, and the storage formats
/// in its plan, as in "S2, csr16".
std::string nicheOf(const std::string& text);

} // namespace sparserl
