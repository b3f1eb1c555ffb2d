// SPDX-License-Identifier: Apache-2.0
#include "training/data/search_journal.h"

#include "base/hash.h"
#include "project/run/journal.h"
#include "search/lineage.h"
#include "target/target_text.h"
#include "verdict/names.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace sparserl {

namespace {

/// "S2" of the niche "S2, csr16"; empty where no family was recognised.
std::string familyOf(const SearchedProgram& program)
{
    const std::string family = program.niche.substr(0, program.niche.find(','));
    return family == "other" ? std::string() : family;
}

} // namespace

SampleEvent sampleOf(const SearchedProgram& program, const VerdictRecord& record, const StageTarget& target,
                     const Archive& archive)
{
    SampleEvent sample;
    sample.programHash = record.programHash;
    sample.target = target.target.id;
    sample.origin = sample_origin::search;
    sample.split = split::of(target.heldOut);
    sample.family = familyOf(program);
    sample.reward = std::numeric_limits<double>::quiet_NaN();
    ProposalOrigin origin;
    origin.number = static_cast<std::int64_t>(program.number);
    origin.source = program.source;
    origin.corpus = program.origin;
    for (const std::size_t parent : program.parents) {
        if (const SearchedProgram* one = archive.find(parent))
            origin.parents.push_back(sha256Hex(one->text));
    }
    for (const EditStep& step : program.steps)
        origin.edits.push_back({step.kind, step.words});
    origin.seconds = program.seconds;
    origin.niche = program.niche;
    origin.fresh = program.fresh;
    origin.record = program.improved;
    sample.proposal = std::move(origin);
    return sample;
}

Result<std::vector<KeptProgram>> searchedPrograms(const std::filesystem::path& run, const std::string& target)
{
    std::unordered_map<std::string, std::string> texts; // by hash
    std::unordered_map<std::string, ProposalOrigin> origins;
    std::unordered_map<std::string, VerdictRecord> records;
    const auto visit = [&](JournalEntry&& entry) {
        if (auto* program = std::get_if<ProgramEvent>(&entry.event)) {
            // What its name does not fit is damaged.
            if (sha256Hex(program->text) == program->hash)
                texts.emplace(program->hash, std::move(program->text));
        } else if (auto* sample = std::get_if<SampleEvent>(&entry.event)) {
            if (sample->proposal && sample->target.key() == target)
                origins.emplace(sample->programHash, std::move(*sample->proposal));
        } else if (auto* verdict = std::get_if<VerdictEvent>(&entry.event)) {
            if (verdict->record.target.key() == target)
                records.emplace(verdict->record.programHash, std::move(verdict->record));
        }
    };
    const auto restart = [&] {
        texts.clear();
        origins.clear();
        records.clear();
    };
    SPARSERL_CHECK(visitJournal(run, visit, restart));
    std::vector<KeptProgram> kept;
    std::set<std::int64_t> numbers; // two lines cannot both be of one program
    for (auto& [hash, origin] : origins) {
        const auto text = texts.find(hash);
        const auto record = records.find(hash);
        if (text == texts.end() || record == records.end() || origin.number < 0 ||
            !numbers.insert(origin.number).second)
            continue;
        KeptProgram one;
        one.number = static_cast<std::size_t>(origin.number);
        one.source = std::move(origin.source);
        one.proposal.text = text->second;
        one.proposal.origin = std::move(origin.corpus);
        for (const std::string& parent : origin.parents) {
            if (const auto found = origins.find(parent); found != origins.end() && found->second.number >= 0)
                one.proposal.parents.push_back(static_cast<std::size_t>(found->second.number));
        }
        for (ProposalEdit& edit : origin.edits)
            one.proposal.steps.push_back({std::move(edit.kind), std::move(edit.words)});
        one.seconds = origin.seconds;
        one.record = std::move(record->second);
        kept.push_back(std::move(one));
    }
    std::sort(kept.begin(), kept.end(),
              [](const KeptProgram& a, const KeptProgram& b) { return a.number < b.number; });
    return kept;
}

EvaluationEvent evaluationOf(const Archive& archive, const Ranking& ranking, const StageTarget& target)
{
    EvaluationEvent event;
    event.policy = "search";
    event.target = target.target.id;
    event.split = split::of(target.heldOut);
    event.nnz = target.target.matrix->nnz();
    for (const SearchedProgram& one : archive.all()) {
        ++event.samples;
        event.compiled += isCompiled(one.verdict) ? 1 : 0;
        event.correct += one.correct() ? 1 : 0;
        event.faster += one.correct() && one.speedup > 1 ? 1 : 0;
        if (one.correct())
            ++event.familyCounts[familyOf(one).empty() ? "other" : familyOf(one)];
    }
    for (const auto& [family, count] : event.familyCounts)
        event.families.push_back(family);
    event.bestMicroseconds = ranking.recordMicroseconds;
    event.baselineMicroseconds = ranking.baselineMicroseconds;
    if (const auto record = ranking.verdicts.find(ranking.record); record != ranking.verdicts.end()) {
        event.bestProgram = record->second.programHash;
        for (const auto& [name, time] :
             {std::pair(reference::defaultRoutine, record->second.defaultRoutineMicroseconds),
              std::pair(reference::bestRoutine, record->second.bestRoutineMicroseconds)}) {
            if (time > 0)
                event.references[name] = time;
        }
    }
    if (const SearchedProgram* bench = archive.find(ranking.bench)) {
        event.bestFamily = familyOf(*bench);
        event.references[reference::bestOfCorpus] = ranking.benchMicroseconds;
    }
    return event;
}

std::string rankingText(const Archive& archive, const Ranking& ranking, const TargetId& target)
{
    std::string text =
        fmt::format("{}: {:.2f} us, {:.3f}x over {} ({:.2f} us), {:.0f} % of the limit. ", labelOf(target),
                    ranking.recordMicroseconds, ranking.recordSpeedup, ranking.baseline,
                    ranking.baselineMicroseconds, 100 * ranking.shareOfLimit);
    if (ranking.record == ranking.bench)
        text += "Nothing better than bench's best was found.";
    else
        text += fmt::format("Gain over bench's best ({:.2f} us): {:.3f}x, in single rounds {:.3f} to {:.3f}.",
                            ranking.benchMicroseconds, ranking.gain, ranking.leastGain, ranking.mostGain);
    const SearchedProgram* record = archive.find(ranking.record);
    if (!record)
        return text;
    text += fmt::format(" The record is the program {}", sha256Hex(record->text));
    std::string way;
    for (const LineageStep& step : lineageOf(archive, *record))
        way += (way.empty() ? "" : " -> ") + step.words;
    return text + (way.empty() ? "." : ": " + way + ".");
}

} // namespace sparserl
