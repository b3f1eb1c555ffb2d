// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/matrix_words.h"
#include "base/files.h"
#include "compile/compile_options.h"
#include "export/gated_ptx.h"
#include "kernel/plan.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

struct Options
{
    std::vector<std::string> programs;
};

/// The PTX of one program, from a locked runner and through the gate, as a judge would have it.
int compileOne(const Context& context, const std::string& file)
{
    auto text = readFile(file, 1u << 20);
    if (!text)
        return context.error(text.error());
    const auto program = parseProgram(std::move(*text));
    if (!program)
        return context.error({program.error().reason, file, program.error().line, {}});
    const auto code = compileForBundle(*program, siblingProgram(context, "sparserl-runner"));
    if (!code)
        return context.failed(code.error());
    if (!context.json) {
        context.print(code->ptx);
        return Done;
    }
    std::vector<std::string> options(std::begin(nvrtcOptions), std::end(nvrtcOptions));
    for (const auto& [name, value] : constValues(program->plan))
        options.push_back(fmt::format("-D{}={}", name, value));
    context.emit({{"file", file},
                  {"program", program->hash},
                  {"ptx_hash", code->ptxHash},
                  {"nvrtc_options", options},
                  {"ptx", code->ptx}});
    return Done;
}

int run(const Context& context, const Options& options)
{
    int status = Done;
    for (const std::string& file : options.programs) {
        if (context.cancel.cancelled())
            return Interrupted;
        if (const int one = compileOne(context, file); one != Done)
            status = one;
    }
    return status;
}

} // namespace

Body add_compile(CLI::App& app, Context& context)
{
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("compile", "Print the PTX of kernel programs as judges compile and gate it.");
    command->add_option("PROGRAM", options->programs, "Kernel programs (plan lines, then CUDA C++)")
        ->required();
    return [options, &context] { return run(context, *options); };
}

} // namespace sparserl::cli
