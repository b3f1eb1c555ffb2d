// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands/operator_synthesize.h"

#include "base/format.h"
#include "base/printable.h"

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

namespace fs = std::filesystem;

Status readHeldOutSets(OperatorSynthesisOptions& options)
{
    for (const std::string& given : options.heldOut) {
        const auto equals = given.find('=');
        const fs::path folder = equals == std::string::npos ? given : given.substr(equals + 1);
        std::string name = equals == std::string::npos ? given : given.substr(0, equals);
        SPARSERL_TRY(auto set, readHeldOut(name, folder));
        options.synthesis.heldOut.push_back(std::move(set));
    }
    return {};
}

std::string funnelText(const SynthesisFunnel& funnel)
{
    std::string text = fmt::format("{:>7} drawn\n", funnel.drawn);
    const auto add = [&](std::size_t count, const std::string& words) {
        if (count > 0)
            text += formatLine("{:>7} {}\n", count, words);
    };
    add(funnel.repeated, "of the structure of another one");
    add(funnel.tooQuick, "too quick by the model");
    add(funnel.tooSlow, "too slow by the model");
    add(funnel.tooLarge, "too large for the memory of a GPU");
    for (const auto& [set, count] : funnel.similar)
        add(count, "too similar to a task of " + set);
    for (const auto& [sentence, count] : funnel.refused)
        add(count, "refused by the oracle: " + sentence);
    add(funnel.notDeterministic, "not the same twice");
    add(funnel.constant, "with one value in all of the output");
    add(funnel.deaf, "that do not react to an input");
    add(funnel.rounding, "little more than rounding, or not finite");
    return text + fmt::format("{:>7} kept\n", funnel.kept);
}

} // namespace

int synthesizeTasks(const Context& context, OperatorSynthesisOptions options)
{
    if (const auto read = readHeldOutSets(options); !read)
        return context.error(read.error());
    options.synthesis.cancel = context.cancel;
    OracleProcess oracle(options.oracle);
    const auto wanted = static_cast<double>(options.synthesis.count);
    const auto take = [&](const ImportedTask& task, const TaskRecord& record,
                          const SynthesisFunnel& funnel) -> Status {
        const fs::path folder = fs::path(options.out) / record.name;
        SPARSERL_CHECK(writeTaskFolder(folder, task, record, {}));
        context.keeps(fmt::format("{} are in {}",
                                  formatCounted(static_cast<std::int64_t>(funnel.kept), "task"),
                                  printableLine(options.out)));
        context.progress(static_cast<double>(funnel.kept) / wanted, "making tasks");
        nlohmann::json said = fieldToJson(record);
        said["folder"] = folder.string();
        said["modelled_seconds"] = modelledSeconds(graphFacts(task.full->graph), options.synthesis);
        context.emit(said);
        return {};
    };
    const auto funnel = synthesize(options.synthesis, oracle, take);
    context.endProgress();
    if (!funnel)
        return context.failed(funnel.error());
    context.emit({{"funnel", fieldToJson(*funnel)}});
    if (!context.json)
        context.print(funnelText(*funnel));
    if (funnel->kept < options.synthesis.count)
        return context.error(
            {fmt::format("only {} of {} passed", funnel->kept,
                         formatCounted(static_cast<std::int64_t>(options.synthesis.count), "task")),
             {},
             0,
             "Widen the limits of time, or allow more similarity"});
    return Done;
}

} // namespace sparserl::cli
