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

/// Options of a search on one matrix. Every option has a usable default.
struct SearchOptions
{
    double seconds = 60; ///< Time budget, without the final ranking. Used if `candidates` is 0.
    std::size_t candidates =
        0; ///< Number of programs to judge, instead of a time budget. Equal seeds then give equal searches.
    /// Number of programs that are proposed together, before the search learns from any of their verdicts. A
    /// larger number keeps more runners busy; with a smaller number, the search learns sooner.
    std::size_t generation = 24;
    std::size_t benchPrograms = 32; ///< Number of bench's candidates, which are judged first.
    /// Ids of the kernel families that bench's candidates are from; empty: all.
    std::vector<std::string> families;
    std::uint64_t seed = 1;
    DeviceModel model = defaultDeviceModel(); ///< The device for which times are estimated.
    /// Initial shares of proposers by name. Proposers without an entry divide the remainder among themselves.
    /// If there is no remainder, they divide 0.3, and the other shares shrink in proportion.
    std::map<std::string, double> firstShares{{"grid", 0.3}, {"edits", 0.7}};
    CancelToken cancel;
    std::function<void(double fraction, const std::string& phase)> progress; ///< Called at each verdict.
    /// Called before the first program is judged if bench's programs use up `candidates`. The sentence names
    /// the sources that will not be used, and has no full stop.
    std::function<void(const std::string& sentence)> warned;
    /// Called for each judged program, in the order of proposals.
    std::function<void(const SearchedProgram& program, const VerdictRecord& record)> judged;
};

/// The result of a search on one matrix.
struct SearchResult
{
    Archive archive;
    FunnelCounts funnel;
    std::vector<ProposalCounts> sources; ///< Statistics on the proposers, `bench` first.
    std::vector<ProposalCounts> edits;   ///< Statistics on the kinds of edits.
    double seconds = 0;
    bool interrupted = false; ///< The search was cancelled, so these are the results until then.
};

/// Returns how much each source and each kind of edit has contributed to the records, as "grid +3.1 %, edits
/// +2.4 % (block +1.4 %, load +1.0 %)". Returns an empty string if there are no contributions.
std::string gainsText(const SearchResult& result);

/// The proposers of a search. A stage or a test may use proposers that makeProposers() does not create.
using Proposers = std::vector<std::unique_ptr<Proposer>>;

/// Creates the proposers of a search without a policy: `grid` and `edits`. `families` holds the ids of the
/// families in the grid; if it is empty, all families are used.
Proposers makeProposers(const MatrixFeatures& features, const TargetVariant& variant,
                        const DeviceModel& model, const std::vector<std::string>& families = {});

/// The state of a search except its judged programs. From both, a search resumes as if it had not been
/// interrupted.
struct SearchState
{
    std::string rng;              ///< The result of Rng::save().
    std::int64_t generations = 0; ///< Number of generations, including the one of bench's programs.
    double seconds = 0;           ///< Time spent on proposals and verdicts.
    /// The members of FunnelCounts that do not follow from judged programs.
    std::int64_t proposed = 0, repeated = 0, refused = 0;
    std::map<std::string, std::int64_t> positions; ///< Positions of proposers, by name.
    /// The bandit's sums for each source, by name. They include tries whose proposals were not judged. Empty
    /// in searches of earlier versions; the judged programs then count as the tries.
    std::map<std::string, Bandit::Sums> tries;
};

/// A judged program of a saved search.
struct KeptProgram
{
    std::size_t number = 0;
    std::string source;
    Proposal proposal;
    double seconds = 0;
    VerdictRecord record;
};

/// A search on one target that proceeds in generations. The first consists of bench's candidates, the others
/// of proposals from sources with adaptive shares. A search can be saved after each generation and resumed,
/// even in another process. The judge must outlive the search.
class TargetSearch
{
public:
    /// `features` must be those of the target's matrix, with the target's number of columns.
    TargetSearch(Judge& judge, Target target, const MatrixFeatures& features, Proposers proposers,
                 SearchOptions options);
    TargetSearch(TargetSearch&&) noexcept;
    TargetSearch& operator=(TargetSearch&&) noexcept;
    ~TargetSearch();

    /// Restores a saved search from its state and its programs, in the order of their numbers. Must be called
    /// before any other function. A search can be restored even if programs are missing. Fails if the state
    /// is invalid.
    Status goOn(const SearchState& state, std::vector<KeptProgram> programs);
    SearchState state() const;

    /// Returns whether the search is finished because the budget is used up or no source has further
    /// proposals.
    bool isOver() const;
    /// Runs one generation. If the time is used up or the user cancels, it ends early and keeps the programs
    /// that have been judged. Fails only if the judge itself fails.
    Status advance();
    /// Changes the budgets (SearchOptions) from the next generation on.
    void setBudget(double seconds, std::size_t candidates);

    const Archive& archive() const;
    double seconds() const; ///< Time spent so far.
    /// Returns the current shares of the proposers, by name.
    std::map<std::string, double> shares() const;
    double benchBest() const;    ///< Microseconds of the fastest bench program; 0 if none is correct.
    SearchResult result() const; ///< Returns the result so far.

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// Runs a TargetSearch until it is finished, and returns its result.
Result<SearchResult> searchTarget(Judge& judge, const Target& target, const MatrixFeatures& features,
                                  Proposers proposers, const SearchOptions& options);

} // namespace sparserl
