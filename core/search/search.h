// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "evaluation/judge.h"
#include "machine/device_model.h"
#include "matrix/features.h"
#include "search/archive.h"
#include "search/funnel.h"
#include "search/proposer.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sparserl {

/// How one matrix is searched. Everything has a usable default.
struct SearchOptions
{
    double seconds = 60; ///< Of the search without its final ranking; counts where candidates is 0.
    std::size_t candidates =
        0; ///< Programs to judge in place of seconds: then equal seeds give equal searches.
    /// Programs that are proposed before the verdicts on any of them count. More keep more runners busy,
    /// fewer learn sooner.
    std::size_t generation = 24;
    std::size_t benchPrograms = 32; ///< What `bench` would try comes first.
    std::uint64_t seed = 1;
    DeviceModel model = defaultDeviceModel(); ///< What estimates are for.
    /// Of proposers by name. Those not named share the rest, or 0.3 where there is none: then the shares of
    /// the named shrink alike.
    std::map<std::string, double> firstShares{{"grid", 0.3}, {"edits", 0.7}};
    CancelToken cancel;
    std::function<void(double fraction, const std::string& phase)> progress; ///< At each verdict.
    /// In the order of proposals; the record is the judge's.
    std::function<void(const SearchedProgram& program, const VerdictRecord& record)> judged;
};

/// A search of one matrix.
struct SearchResult
{
    Archive archive;
    FunnelCounts funnel;
    std::vector<ProposalCounts> sources; ///< Proposers, `bench` first.
    std::vector<ProposalCounts> edits;   ///< Kinds of edits.
    double seconds = 0;
    bool interrupted = false; ///< The token ended it; what was found until then is here.
};

/// What found the records, by what each made the record faster: "grid +3.1 %, edits +2.4 % (block +1.4 %,
/// load +1.0 %)"; empty where nothing did.
std::string gainsText(const SearchResult& result);

/// Proposers by name; a stage or a test may bring others than makeProposers().
using Proposers = std::vector<std::unique_ptr<Proposer>>;

/// The sources of a search without a policy: `grid` and `edits`.
Proposers makeProposers(const MatrixFeatures& features, const TargetVariant& variant,
                        const DeviceModel& model);

/// What a search of one matrix is besides the programs that it has judged: with both it goes on as if it had
/// never been left.
struct SearchState
{
    std::string rng;                                      ///< Rng::save()
    std::int64_t generations = 0;                         ///< bench's included.
    double seconds = 0;                                   ///< Spent on proposals and verdicts.
    std::int64_t proposed = 0, repeated = 0, refused = 0; ///< FunnelCounts of what was never judged.
    std::map<std::string, std::int64_t> positions;        ///< Of proposers, by name.
};

/// A program that was judged before, as a kept search has it.
struct KeptProgram
{
    std::size_t number = 0;
    std::string source;
    Proposal proposal;
    double seconds = 0;
    VerdictRecord record;
};

/// A search of one target, generation by generation: those that bench would try, then proposals whose shares
/// adapt to what pays. It can be left after each generation and gone on with, in another process too. The
/// judge decides on each program and outlives it.
class TargetSearch
{
public:
    /// `features` are the target's, with its columns.
    TargetSearch(Judge& judge, Target target, const MatrixFeatures& features, Proposers proposers,
                 SearchOptions options);
    TargetSearch(TargetSearch&&) noexcept;
    TargetSearch& operator=(TargetSearch&&) noexcept;
    ~TargetSearch();

    /// Of one that was left: its state and its programs in the order of their numbers. One that is missing is
    /// missed, no more. Call it first. An Error: the state is none.
    Status goOn(const SearchState& state, std::vector<KeptProgram> programs);
    SearchState state() const;

    /// Nothing is left to do: the budget is used, or no source has more to propose.
    bool isOver() const;
    /// One generation. Where time is over or the user wants to end, the programs that were judged by then
    /// count. An Error is the judge's machinery's.
    Status advance();
    /// Other budgets from the next generation on, as of SearchOptions.
    void setBudget(double seconds, std::size_t candidates);

    const Archive& archive() const;
    double seconds() const; ///< Spent so far.
    /// Shares of the next programs by the names of the proposers.
    std::map<std::string, double> shares() const;
    double benchBest() const;    ///< Microseconds of the fastest of bench's programs; 0: none is correct.
    SearchResult result() const; ///< What there is by now.

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// Searches for fast programs on one target until its budget is used (TargetSearch).
Result<SearchResult> searchTarget(Judge& judge, const Target& target, const MatrixFeatures& features,
                                  Proposers proposers, const SearchOptions& options);

} // namespace sparserl
