// SPDX-License-Identifier: Apache-2.0
#include "project/queries/search_tree.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace sparserl {

namespace {

bool isTimed(const LineageRow& row)
{
    return row.candidate.verdict == Verdict::Correct && row.candidate.microseconds > 0;
}

/// Curve and gains, from all programs.
void sumUp(const std::vector<LineageRow>& programs, SearchTree& tree)
{
    double best = 0;
    for (const LineageRow& row : programs) {
        if (!isTimed(row) || (best > 0 && row.candidate.microseconds >= best))
            continue;
        if (best > 0 && !row.proposal.edits.empty()) {
            const double share = 1 / static_cast<double>(row.proposal.edits.size());
            for (const ProposalEdit& edit : row.proposal.edits) {
                const std::string& kind = edit.kind.empty() ? row.proposal.source : edit.kind;
                double& gain = tree.gain.try_emplace(kind, 1.0).first->second;
                gain *= std::pow(best / row.candidate.microseconds, share);
            }
        } else if (best > 0) {
            double& gain = tree.gain.try_emplace(row.proposal.source, 1.0).first->second;
            gain *= best / row.candidate.microseconds;
        }
        best = row.candidate.microseconds;
        tree.curve.emplace_back(row.proposal.seconds, best);
    }
}

} // namespace

SearchTree searchTreeOf(std::vector<LineageRow> programs, const std::string& record, const std::string& shown)
{
    std::stable_sort(programs.begin(), programs.end(), [](const LineageRow& a, const LineageRow& b) {
        return a.proposal.number < b.proposal.number;
    });
    SearchTree tree;
    sumUp(programs, tree);
    std::unordered_map<std::string, std::size_t> byHash;
    for (std::size_t i = 0; i < programs.size(); ++i)
        byHash.emplace(programs[i].candidate.programHash, i);
    constexpr std::size_t none = SIZE_MAX;
    std::size_t best = none;
    if (const auto found = byHash.find(record); found != byHash.end()) {
        best = found->second;
    } else {
        for (std::size_t i = 0; i < programs.size(); ++i) {
            if (isTimed(programs[i]) &&
                (best == none || programs[i].candidate.microseconds < programs[best].candidate.microseconds))
                best = i;
        }
    }
    // A parent was proposed before its child; a journal that says otherwise has lost it.
    std::vector<std::size_t> parents(programs.size(), none);
    for (std::size_t i = 0; i < programs.size(); ++i) {
        if (programs[i].proposal.parents.empty())
            continue;
        const auto found = byHash.find(programs[i].proposal.parents.front());
        if (found != byHash.end() && found->second < i)
            parents[i] = found->second;
    }
    std::vector<bool> kept(programs.size()), onWay(programs.size());
    for (std::size_t i = best; i != none; i = parents[i])
        onWay[i] = true;
    for (std::size_t i = 0; i < programs.size(); ++i) {
        if (!programs[i].proposal.record && !onWay[i] && programs[i].candidate.programHash != shown)
            continue;
        for (std::size_t at = i; at != none && !kept[at]; at = parents[at])
            kept[at] = true;
    }
    std::vector<std::ptrdiff_t> places(programs.size(), -1);
    for (std::size_t i = 0; i < programs.size(); ++i) {
        if (!kept[i])
            continue;
        SearchTree::Node node;
        node.parent = parents[i] == none ? -1 : places[parents[i]];
        node.onWay = onWay[i];
        node.program = std::move(programs[i]);
        if (node.parent >= 0) {
            const LineageRow& parent = tree.nodes[static_cast<std::size_t>(node.parent)].program;
            if (isTimed(parent) && isTimed(node.program))
                node.gain = parent.candidate.microseconds / node.program.candidate.microseconds;
        }
        places[i] = static_cast<std::ptrdiff_t>(tree.nodes.size());
        tree.nodes.push_back(std::move(node));
    }
    tree.record = best == none ? -1 : places[best];
    return tree;
}

Result<SearchTree> searchTree(ProjectReader& reader, const CandidateRow& shown)
{
    SPARSERL_TRY(auto programs, reader.searchPrograms(shown.id));
    if (programs.empty())
        return SearchTree();
    std::string record;
    SPARSERL_TRY(const auto evaluations, reader.evaluations(shown.id.run));
    for (const EvaluationRow& row : evaluations) {
        if (row.event.target.key() == shown.target.key())
            record = row.event.bestProgram;
    }
    return searchTreeOf(std::move(programs), record, shown.programHash);
}

} // namespace sparserl
