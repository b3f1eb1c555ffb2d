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

/// A program to be judged, and where it comes from.
struct Proposal
{
    std::string text;
    std::string origin;               ///< As of SearchedProgram.
    std::vector<std::size_t> parents; ///< Numbers in the archive.
    std::vector<EditStep> steps;
};

/// What a part of a search did: of a source, or of a kind of edit.
struct ProposalCounts
{
    std::string name;
    double share = 0; ///< At the end.
    std::int64_t tried = 0, fresh = 0, correct = 0, improved = 0;
    double gain = 1; ///< Product over its records: how much faster they made the record.

    /// `share`: of its gain, where others had a part in the program.
    void count(const SearchedProgram& program, double share = 1)
    {
        gain *= std::pow(program.gain, share);
        ++tried;
        fresh += program.fresh ? 1 : 0;
        correct += program.fresh && program.correct() ? 1 : 0;
        improved += program.improved ? 1 : 0;
    }
};

/// A source of programs. Draws from the generator that it is given and decides by the archive alone, so that
/// the same search proposes the same again.
class Proposer
{
public:
    virtual ~Proposer() = default;
    virtual std::string_view name() const = 0;
    /// Nothing: it has no more to propose for now.
    virtual std::optional<Proposal> propose(const Archive& archive, Rng& rng) = 0;
    /// What became of one of its proposals: `reward` in [0, 1] is what it paid.
    virtual void learn(const SearchedProgram& /*program*/, double /*reward*/) {}
    /// True: it will never propose again.
    virtual bool exhausted() const { return false; }
    /// How far it has come in what it goes through, where it goes through anything; goOnAt() puts another one
    /// there. What it learned comes back by learn().
    virtual std::size_t position() const { return 0; }
    virtual void goOnAt(std::size_t /*position*/) {}
    /// Its parts, for tables.
    virtual std::vector<ProposalCounts> parts() const { return {}; }
};

} // namespace sparserl
