// SPDX-License-Identifier: Apache-2.0
#include "training/stages/sft_sources.h"

#include "training/data/search_records.h"
#include "training/parameters/parameter_keys.h"
#include "training/work/run_targets.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <utility>

namespace sparserl {

namespace {

std::vector<std::string> splitList(const std::string& text)
{
    std::vector<std::string> parts;
    std::string part;
    for (const char c : text + ",") {
        if (c != ',' && c != ' ') {
            part += c;
        } else if (!part.empty()) {
            parts.push_back(std::exchange(part, {}));
        }
    }
    return parts;
}

/// Those that are named must be of a task of the run, and each task needs one.
Status checkFamilies(const ParameterSet& p, const std::vector<std::string>& named)
{
    const auto has = [](Task task, const std::string& family) {
        const auto& known = families(task);
        return std::any_of(known.begin(), known.end(), [&](const Family& one) { return one.id == family; });
    };
    const char* const advice =
        "See `sparserl corpus sample --help` for the list; set sft.families to families of it";
    std::vector<Task> tasks;
    SPARSERL_TRY(const auto variants, variantsOf(p));
    tasks.reserve(variants.size());
    for (const TargetVariant& variant : variants)
        tasks.push_back(variant.task());
    for (const auto& family : named) {
        if (std::none_of(tasks.begin(), tasks.end(), [&](Task task) { return has(task, family); }))
            return fail(
                fmt::format("the corpus has no kernel family \"{}\" for the task {}", family, p[param::task]),
                advice);
    }
    for (const Task task : tasks) {
        if (!named.empty() &&
            std::none_of(named.begin(), named.end(), [&](const auto& family) { return has(task, family); }))
            return fail(fmt::format("sft.families names no kernel family for the task {}", nameOf(task)),
                        advice);
    }
    return {};
}

/// What a new run takes of the project's SFT set and of its searches.
std::vector<ChosenProgram> programsNow(StageContext& context)
{
    std::vector<ChosenProgram> now;
    if (context.parameters()[param::sft::useChosen])
        now = context.environment().chosen;
    const auto most = context.parameters()[param::sft::records];
    if (most <= 0 || !context.processes().leads())
        return now;
    for (ChosenProgram& record : searchRecords(context.environment().runs, most))
        now.push_back(std::move(record));
    return now;
}

/// Searches that were asked for must have something to train on: a run on another machine has none of them.
Status checkRecords(const StageContext& context, const std::vector<ChosenProgram>& chosen)
{
    if (context.parameters()[param::sft::records] <= 0 || context.checkpoint())
        return {};
    std::set<std::string> trained;
    for (const StageTarget* target : context.matrices(false))
        trained.insert(target->target.id.key());
    const auto isTrained = [&](const std::string& key) { return trained.contains(key); };
    for (const ChosenProgram& program : chosen) {
        if (program.found && std::ranges::any_of(program.targets, isTrained))
            return {};
    }
    return fail(
        "sft.records asks for programs that searches found, but no search of the project has a correct "
        "one for its training matrices",
        "Search first, or set sft.records=0. For a run on another machine, add the programs to the SFT "
        "set: `sparserl project sft-set DIR --from RUN`");
}

/// How many of the project's SFT set and of its searches' programs are used, and what became of the others.
Status tell(StageContext& context, const std::vector<SftExample>& examples,
            const std::vector<ChosenProgram>& chosen, bool found)
{
    std::set<std::string> asked, used, wrong, lost;
    for (const auto& program : chosen) {
        if (program.found != found)
            continue;
        asked.insert(program.hash);
        if (program.text.empty())
            lost.insert(program.hash);
    }
    if (asked.empty() || context.checkpoint())
        return {};
    for (const auto& example : examples) {
        const std::string& hash = example.record.programHash; // The corpus may have drawn it, too.
        if (!example.heldOut && asked.contains(hash))
            (example.record.correct() ? used : wrong).insert(hash);
    }
    std::erase_if(wrong, [&](const std::string& hash) { return used.contains(hash); });
    std::erase_if(lost, [&](const std::string& hash) { return used.contains(hash) || wrong.contains(hash); });
    const std::size_t elsewhere = asked.size() - used.size() - wrong.size() - lost.size();
    std::string text =
        fmt::format(fmt::runtime(found ? "Searches: {} of the {} fastest programs are used"
                                       : "SFT set: {} of the {} programs that were added to it are used"),
                    used.size(), asked.size());
    if (elsewhere > 0)
        text += fmt::format("; {} are for matrices that are not trained on", elsewhere);
    if (!wrong.empty())
        text += fmt::format("; {} are not correct any more", wrong.size());
    if (!lost.empty())
        text += fmt::format("; {} have lost their text", lost.size());
    return context.log(0, wrong.empty() && lost.empty() ? "info" : "warning", text);
}

} // namespace

Result<SftDataOptions> sftDataOptions(StageContext& context)
{
    const ParameterSet& p = context.parameters();
    SftDataOptions options;
    options.programsPerMatrix = p[param::sft::programsPerMatrix];
    options.heldOutPrograms = p[param::sft::heldoutPrograms];
    options.families = splitList(p[param::sft::families]);
    if (hasSeveralVariants(p) && p[param::sft::prompt] != "always")
        return fail(
            "with task = both or more_columns, the prompt must tell the policy what to write for, but "
            "this run does not always have one",
            "Set sft.prompt = always, or choose one task and number of columns");
    SPARSERL_CHECK(checkFamilies(p, options.families));
    options.variety = p[param::sft::variety];
    options.maxBytes = p[param::sft::maxBytes];
    options.recommended = p[param::sft::recommended];
    options.inTurn = p[param::sft::draw] == "in-turn";
    options.seed = static_cast<std::uint64_t>(p[param::seed]);
    if (p[param::sft::useChosen] || p[param::sft::records] > 0) {
        // A run of an earlier version continues without.
        SPARSERL_TRY(options.chosen,
                     chosenForRun(context.run().path() / "sft_chosen.jsonl",
                                  context.checkpoint() ? std::vector<ChosenProgram>() : programsNow(context),
                                  context.processes()));
        SPARSERL_CHECK(checkRecords(context, options.chosen));
    }
    return options;
}

Status tellChosen(StageContext& context, const std::vector<SftExample>& examples,
                  const std::vector<ChosenProgram>& chosen)
{
    SPARSERL_CHECK(tell(context, examples, chosen, false));
    return tell(context, examples, chosen, true);
}

} // namespace sparserl
