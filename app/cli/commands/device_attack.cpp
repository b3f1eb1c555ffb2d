// SPDX-License-Identifier: Apache-2.0
#include "app/cli/device_choice.h"
#include "app/cli/device_commands.h"
#include "app/cli/judge_seed.h"
#include "app/cli/require_sandbox.h"
#include "evaluation/audit/attacks.h"
#include "evaluation/judge/make_judge.h"
#include "reward/reward.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

struct DeviceAttackArguments
{
    std::string folder = "tests/adversarial", device = "sim";
    std::string only; ///< Part of the names of those to be tried; empty: all.
    std::string type; ///< Of those to be tried; empty: any.
    bool programs = false;
    std::uint64_t seed = 1, judgeSeed = 0;
    SandboxLevel requiredSandbox = SandboxLevel::None;
};

/// One class of attacks, in the table.
struct Row
{
    std::string attack;
    int programs = 0, through = 0;
    std::map<std::string, int> verdicts;
};

/// "3 race, 2 wrong-result".
std::string joined(const std::map<std::string, int>& counts)
{
    std::string text;
    for (const auto& [name, count] : counts)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
    return text;
}

std::string firstLine(const std::string& text)
{
    return text.substr(0, text.find('\n'));
}

int runDeviceAttack(const Context& context, const DeviceAttackArguments& options)
{
    auto attacks = loadAttacks(options.folder);
    if (!attacks)
        return context.error(attacks.error());
    if (!options.only.empty())
        std::erase_if(*attacks, [&](const Attack& attack) {
            return attack.program.find(options.only) == std::string::npos;
        });
    if (const auto type = elementTypeFromName(options.type))
        std::erase_if(*attacks, [&](const Attack& attack) { return attack.type != *type; });
    if (attacks->empty())
        return context.error(Error{"no attack has '" + options.only + "' in its name and this element type",
                                   options.folder, 0, "leave --only or --type out"});
    JudgeOptions judging;
    judging.runnerPath = siblingProgram(context, "sparserl-runner");
    judging.secretSeed = secretOf(options.judgeSeed);
    judging.requiredSandbox = options.requiredSandbox;
    judging.log = [&](std::string_view sentence) {
        if (!context.quiet) {
            context.endProgress();
            context.note(sentence);
        }
    };
    auto judge = makeJudge(options.device, judging);
    if (!judge)
        return context.error(judge.error());
    std::size_t finished = 0;
    const auto records = judgeAttacks(**judge, *attacks, options.seed, context.cancel, [&] {
        context.progress(static_cast<double>(++finished) / static_cast<double>(attacks->size()), "attacking");
    });
    context.endProgress();
    if (!records)
        return context.failed(records.error());
    if (context.cancel.cancelled())
        return Interrupted;

    std::vector<Row> table;
    std::vector<std::string> through;
    for (std::size_t i = 0; i < attacks->size(); ++i) {
        const Attack& attack = (*attacks)[i];
        const VerdictRecord& record = (*records)[i];
        auto wrong = complaint(attack, record);
        if (!wrong && !record.correct() && paidMoreThanWrong(record))
            wrong = "its reward is higher than a wrong program's";
        nlohmann::json json = {
            {"attack", attack.program}, {"tries", attack.attack}, {"defence", attack.defence},
            {"rows", attack.rows},      {"ok", !wrong},           {"record", toJson(record)}};
        if (wrong)
            json["why"] = *wrong;
        context.emit(json);
        auto row = std::find_if(table.begin(), table.end(),
                                [&](const Row& one) { return one.attack == attack.attack; });
        if (row == table.end())
            row = table.insert(row, Row{attack.attack});
        ++row->programs;
        row->through += wrong.has_value();
        ++row->verdicts[std::string(nameOf(record.verdict))];
        if (wrong)
            through.push_back(fmt::format("{} ({}): {}", attack.program, attack.matrix, *wrong));
        else if (options.programs)
            context.print(fmt::format("{:<36} {:<15} {}", attack.program, nameOf(record.verdict),
                                      firstLine(record.message)));
    }
    context.print(fmt::format("{:<52} {:>8} {:>8}  {}", "tries to", "programs", "through", "verdicts"));
    for (const Row& row : table)
        context.print(fmt::format("{:<52} {:>8} {:>8}  {}", row.attack, row.programs, row.through,
                                  joined(row.verdicts)));
    for (const auto& one : through)
        context.print("THROUGH " + one);
    context.print(fmt::format("{} attacks on the {}: {}", attacks->size(), records->front().device,
                              through.empty()
                                  ? std::string("none got through")
                                  : fmt::format("{} got through or are not explained", through.size())));
    return through.empty() ? Done : Failed;
}

} // namespace

Body add_device_attack(CLI::App& device, Context& context)
{
    auto options = std::make_shared<DeviceAttackArguments>();
    auto* command =
        device.add_subcommand("attack", "Judge programs that try to cheat, and report whether one succeeds.");
    command->add_option("DIR", options->folder, "Folder with attacks.json and programs/")
        ->capture_default_str();
    addDevice(*command, options->device);
    command->add_option("--only", options->only, "Only attacks with this text in their name");
    command->add_option("--type", options->type, "Only attacks in this element type (default: all)")
        ->check(CLI::IsMember({"f32", "f64"}));
    command->add_flag("--programs", options->programs, "Also print a line per program");
    command->add_option("--seed", options->seed, "Seed of inputs and schedule")->capture_default_str();
    addJudgeSeed(*command, options->judgeSeed);
    addRequireSandbox(*command, options->requiredSandbox);
    return [options, &context] { return runDeviceAttack(context, *options); };
}

} // namespace sparserl::cli
