// SPDX-License-Identifier: Apache-2.0
// What the window's buttons ask of a run, from a terminal: a line of control.jsonl, and the answer in the
// run's journal.
#include "project/run/control.h"
#include "app/cli/commands.h"
#include "app/cli/fork_run.h"
#include "app/cli/number_checks.h"
#include "app/cli/project_words.h"
#include "app/cli/usage.h"
#include "base/format.h"
#include "base/printable.h"
#include "base/shell.h"
#include "base/time.h"
#include "base/trust.h"
#include "project/queries/queries.h"
#include "project/run/control_answer.h"
#include "project/run/remote_mark.h"
#include "project/run/run_directory.h"
#include "project/run/worker_start.h"
#include "remote/remote_launch.h"
#include "training/work/run_stage.h"
#include "verdict/event.h"
#include "verdict/names.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

namespace sparserl::cli {

namespace {

using Kind = ControlCommand::Kind;

struct ControlArguments
{
    std::string run, id;
    std::vector<std::string> assignments;
    double wait = 60;
    ForkOptions fork;
};

/// Whether a worker works on the run, here or on its host.
bool hasWorkerSomewhere(const std::filesystem::path& run)
{
    const auto mark = readRemoteMark(run);
    return mark ? !mark->ended && (mark->worker || mark->wantsStart) : hasWorker(run);
}

/// A parameter that other stages have, and not the one of this run: which of its own are called alike.
std::optional<Error> ofAnotherStage(StageKind kind, const ParameterSet& parameters, const std::string& key)
{
    const bool known = std::ranges::any_of(stageDescriptions(), [&](const StageDescription& stage) {
        return stageParameters(stage.kind).find(key) != nullptr;
    });
    if (!known || parameters.has(key))
        return std::nullopt;
    const std::string last = key.substr(key.rfind('.') + 1);
    std::vector<std::string> keys, alike;
    for (const ParameterSpec& spec : parameters.declarations().specs()) {
        keys.push_back(spec.key);
        if (spec.key.substr(spec.key.rfind('.') + 1) == last)
            alike.push_back(spec.key);
    }
    const std::string near =
        alike.empty() ? nearestWord(key, keys) : fmt::format("{}", fmt::join(alike, ", "));
    return Error{fmt::format("runs of the {} stage have no {}", nameOf(kind), key),
                 {},
                 0,
                 near.empty() ? "`sparserl train PRESET --parameters` lists what they have"
                              : fmt::format("Did you mean {}?", near)};
}

/// What is wrong with a change of a parameter, before it is sent.
Status checkChange(const RunDirectory& directory, const std::string& run, const std::string& assignment)
{
    SPARSERL_TRY(const auto stage, stageOf(directory));
    ParameterSet parameters = stage.parameters;
    const std::string key = assignment.substr(0, assignment.find('='));
    if (auto other = ofAnotherStage(stage.kind, parameters, key))
        return fail(std::move(*other));
    SPARSERL_CHECK(parameters.setAssignment(assignment));
    const auto* spec = parameters.declarations().find(key);
    if (spec != nullptr && spec->effect == ParameterEffect::Restart)
        return fail(fmt::format("{} is fixed during a run", key),
                    "Start another run with it: " +
                        shellCommand("sparserl control {} fork {}", {run, assignment}));
    return {};
}

std::string textOf(const ControlCommand& command)
{
    return command.kind == Kind::Set ? fmt::format("set {}={}", command.key, command.value)
                                     : std::string(nameOf(command.kind));
}

void show(const Context& context, const ControlEvent& event, const std::string& command)
{
    context.emit({{"id", event.id},
                  {"command", event.command},
                  {"key", event.key},
                  {"value", event.value},
                  {"outcome", event.outcome},
                  {"step", event.effectiveStep},
                  {"message", event.message}});
    if (context.json)
        return;
    // What was done says more than that something was.
    const std::string& said = event.outcome == control_outcome::applied ? event.message : std::string();
    context.print(!said.empty()
                      ? fmt::format("{}: {} (step {})", command, said, event.effectiveStep)
                      : fmt::format("{}: {} at step {}{}{}", command, event.outcome, event.effectiveStep,
                                    event.message.empty() ? "" : ": ", event.message));
}

/// "Paused on request" behind the word "paused": what the reason says more.
std::string afterStatus(const std::string& reason, std::string_view status)
{
    const bool twice = reason.size() > status.size() + 1 && reason[status.size()] == ' ' &&
                       std::string_view(reason).substr(1).starts_with(status.substr(1)) &&
                       (reason[0] | 0x20) == status[0];
    return twice ? reason.substr(status.size() + 1) : reason;
}

/// What the run is doing, and why it failed.
int sayStatus(const Context& context, const std::string& run)
{
    const auto now = runNow(std::filesystem::absolute(run).lexically_normal());
    if (!now)
        return context.error(now.error());
    const auto newest = newestCheckpoint(now->path);
    const std::string checkpoint = newest && *newest ? (*newest)->name : std::string();
    nlohmann::json json{{"run", now->name},
                        {"title", now->title},
                        {"stage", now->stage},
                        {"status", nameOf(now->status)},
                        {"reason", shortened(now->reason, 4096)},
                        {"worker", now->hasWorker},
                        {"checkpoint", checkpoint}};
    std::string text = fmt::format("{}: {} ({})", now->name, nameOf(now->status), now->stage);
    if (now->heartbeat) {
        json["step"] = now->step;
        json["total_steps"] = now->totalSteps;
        json["phase"] = shortened(now->heartbeat->phase);
        const std::string& phase = now->heartbeat->phase; // "step 7/300": what the worker is at
        const bool said = phase == nameOf(now->status);
        const std::string total = now->totalSteps > 0 ? fmt::format("/{}", now->totalSteps) : std::string();
        text += phase.starts_with("step ")
                    ? fmt::format(", {} of its {}", formatCounted(now->step, "step"), now->totalSteps)
                    : fmt::format(", step {}{}{}{}", now->step, total, phase.empty() || said ? "" : ", ",
                                  said ? "" : phase);
    }
    if (!now->reason.empty())
        text += ": " + afterStatus(now->reason, nameOf(now->status));
    if (!now->title.empty())
        text += fmt::format("  \"{}\"", now->title);
    context.emit(json);
    if (!context.json) {
        context.print(printableLine(text));
        context.print(fmt::format("Newest checkpoint: {}. {} shows its metrics and all checkpoints.",
                                  checkpoint.empty() ? "none yet" : checkpoint,
                                  shellCommand("sparserl runs {}", {run})));
    }
    return Done;
}

/// Why there is nothing left to stop in a run without a worker, if that is so: to ask twice is no mistake.
std::optional<std::string> stoppedAlready(const RunDirectory& run)
{
    const auto last = run.lastState();
    if (last && last->state == RunState::Paused)
        return "a stop was requested already, and the run has stopped";
    if (last && last->state == RunState::Done)
        return "the run is done: there is nothing to stop";
    return std::nullopt;
}

int sayStopped(const Context& context, const std::string& id, const std::string& why)
{
    context.emit({{"id", id}, {"command", "stop"}, {"outcome", "stopped"}, {"message", why}});
    if (!context.json)
        context.print("stop: " + why);
    return Done;
}

/// Waits until each command has its last answer.
int waitForAnswers(const Context& context, const std::filesystem::path& run, ControlAnswers answers,
                   std::vector<ControlCommand> open, double seconds)
{
    int status = Done;
    const double begin = monotonicSeconds();
    while (!open.empty()) {
        // Looked at before the journal is read: a worker's last answer is there once it has ended.
        const bool works = hasWorkerSomewhere(run);
        const auto events = answers.poll();
        if (!events)
            return context.error(events.error());
        for (const ControlEvent& event : *events) {
            const auto found = std::find_if(open.begin(), open.end(),
                                            [&](const auto& command) { return command.id == event.id; });
            if (found == open.end())
                continue;
            show(context, event, textOf(*found));
            if (event.outcome == control_outcome::refused)
                status = Failed;
            if (control_outcome::final(event.outcome))
                open.erase(found);
        }
        if (open.empty())
            break;
        if (context.cancel.cancelled())
            return Interrupted;
        const std::string first = textOf(open.front());
        if (!works && open.front().kind == Kind::Stop) // the worker has ended for an earlier one
            if (const auto directory = RunDirectory::open(run))
                if (const auto why = stoppedAlready(*directory))
                    return sayStopped(context, open.front().id, *why);
        if (!works)
            return context.error({fmt::format("the worker ended before it answered \"{}\"", first),
                                  run.string(), 0, "See worker.log in the run's folder"});
        if (monotonicSeconds() - begin > seconds) {
            if (const auto mark = readRemoteMark(run); mark && !mark->connected)
                return context.error(
                    {fmt::format("{} did not receive \"{}\" within {:g} s: it cannot be reached{}",
                                 printableLine(mark->host), first, seconds,
                                 mark->problem.empty() ? "" : " (" + printableLine(mark->problem) + ")"),
                     run.string(), 0,
                     "The command stays in control.jsonl and is sent once the host can be reached again"});
            return context.error(
                {fmt::format("the worker has not answered \"{}\" within {:g} s", first, seconds),
                 run.string(), 0,
                 "The worker answers after its current step; the command stays in control.jsonl and still "
                 "applies. Use --wait SECONDS to wait longer"});
        }
        context.progress(0, "waiting for the worker's answer");
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return status;
}

/// An id counts once: a worker passes over what comes again.
Status checkId(const std::filesystem::path& run, const std::string& id)
{
    SPARSERL_TRY(const auto sent, readControl(run));
    for (const ControlCommand& command : sent)
        if (!id.empty() && command.id == id)
            return fail(fmt::format("the id \"{}\" belongs to an earlier command ({}), and an id counts once",
                                    id, textOf(command)),
                        "Give another one, or leave --id out");
    return {};
}

int send(const Context& context, const ControlArguments& options, Kind kind)
{
    const std::filesystem::path run = std::filesystem::absolute(options.run).lexically_normal();
    const auto directory = RunDirectory::open(run);
    if (!directory)
        return context.error(directory.error());
    if (const auto trusted = requireTrust(run); !trusted) // before anything that trust would not help
        return context.error(trusted.error());
    std::vector<ControlCommand> commands;
    for (const std::string& assignment : options.assignments) {
        if (const auto good = checkChange(*directory, options.run, assignment); !good)
            return context.wrongUsage(good.error());
        const auto equals = assignment.find('=');
        commands.push_back({{}, 0, Kind::Set, assignment.substr(0, equals), assignment.substr(equals + 1)});
    }
    if (commands.empty())
        commands.push_back({{}, 0, kind, {}, {}});
    if (!options.id.empty() && commands.size() > 1)
        return context.wrongUsage({"--id is the id of one command, and each change is one",
                                   {},
                                   0,
                                   "Send the changes one by one, or leave --id out"});
    commands.front().id = options.id;
    if (const auto unused = checkId(run, options.id); !unused)
        return context.error(unused.error());
    const bool works = hasWorkerSomewhere(run);
    if (const auto own = works ? requireOwnRun(run) : Status(); !own) // before anything is written down
        return context.error(own.error());
    if (!works && kind == Kind::Stop)
        if (const auto why = stoppedAlready(*directory))
            return sayStopped(context, options.id, *why);
    const auto last = works ? std::nullopt : directory->lastState();
    if (last && last->state == RunState::Done)
        return context.error({kind == Kind::Set ? "this run is done, and nothing changes in it any more"
                                                : "this run is done and has no worker",
                              run.string(), 0,
                              "Start a fork with other values: " +
                                  shellCommand("sparserl control {} fork KEY=VALUE", {options.run})});
    if (!works && kind != Kind::Set)
        return context.error({"this run has no worker", run.string(), 0,
                              shellCommand("sparserl train --run {}", {options.run}) + " resumes it"});
    auto answers = ControlAnswers::fromNow(run);
    if (!answers)
        return context.error(answers.error());
    for (ControlCommand& command : commands) {
        auto id = appendControl(run, command);
        if (!id)
            return context.error(id.error());
        command.id = std::move(*id);
    }
    if (!works) {
        for (const ControlCommand& command : commands)
            context.emit({{"id", command.id}, {"outcome", "pending"}});
        context.print("No worker runs for this run; the change takes effect when it is resumed.");
        return Done;
    }
    if (readRemoteMark(run)) {
        const auto program = findSparserlBinary();
        if (!program)
            return context.error(program.error());
        if (const auto follows = ensureFollower(run, *program); !follows)
            return context.error(follows.error());
    }
    if (options.wait <= 0) {
        for (const ControlCommand& command : commands)
            context.emit({{"id", command.id}, {"outcome", "sent"}});
        if (!context.json)
            context.print("Sent; the worker answers when its current step is finished.");
        return Done;
    }
    const int status = waitForAnswers(context, run, std::move(*answers), commands, options.wait);
    context.endProgress();
    return status;
}

} // namespace

Body add_control(CLI::App& app, Context& context)
{
    CLI::App* command = app.add_subcommand(
        "control", "Steer a live run: pause, resume, stop, save, change parameters, fork it.");
    command->require_subcommand(1);
    auto options = std::make_shared<ControlArguments>();
    auto chosen = std::make_shared<Body>();
    // Not required() here: CLI11 would take the name of the command after it for it.
    takesRun(command->add_option("RUN", options->run, "The run, by name or folder."));
    command
        ->add_option("--wait", options->wait,
                     "Seconds to wait for the worker's answer; 0: send the command and do not wait.")
        ->check(nonNegativeNumber())
        ->capture_default_str();
    command->add_option("--id", options->id, "The command's id (default: a new one); each counts once.");
    const auto add = [&](Kind kind, const char* help) {
        CLI::App* sub = command->add_subcommand(std::string(nameOf(kind)), help);
        sub->callback([&context, options, chosen, kind] {
            *chosen = [&context, options, kind] { return send(context, *options, kind); };
        });
        return sub;
    };
    CLI::App* asking = command->add_subcommand("status", "Say what the run is doing, or why it failed.");
    asking->callback([&context, options, chosen] {
        *chosen = [&context, options] { return sayStatus(context, options->run); };
    });
    add(Kind::Pause, "Wait before the next step; the worker stays alive.");
    add(Kind::Resume, "Continue after a pause.");
    add(Kind::Stop, "Finish the step, save a checkpoint and end.");
    add(Kind::Checkpoint, "Save a checkpoint after the step, and say its name once it is saved.");
    CLI::App* setting = add(Kind::Set, "Change parameters that may change during a run.");
    takesNames(
        setting->add_option("KEY=VALUE", options->assignments, "Such as rl.kl_coef=0.01; may be repeated."),
        "parameters")
        ->required();
    CLI::App* forking = command->add_subcommand(
        "fork", "Start another run of the same stage from a checkpoint of this one. It "
                "runs in the background.");
    takesNames(
        forking->add_option("KEY=VALUE", options->fork.assignments, "Parameters to change in the new run."),
        "parameters");
    forking->add_option("--checkpoint", options->fork.checkpoint,
                        "Name of the checkpoint (default: the newest), such as step-000400.");
    forking->add_option("--title", options->fork.title, "Title of the new run, for people.");
    forking->callback([&context, options, chosen] {
        *chosen = [&context, options] { return forkRun(context, options->run, options->fork); };
    });
    return [&context, options, chosen]() -> int {
        if (options->run.empty())
            return context.wrongUsage(
                {"RUN is required",
                 {},
                 0,
                 "Name it, as in `sparserl control RUN pause`; `sparserl runs` lists them"});
        return (*chosen)();
    };
}

} // namespace sparserl::cli
