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
    std::string origin;               ///< See SearchedProgram.
    std::vector<std::size_t> parents; ///< Numbers in the archive.
    std::vector<EditStep> steps;
};

/// Statistics for a source or a kind of edit.
struct ProposalCounts
{
    std::string name;
    double share = 0; ///< Final share.
    std::int64_t tried = 0, fresh = 0, correct = 0, improved = 0;
    double gain = 1; ///< Product of the speed-ups of its records.

    /// `share`: its part of the gain, if several sources contributed to the program.
    void count(const SearchedProgram& program, double share = 1)
    {
        gain *= std::pow(program.gain, share);
        ++tried;
        fresh += program.fresh ? 1 : 0;
        correct += program.fresh && program.correct() ? 1 : 0;
        improved += program.improved ? 1 : 0;
    }
};

/// A source of programs. It draws only from the given generator and depends only on the archive, so an equal
/// search repeats the same proposals.
class Proposer
{
public:
    virtual ~Proposer() = default;
    virtual std::string_view name() const = 0;
    /// nullopt if it currently has no proposal.
    virtual std::optional<Proposal> propose(const Archive& archive, Rng& rng) = 0;
    /// Reports the result of one of its proposals, with a `reward` in [0, 1].
    virtual void learn(const SearchedProgram& /*program*/, double /*reward*/) {}
    /// True if it will never propose again.
    virtual bool exhausted() const { return false; }
    /// Its position in an enumeration, if it has one; goOnAt() restores it. Learned state is restored by
    /// calls to learn().
    virtual std::size_t position() const { return 0; }
    virtual void goOnAt(std::size_t /*position*/) {}
    /// Its parts, for tables.
    virtual std::vector<ProposalCounts> parts() const { return {}; }
};

} // namespace sparserl
