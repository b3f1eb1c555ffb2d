// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command_line.h"
#include "app/cli/commands.h"
#include "app/cli/project_words.h"
#include "base/log.h"
#include "base/shell.h"
#include "project/run/control.h"
#include "project/run/remote_mark.h"
#include "remote/follow.h"
#include "remote/inventory.h"
#include "remote/known_hosts.h"
#include "remote/remote_launch.h"
#include "remote/sent_runs.h"
#include "remote/serve.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace sparserl::cli {

namespace {

int check(const Context& context, const std::string& text)
{
    const auto parsed = parseRemoteHost(text);
    if (!parsed)
        return context.wrongUsage(parsed.error());
    const auto host = confirmedHost(parsed->name, parsed->folder).value_or(*parsed);
    const auto machine = askHost(host);
    if (!machine)
        return context.error(machine.error());
    if (machine->version != programVersion())
        return context.error({fmt::format("{} has version {} of SparseRL Workbench, this machine has {}",
                                          host.name, machine->version, programVersion()),
                              {},
                              0,
                              "Install the same version on both machines"});
    if (const auto kept = rememberHost(host); !kept)
        return context.error(kept.error());
    context.emit({{"host", host.name}, {"folder", host.folder}, {"version", machine->version}});
    if (!context.json)
        context.print(fmt::format("{} has SparseRL Workbench {}; runs go to {}", host.name, machine->version,
                                  host.folder));
    for (const RemoteMachine::Item& item : machine->items) {
        context.emit(
            {{"key", item.key}, {"title", item.title}, {"level", item.level}, {"sentence", item.sentence}});
        if (!context.json)
            context.print(fmt::format("{:<8} {}: {}", item.level, item.title, item.sentence));
    }
    return Done;
}

int stop(const Context& context, const std::string& run)
{
    if (!readRemoteMark(run))
        return context.error({"this run is not on another machine", run, 0,
                              "Give the folder of a run that is; `sparserl runs` names their hosts"});
    const auto mark = requireRemoteMark(run);
    if (!mark)
        return context.error(mark.error());
    if (const auto own = requireOwnRun(std::filesystem::absolute(run)); !own)
        return context.error(own.error());
    if (mark->ended || (!mark->worker && !mark->wantsStart))
        return context.error({fmt::format("no worker of this run is active on {}", mark->host), run, 0, {}});
    ControlCommand command;
    command.kind = ControlCommand::Kind::Stop;
    if (const auto sent = appendControl(run, command); !sent)
        return context.error(sent.error());
    const auto program = findSparserlBinary();
    if (!program)
        return context.error(program.error());
    if (const auto follows = ensureFollower(std::filesystem::absolute(run), *program); !follows)
        return context.error(follows.error());
    context.print(fmt::format("Asked the worker on {} to write a checkpoint and stop", mark->host));
    return Done;
}

int follow(const Context& context, const std::string& run)
{
    FollowOptions options;
    options.cancel = context.cancel;
    const Logger log = Logger::toStderr();
    options.log = [log](const std::string& sentence) { log.info("{}", sentence); };
    const auto status = followRun(std::filesystem::absolute(run), options);
    return status ? Done : context.failed(status.error());
}

int adopt(const Context& context, const std::string& run)
{
    const auto mark = readRemoteMark(run);
    if (const auto adopted = adoptRun(run); !adopted)
        return context.failed(adopted.error());
    context.print(fmt::format("The run {} on {} is yours. ", mark->run, mark->host) +
                  shellCommand("sparserl remote follow {}", {run}) + " follows it");
    return Done;
}

int serve(const Context& context, const std::string& run)
{
    const auto program = findSparserlBinary();
    ServeOptions options;
    options.run = std::filesystem::absolute(run);
    options.program = program ? *program : std::filesystem::path();
    options.version = programVersion();
    options.input = STDIN_FILENO;
    options.output = STDOUT_FILENO;
    options.cancel = context.cancel;
    const auto status = serveRun(options);
    return status ? Done : context.failed(status.error());
}

} // namespace

Body add_remote(CLI::App& app, Context& context)
{
    CLI::App* command = app.add_subcommand("remote", "Runs on another machine, over ssh.");
    command->require_subcommand(1);
    auto chosen = std::make_shared<Body>();
    auto text = std::make_shared<std::string>();
    const char* const runHere = "RUN";
    const auto add = [&](const char* name, const char* help, const char* argument, const char* meaning,
                         Body body) {
        CLI::App* sub = command->add_subcommand(name, help);
        CLI::Option* option = sub->add_option(argument, *text, meaning)->required();
        if (std::string_view(argument) == runHere)
            takesRun(option);
        sub->callback([chosen, body = std::move(body)] { *chosen = body; });
        return sub;
    };
    add("check", "Contact a host and show its version and devices.", "HOST[:FOLDER]",
        "Name for ssh, and the folder there.", [&context, text] { return check(context, *text); });
    add("stop", "Ask the worker of a run there to write a checkpoint and stop.", runHere,
        "Run here, by name or folder.", [&context, text] { return stop(context, *text); });
    add("follow", "Fetch the output of a run there until it has ended.", runHere,
        "Run here, by name or folder.", [&context, text] { return follow(context, *text); });
    add("adopt", "Confirm that the run on another machine that RUN names is yours.", runHere,
        "Run here, by name or folder.", [&context, text] { return adopt(context, *text); });
    add("serve", "The remote end of `follow`; started by ssh, not by hand.", "RUNDIR",
        "Run directory on this machine.", [&context, text] { return serve(context, *text); });
    auto sent = std::make_shared<RunIdentity>();
    CLI::App* have =
        add("have", "List the contents of a folder before runs are sent there; ssh starts it.", "FOLDER",
            "Folder of a project; created if a run is named.", [&context, text, sent]() -> int {
                const auto status = tellInventory(*text, *sent, programVersion(), STDOUT_FILENO);
                return status ? Done : context.failed(status.error());
            });
    have->add_option("NAME", sent->nameThere, "Run that is to be sent, by its name here.");
    have->add_option("IDENTITY", sent->id, "Identity of that run.");
    add("sound", "Check that a policy here is complete before runs start from it; ssh starts it.", "FOLDER",
        "Folder of the policy.", [&context, text]() -> int {
            const auto status = tellPolicy(*text, STDOUT_FILENO);
            return status ? Done : context.failed(status.error());
        });
    return [chosen] { return (*chosen)(); };
}

} // namespace sparserl::cli
