// SPDX-License-Identifier: Apache-2.0
#include "app/cli/project_words.h"
#include "app/training/processes.h"
#include "base/shell.h"
#include "base/trust.h"

#include <CLI/CLI.hpp>
#include <memory>

namespace sparserl::cli {

Body add_worker(CLI::App& app, Context& context)
{
    auto directory = std::make_shared<std::string>();
    CLI::App* command = addTrainingCommand(app, "worker");
    takesRun(command->add_option("RUNDIR", *directory, "Run, by name or by its folder with its run.toml."))
        ->required();
    auto begin = std::make_shared<std::int64_t>(-1);
    command->add_option(
        "--control-begin", *begin,
        "Ignore pauses and stops in this many first bytes of control.jsonl (default: its current length).");
    auto processes = std::make_shared<ProcessOptions>();
    addProcessOptions(*command, *processes);
    return [&context, directory, begin, processes] {
        context.keeps(shellCommand("sparserl train --run {}", {*directory}) + " begins it again");
        return runWithProcesses(context, *processes, [&]() -> Result<RunDirectory> {
            SPARSERL_CHECK(requireTrust(*directory)); // also of a run that has ended
            SPARSERL_TRY(auto run, RunDirectory::open(*directory));
            if (*begin >= 0)
                run.setControlBegin(*begin);
            return run;
        });
    };
}

} // namespace sparserl::cli
