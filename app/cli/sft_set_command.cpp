// SPDX-License-Identifier: Apache-2.0
#include "app/cli/sft_set_command.h"
#include "app/cli/name_list.h"

#include "app/cli/open_index.h"
#include "app/cli/usage.h"
#include "base/format.h"
#include "base/printable.h"
#include "base/trust.h"
#include "project/files/annotations.h"
#include "project/files/sft_set.h"
#include "project/queries/sft_choice.h"
#include "target/target_id.h"
#include "verdict/names.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

constexpr std::size_t shownHash = 12;

/// Whether a word has enough digits to name a program by the beginning of its hash.
bool mayName(const std::string& word)
{
    constexpr std::size_t fewestDigits = 6;
    return word.size() >= fewestDigits;
}

/// Whether the word is the program's hash, or enough digits of its beginning.
bool isNamedBy(const std::string& hash, const std::string& word)
{
    return mayName(word) && hash.starts_with(word);
}

/// The filter that the options' matrices make.
Result<CandidateFilter> filterOf(const Project& project, const std::vector<std::string>& matrices)
{
    CandidateFilter filter;
    filter.includeArchived = true;
    std::vector<std::string> names;
    for (const MatrixEntry& entry : project.matrices())
        names.push_back(entry.name);
    std::vector<Error> wrong;
    const auto isMatrix = [&](const std::string& name) { return project.matrix(name) != nullptr; };
    for (const std::string& name : splitNames(matrices, isMatrix)) {
        const MatrixEntry* entry = project.matrix(name);
        if (entry == nullptr)
            wrong.push_back({fmt::format("the project has no matrix \"{}\"", name),
                             (project.path() / "project.toml").string(), 0,
                             nearRemedy(name, names, "`sparserl project matrices` lists them")});
        else if (entry->split == split::heldOut)
            wrong.push_back({fmt::format("the matrix \"{}\" is held out, and is never trained on", name),
                             {},
                             0,
                             "Name another, or change its split with `sparserl project matrices --train`"});
        else
            filter.matrices.push_back(entry->digest);
    }
    if (!wrong.empty())
        return fail(allOf(wrong));
    return filter;
}

/// The fastest programs of the runs that are named.
Result<std::vector<CandidateRow>> rowsOfRuns(const Context& context, ProjectReader& reader,
                                             CandidateFilter filter, const SftSetOptions& options)
{
    SPARSERL_TRY(const auto runs, reader.runs());
    std::vector<std::string> names;
    names.reserve(runs.size());
    for (const RunSummary& run : runs)
        names.push_back(run.name);
    std::vector<CandidateRow> rows;
    std::vector<Error> wrong;
    std::vector<const RunSummary*> asked;
    for (const std::string& name : options.from) {
        const auto run =
            std::find_if(runs.begin(), runs.end(), [&](const auto& one) { return one.name == name; });
        if (run == runs.end())
            wrong.push_back({fmt::format("the project has no run \"{}\"", name),
                             {},
                             0,
                             nearRemedy(name, names, "`sparserl runs` lists them")});
        else
            asked.push_back(&*run);
    }
    if (!wrong.empty())
        return fail(allOf(wrong));
    for (const RunSummary* run : asked) {
        filter.runs = {run->id};
        SPARSERL_TRY(auto fastest, fastestForSft(reader, filter, static_cast<std::size_t>(options.best),
                                                 options.within, context.cancel));
        if (fastest.empty())
            context.print(
                fmt::format("warning: {} has no correct program for a matrix that is trained on", run->name));
        std::move(fastest.begin(), fastest.end(), std::back_inserter(rows));
    }
    return rows;
}

/// The programs that are named by their hashes, for each target on which they are correct.
Result<std::vector<CandidateRow>> rowsOfPrograms(const Context& context, ProjectReader& reader,
                                                 CandidateFilter filter,
                                                 const std::vector<std::string>& programs)
{
    filter.verdicts = {std::string(nameOf(Verdict::Correct))};
    std::vector<CandidateRow> rows;
    for (const std::string& program : programs) {
        std::vector<CandidateRow> named;
        if (mayName(program)) {
            filter.programHash = program;
            SPARSERL_TRY(const auto order,
                         reader.candidateOrder(filter, CandidateSort::Time, false, context.cancel));
            SPARSERL_TRY(named, reader.candidateRows(order));
            std::erase_if(named, [](const CandidateRow& row) { return !mayJoinSftSet(row); });
        }
        if (named.empty())
            return fail(fmt::format("no program \"{}\" is correct on a matrix that is trained on", program),
                        "Give six or more digits of the hash that the Kernels page or the journal shows");
        if (std::ranges::any_of(
                named, [&](const CandidateRow& row) { return row.programHash != named.front().programHash; }))
            return fail(fmt::format("more than one program begins with \"{}\"", program),
                        "Give more digits of its hash");
        std::move(named.begin(), named.end(), std::back_inserter(rows));
    }
    return rows;
}

/// Takes programs out for all their targets. Gives how many.
Result<std::size_t> takeOut(const Project& project, const SftSetOptions& options)
{
    SPARSERL_TRY(const auto set, readSftSet(project.path()));
    std::vector<const ChosenProgram*> out;
    for (const ChosenProgram& program : set)
        if (options.clear || std::ranges::any_of(options.remove, [&](const std::string& word) {
                return isNamedBy(program.hash, word);
            }))
            out.push_back(&program);
    for (const std::string& word : options.remove)
        if (std::ranges::none_of(set,
                                 [&](const ChosenProgram& program) { return isNamedBy(program.hash, word); }))
            return fail(fmt::format("the SFT set has no program \"{}\"", word),
                        "`sparserl project sft-set` lists it; give six or more digits");
    for (const ChosenProgram* program : out)
        for (const std::string& target : program->targets)
            SPARSERL_CHECK(addAnnotation(project.path(), {.target = Annotation::Target::Program,
                                                          .key = program->hash,
                                                          .field = Annotation::Field::Sft,
                                                          .value = "-" + target}));
    return out.size();
}

int list(const Context& context, const Project& project)
{
    const auto set = readSftSet(project.path());
    if (!set)
        return context.error(set.error());
    std::string table = fmt::format("{:<{}}  {:>6}  {}\n", "PROGRAM", shownHash, "BYTES", "FOR");
    for (const ChosenProgram& program : *set) {
        std::string targets;
        for (const std::string& target : program.targets) {
            // What sets the variant apart follows the digest in a key.
            const auto id = TargetId::fromKey(target);
            const auto entry = id ? std::ranges::find(project.matrices(), id->contents, &MatrixEntry::digest)
                                  : project.matrices().end();
            targets +=
                (targets.empty() ? "" : ", ") + (entry == project.matrices().end()
                                                     ? target.substr(0, shownHash)
                                                     : entry->name + target.substr(entry->digest.size()));
        }
        context.emit({{"program", program.hash},
                      {"bytes", program.text.size()},
                      {"lost", program.text.empty()},
                      {"targets", program.targets}});
        table += formatLine("{:<{}}  {:>6}  {}\n", program.hash.substr(0, shownHash), shownHash,
                            program.text.empty() ? "lost" : std::to_string(program.text.size()), targets);
    }
    if (!context.json)
        context.print(set->empty() ? "The SFT set is empty; add programs with --from RUN or --program HASH."
                                   : table);
    return Done;
}

} // namespace

int changeSftSet(const Context& context, const SftSetOptions& options)
{
    const auto project = Project::find(options.folder);
    if (!project)
        return context.error(project.error());
    const bool adds = !options.from.empty() || !options.programs.empty();
    if (!options.matrices.empty() && !adds)
        return context.wrongUsage({"--matrix says for which matrices programs are added, and none are",
                                   {},
                                   0,
                                   "Give --from RUN or --program HASH with it"});
    if (!adds && !options.clear && options.remove.empty())
        return list(context, *project);
    if (const auto trusted = requireTrust(project->path()); !trusted)
        return context.error(trusted.error());
    std::vector<CandidateRow> rows;
    std::optional<OpenIndex> index;
    if (adds) { // looked up before anything is changed
        auto opened = openIndex(context, *project, IndexDepth::Programs);
        if (!opened)
            return context.failed(opened.error());
        if (!opened->fresh)
            return context.failed(opened->fresh.error());
        index.emplace(std::move(*opened));
        const auto filter = filterOf(*project, options.matrices);
        if (!filter)
            return context.error(filter.error());
        auto found = rowsOfRuns(context, *index->reader, *filter, options);
        if (!found)
            return context.failed(found.error());
        rows = std::move(*found);
        auto named = options.programs.empty()
                         ? Result<std::vector<CandidateRow>>(std::vector<CandidateRow>())
                         : rowsOfPrograms(context, *index->reader, *filter, options.programs);
        if (!named)
            return context.failed(named.error());
        std::move(named->begin(), named->end(), std::back_inserter(rows));
    }
    if (options.clear || !options.remove.empty()) {
        const auto out = takeOut(*project, options);
        if (!out)
            return context.error(out.error());
        context.note(fmt::format("SFT set: taken out {}", *out));
    }
    if (adds) {
        const auto added = addToSftSet(project->path(), *index->reader, rows);
        if (!added)
            return context.error(added.error());
        context.note(fmt::format("SFT set: added {}, there already {}; the next run of the sft stage trains "
                                 "on them",
                                 *added, rows.size() - *added));
    }
    return list(context, *project);
}

} // namespace sparserl::cli
