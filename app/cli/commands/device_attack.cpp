// SPDX-License-Identifier: Apache-2.0
#include "app/cli/device_commands.h"
#include "evaluation/attacks.h"
#include "evaluation/make_judge.h"
#include "reward/reward.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

struct Options
{
    std::string folder = "tests/adversarial", device = "sim";
    std::uint64_t seed = 1;
};

int run(const Context& context, const Options& options)
{
    const auto attacks = loadAttacks(options.folder);
    if (!attacks)
        return context.error(attacks.error());
    const auto matrix = std::make_shared<const Csr>(attackedMatrix());
    std::vector<JudgeRequest> requests;
    for (const auto& attack : *attacks) {
        JudgeRequest request;
        request.program = attack.text;
        request.matrix = matrix;
        request.matrixDigest = digest(*matrix);
        request.matrixName = attack.program;
        request.seed = options.seed;
        requests.push_back(std::move(request));
    }
    JudgeOptions judging;
    judging.runnerPath = siblingProgram(context, "sparserl-runner");
    judging.log = [&](std::string_view sentence) {
        if (!context.quiet) {
            context.endProgress();
            fmt::print(stderr, "sparserl: {}\n", sentence);
        }
    };
    auto judge = makeJudge(options.device, judging);
    if (!judge)
        return context.error(judge.error());
    std::size_t finished = 0;
    const auto records = (*judge)->judge(requests, context.cancel, [&](std::size_t, const VerdictRecord&) {
        context.progress(static_cast<double>(++finished) / static_cast<double>(requests.size()), "attacking");
    });
    context.endProgress();
    if (context.cancel.cancelled())
        return Interrupted;
    if (!records)
        return context.error(records.error());

    int broken = 0;
    if (!context.json)
        context.print(fmt::format("{:<28} {:<44} {:<15} {}", "attack", "tries to", "verdict", "ok"));
    for (std::size_t i = 0; i < attacks->size(); ++i) {
        const Attack& attack = (*attacks)[i];
        const VerdictRecord& record = (*records)[i];
        auto wrong = complaint(attack, record);
        if (!wrong && !record.correct() && paidMoreThanWrong(record))
            wrong = "it is paid more than a wrong program";
        broken += wrong.has_value();
        nlohmann::json json = {
            {"attack", attack.program}, {"tries", attack.attack}, {"defence", attack.defence},
            {"rows", attack.rows},      {"ok", !wrong},           {"record", toJson(record)}};
        if (wrong)
            json["why"] = *wrong;
        context.emit(json);
        if (!context.json)
            context.print(fmt::format("{:<28} {:<44} {:<15} {}", attack.program, attack.attack,
                                      nameOf(record.verdict), wrong ? "NO: " + *wrong : "yes"));
    }
    context.print(fmt::format("{} attacks on the {}: {}", attacks->size(), records->front().device,
                              broken ? fmt::format("{} got through or are not explained", broken)
                                     : std::string("none got through")));
    return broken ? Failed : Done;
}

} // namespace

Body add_device_attack(CLI::App& device, Context& context)
{
    auto options = std::make_shared<Options>();
    auto* command = device.add_subcommand(
        "attack", "Judge programs that try to cheat, and say whether one gets through.");
    command->add_option("DIR", options->folder, "Folder with attacks.json and programs/")
        ->capture_default_str();
    command->add_option("--device", options->device, "Where they run")
        ->check(CLI::IsMember({"sim", "cuda", "auto"}))
        ->capture_default_str();
    command->add_option("--seed", options->seed, "Seed of inputs and schedule")->capture_default_str();
    return [options, &context] { return run(context, *options); };
}

} // namespace sparserl::cli
