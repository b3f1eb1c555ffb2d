// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "search/archive.h"

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A program to judge, with its origin.
struct Proposal
{
    std::string text;
    std::string origin;               ///< SearchedProgram::origin.
    std::vector<std::size_t> parents; ///< Numbers in the archive.
    std::vector<EditStep> steps;
};

/// Statistics on the proposals of one source or with one kind of edit.
struct ProposalCounts
{
    std::string name;
    double share = 0; ///< Its share of the proposals at the end of the search.
    std::int64_t tried = 0, fresh = 0, correct = 0, improved = 0;
    double gain = 1; ///< Product of the gains (SearchedProgram::gain) of its programs.

    /// Counts a judged program. If several kinds of edits contributed to it, `share` is the part of its gain
    /// that this kind receives.
    void count(const SearchedProgram& program, double share = 1)
    {
        gain *= std::pow(program.gain, share);
        ++tried;
        fresh += program.fresh ? 1 : 0;
        correct += program.fresh && program.correct() ? 1 : 0;
        improved += program.improved ? 1 : 0;
    }
};

/// A source of programs. Its proposals depend only on the archive, on the generator passed to propose() and
/// on what it has learned, so a search with the same seed makes the same proposals.
class Proposer
{
public:
    virtual ~Proposer() = default;
    virtual std::string_view name() const = 0;
    /// Returns the next proposal, or nullopt if there is none at the moment.
    virtual std::optional<Proposal> propose(const Archive& archive, Rng& rng) = 0;
    /// Receives the result of one of its proposals and a `reward` in [0, 1].
    virtual void learn(const SearchedProgram& /*program*/, double /*reward*/) {}
    /// Returns true if it will never make another proposal.
    virtual bool exhausted() const { return false; }
    /// Returns its position if it enumerates programs, otherwise 0. To resume a search, goOnAt() restores the
    /// position, and calls of learn() restore what it has learned.
    virtual std::size_t position() const { return 0; }
    virtual void goOnAt(std::size_t /*position*/) {}
    /// Returns statistics on its parts, such as kinds of edits, for tables.
    virtual std::vector<ProposalCounts> parts() const { return {}; }
};

} // namespace sparserl
