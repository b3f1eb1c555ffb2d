// SPDX-License-Identifier: Apache-2.0
#include "project/queries/sft_choice.h"

#include "base/interruption.h"
#include "project/files/sft_set.h"
#include "verdict/names.h"

#include <algorithm>
#include <map>
#include <set>

namespace sparserl {

bool mayJoinSftSet(const CandidateRow& row)
{
    return row.verdict == Verdict::Correct && row.split != split::heldOut;
}

Result<std::vector<CandidateRow>> fastestForSft(ProjectReader& reader, const CandidateFilter& filter,
                                                std::size_t best, double within, const CancelToken& cancel)
{
    auto asked = filter;
    asked.verdicts = {std::string(nameOf(Verdict::Correct))};
    SPARSERL_TRY(const auto order, reader.candidateOrder(asked, CandidateSort::Speedup, true, cancel));
    struct Chosen
    {
        double speedup = 0; ///< Of the fastest.
        std::set<std::string> programs;
    };
    std::map<std::string, Chosen> targets;
    std::vector<CandidateRow> rows;
    constexpr std::size_t page = 512;
    for (std::size_t begin = 0; begin < order.size(); begin += page) {
        if (cancel.cancelled())
            return fail(interruption());
        const auto end = std::min(order.size(), begin + page);
        SPARSERL_TRY(auto found, reader.candidateRows({order.begin() + static_cast<std::ptrdiff_t>(begin),
                                                       order.begin() + static_cast<std::ptrdiff_t>(end)}));
        for (CandidateRow& row : found) {
            if (!mayJoinSftSet(row))
                continue;
            Chosen& chosen = targets[row.target.key()];
            if (chosen.programs.empty())
                chosen.speedup = row.speedup;
            if (chosen.programs.size() >= best || row.speedup * within < chosen.speedup ||
                !chosen.programs.insert(row.programHash).second)
                continue;
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

Result<std::size_t> addToSftSet(const std::filesystem::path& project, ProjectReader& reader,
                                const std::vector<CandidateRow>& rows)
{
    SPARSERL_TRY(const auto set, readSftSet(project));
    std::set<std::pair<std::string, std::string>> there;
    for (const ChosenProgram& program : set)
        for (const std::string& target : program.targets)
            there.emplace(program.hash, target);
    std::size_t added = 0;
    for (const CandidateRow& row : rows) {
        if (!mayJoinSftSet(row) || !there.emplace(row.programHash, row.target.key()).second)
            continue;
        // The text first: an annotation without one chooses what nobody has.
        SPARSERL_TRY(const auto text, reader.programText(row.programHash));
        SPARSERL_CHECK(keepForSft(project, row.programHash, text));
        SPARSERL_CHECK(addAnnotation(project, {.target = Annotation::Target::Program,
                                               .key = row.programHash,
                                               .field = Annotation::Field::Sft,
                                               .value = row.target.key()}));
        ++added;
    }
    return added;
}

} // namespace sparserl
