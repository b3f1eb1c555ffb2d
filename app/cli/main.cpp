// SPDX-License-Identifier: Apache-2.0
// The program sparserl: it has the commands that need no LibTorch, and knows the names of the others.
#include "app/cli/command_line.h"
#include "app/cli/complete.h"

#include <string_view>

namespace sparserl::cli {
#define SPARSERL_COMMAND(NAME) Body add_##NAME(CLI::App& app, Context& context);
#define SPARSERL_TRAINING_COMMAND(NAME, DESCRIPTION)
#include "app/cli/commands.def"
#undef SPARSERL_COMMAND
#undef SPARSERL_TRAINING_COMMAND
} // namespace sparserl::cli

int main(int argc, char** argv)
{
    using namespace sparserl::cli;
    static constexpr Command commands[] = {
#define SPARSERL_COMMAND(NAME) {#NAME, add_##NAME},
#ifdef SPARSERL_WITH_TRAINING
#define SPARSERL_TRAINING_COMMAND(NAME, DESCRIPTION) {#NAME, nullptr},
#else
#define SPARSERL_TRAINING_COMMAND(NAME, DESCRIPTION)
#endif
#include "app/cli/commands.def"
#undef SPARSERL_COMMAND
#undef SPARSERL_TRAINING_COMMAND
    };
    // For completions of shells; no option, for people have --help.
    if (argc > 2 && std::string_view(argv[1]) == "--complete")
        return completeNames(argv[2], {argv + 3, argv + argc});
    return runProgram(argc, argv, commands);
}
