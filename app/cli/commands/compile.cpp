// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/matrix_words.h"
#include "base/files.h"
#include "base/line_diff.h"
#include "compile/compile_options.h"
#include "export/gated_ptx.h"
#include "export/program_help.h"
#include "export/program_sass.h"
#include "kernel/plan.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

constexpr const char* unknownControls = "the control codes of this architecture have an unknown layout";

struct CompileArguments
{
    std::vector<std::string> programs;
    bool sass = false, control = false, explain = false;
    std::string architecture = "sm_90";
};

/// The listing, with what each instruction tells the scheduler before it where that was asked for.
std::string sassText(const SassListing& sass, bool control)
{
    if (!control)
        return sass.text;
    std::string text;
    const auto lines = splitLines(sass.text);
    for (std::size_t i = 0; i < lines.size(); ++i)
        text += fmt::format("{:{}}  {}\n", sass.controls[i] ? controlText(*sass.controls[i]) : "",
                            controlWidth, lines[i]);
    return text;
}

nlohmann::json toJson(const InstructionHelps& helps)
{
    nlohmann::json json = nlohmann::json::object();
    for (const auto& [name, help] : helps)
        json[name] = {{"operands", help.operands},
                      {"sentence", help.sentence},
                      {"modifiers", help.modifiers},
                      {"cost", help.cost}};
    return json;
}

void addSass(nlohmann::json& line, const SassListing& sass, const CompileArguments& chosen)
{
    line["sass"] = sass.text;
    line["sass_lines"] = sass.lines;
    if (chosen.explain)
        line["sass_help"] = toJson(explainSassText(sass.text));
    if (!chosen.control)
        return;
    if (sass.controlsUnknown) {
        line["sass_control_problem"] = unknownControls;
        return;
    }
    std::vector<std::string> controls;
    for (const auto& control : sass.controls)
        controls.push_back(control ? controlText(*control) : std::string());
    line["sass_control"] = controls;
}

/// The PTX of one program, from a locked runner and through the gate, as a judge would have it.
int compileOne(const Context& context, const CompileArguments& chosen, const std::string& file)
{
    auto text = readFile(file, 1u << 20);
    if (!text)
        return context.error(text.error());
    const auto program = parseProgram(std::move(*text));
    if (!program)
        return context.error({program.error().reason, file, program.error().line, {}});
    const auto runner = siblingProgram(context, "sparserl-runner");
    const auto compiled = compileAndGate(*program, runner);
    if (!compiled)
        return context.failed(compiled.error());
    const auto& code = *compiled;
    if (!code)
        return context.error({code.error().message, file, code.error().line, {}});
    Result<SassListing> sass = SassListing();
    if (chosen.sass)
        sass = sassOf(*code, chosen.architecture, runner);
    if (!context.json) {
        if (!sass)
            return context.failed(sass.error());
        if (chosen.control && sass->controlsUnknown)
            return context.failed({unknownControls, {}, 0, "Leave out --control"});
        context.print(chosen.sass ? sassText(*sass, chosen.control) : code->ptx);
        if (chosen.explain)
            context.print("\n" +
                          helpText(chosen.sass ? explainSassText(sass->text) : explainPtxText(code->ptx)));
        return Done;
    }
    std::vector<std::string> options(std::begin(nvrtcOptions), std::end(nvrtcOptions));
    for (const auto& [name, value] : constValues(program->plan))
        options.push_back(fmt::format("-D{}={}", name, value));
    nlohmann::json line = {{"file", file},
                           {"program", program->text.hash()},
                           {"ptx_hash", code->ptxHash},
                           {"nvrtc_options", options},
                           {"ptx", code->ptx}};
    if (chosen.explain)
        line["ptx_help"] = toJson(explainPtxText(code->ptx));
    if (chosen.sass)
        line["architecture"] = chosen.architecture;
    if (chosen.sass && sass)
        addSass(line, *sass, chosen);
    else if (chosen.sass) // the PTX is of use all the same
        line["sass_problem"] = sass.error().sentence();
    context.emit(line);
    return Done;
}

int runCompile(const Context& context, const CompileArguments& options)
{
    int status = Done;
    for (const std::string& file : options.programs) {
        if (context.cancel.cancelled())
            return Interrupted;
        if (const int one = compileOne(context, options, file); one != Done)
            status = one;
    }
    return status;
}

} // namespace

Body add_compile(CLI::App& app, Context& context)
{
    auto options = std::make_shared<CompileArguments>();
    CLI::App* command = app.add_subcommand(
        "compile", "Print the PTX of kernel programs as judges compile and gate it, or its SASS.");
    command->add_option("PROGRAM", options->programs, "Kernel programs (plan lines, then CUDA C++)")
        ->required();
    CLI::Option* sass = command->add_flag(
        "--sass", options->sass,
        "Print the instructions that a GPU executes instead (needs nvdisasm); with --json, both");
    command
        ->add_flag("--control", options->control,
                   "Print the control code before each instruction: barriers to wait for (B), barriers of "
                   "its operands (R) and its result (W), whether to switch to another warp (Y), clocks until "
                   "the next instruction (S)")
        ->needs(sass);
    command->add_flag(
        "--explain", options->explain,
        "Print explanations below: what each instruction does, its operands, modifiers and cost");
    command->add_option("--arch", options->architecture, "Whose instructions")
        ->check(CLI::Validator(
            [](std::string& word) {
                const bool good = word.starts_with("sm_") && word.size() > 4 && word.size() < 8 &&
                                  word.find_first_not_of("0123456789af", 3) == std::string::npos;
                return good ? std::string() : "Architectures have names such as sm_80, sm_90 or sm_120";
            },
            "sm_NN"))
        ->capture_default_str();
    return [options, &context] { return runCompile(context, *options); };
}

} // namespace sparserl::cli
