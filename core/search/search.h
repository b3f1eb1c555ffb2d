// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "evaluation/judge.h"
#include "machine/device_model.h"
#include "matrix/features.h"
#include "search/archive.h"
#include "search/bandit.h"
#include "search/funnel.h"
#include "search/proposer.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sparserl {

/// Options for searching one matrix. Every option has a usable default.
struct SearchOptions
{
    double seconds = 60; ///< Budget without the final ranking; used if candidates is 0.
    std::size_t candidates =
        0; ///< Number of programs to judge instead of seconds: then equal seeds give equal searches.
    /// Programs proposed before any of their verdicts count. A larger number keeps more runners busy; a
    /// smaller one learns sooner.
    std::size_t generation = 24;
    std::size_t benchPrograms = 32;    ///< Number of bench's candidates, judged first.
    std::vector<std::string> families; ///< Ids of the kernel families that these are from; empty: all.
    std::uint64_t seed = 1;
    DeviceModel model = defaultDeviceModel(); ///< Device for estimates.
    /// Initial shares of proposers by name. Unnamed ones share the rest, or 0.3 if there is none; the named
    /// shares then shrink proportionally.
    std::map<std::string, double> firstShares{{"grid", 0.3}, {"edits", 0.7}};
    CancelToken cancel;
    std::function<void(double fraction, const std::string& phase)> progress; ///< Called at each verdict.
    /// Called before the first program is judged if bench's programs use up `candidates`: a sentence, without
    /// its full stop, that names the sources that are left out.
    std::function<void(const std::string& sentence)> warned;
    /// Called in the order of proposals; the record comes from the judge.
    std::function<void(const SearchedProgram& program, const VerdictRecord& record)> judged;
};

/// The result of searching one matrix.
struct SearchResult
{
    Archive archive;
    FunnelCounts funnel;
    std::vector<ProposalCounts> sources; ///< Proposers, `bench` first.
    std::vector<ProposalCounts> edits;   ///< Kinds of edits.
    double seconds = 0;
    bool interrupted = false; ///< The search was cancelled; contains the results so far.
};

/// Contributions to the records by the speed-up of each: "grid +3.1 %, edits +2.4 % (block +1.4 %, load +1.0
/// %)"; empty if there are none.
std::string gainsText(const SearchResult& result);

/// The proposers of a search. A stage or a test may use others than makeProposers().
using Proposers = std::vector<std::unique_ptr<Proposer>>;

/// The sources of a search without a policy: `grid` and `edits`. `families`: ids of those in the grid; empty:
/// all.
Proposers makeProposers(const MatrixFeatures& features, const TargetVariant& variant,
                        const DeviceModel& model, const std::vector<std::string>& families = {});

/// The state of a search in addition to its judged programs. With both, it resumes as if uninterrupted.
struct SearchState
{
    std::string rng;                                      ///< Rng::save()
    std::int64_t generations = 0;                         ///< Including bench's.
    double seconds = 0;                                   ///< Spent on proposals and verdicts.
    std::int64_t proposed = 0, repeated = 0, refused = 0; ///< FunnelCounts of programs never judged.
    std::map<std::string, std::int64_t> positions;        ///< Positions of proposers, by name.
    /// What is known of the sources (bandit.h), by name, including tries whose proposals were not judged.
    /// Searches of earlier versions have none: their tries are the judged programs.
    std::map<std::string, Bandit::Sums> tries;
};

/// A previously judged program of a saved search.
struct KeptProgram
{
    std::size_t number = 0;
    std::string source;
    Proposal proposal;
    double seconds = 0;
    VerdictRecord record;
};

/// A search of one target in generations: first bench's candidates, then proposals with adaptive shares. It
/// can be saved after each generation and resumed, even in another process. The judge decides on each program
/// and must outlive the search.
class TargetSearch
{
public:
    /// `features` are those of the target, with its columns.
    TargetSearch(Judge& judge, Target target, const MatrixFeatures& features, Proposers proposers,
                 SearchOptions options);
    TargetSearch(TargetSearch&&) noexcept;
    TargetSearch& operator=(TargetSearch&&) noexcept;
    ~TargetSearch();

    /// Restores a saved search from its state and its programs in the order of their numbers. A missing
    /// program is only lost. Call it first. Fails for an invalid state.
    Status goOn(const SearchState& state, std::vector<KeptProgram> programs);
    SearchState state() const;

    /// Whether the search is finished: the budget is used up, or no source has more proposals.
    bool isOver() const;
    /// Runs one generation. If time is over or the user cancels, the programs judged so far count. An Error
    /// is a failure of the judge's machinery.
    Status advance();
    /// Changes the budgets from the next generation on, as in SearchOptions.
    void setBudget(double seconds, std::size_t candidates);

    const Archive& archive() const;
    double seconds() const; ///< Spent so far.
    /// Shares of the next programs by proposer name.
    std::map<std::string, double> shares() const;
    double benchBest() const;    ///< Microseconds of the fastest bench program; 0 if none is correct.
    SearchResult result() const; ///< The result so far.

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// Searches for fast programs on one target until its budget is used up (TargetSearch).
Result<SearchResult> searchTarget(Judge& judge, const Target& target, const MatrixFeatures& features,
                                  Proposers proposers, const SearchOptions& options);

} // namespace sparserl
