// SPDX-License-Identifier: Apache-2.0
// The program sparserl-training: the commands that need LibTorch. sparserl becomes it; nobody has to call it.
#include "app/cli/command_line.h"
#include "machine/freed_memory.h"

namespace sparserl::cli {
#define SPARSERL_COMMAND(NAME)
#define SPARSERL_TRAINING_COMMAND(NAME, DESCRIPTION) Body add_##NAME(CLI::App& app, Context& context);
#include "app/cli/commands.def"
#undef SPARSERL_COMMAND
#undef SPARSERL_TRAINING_COMMAND
Body add_libtorch(CLI::App& app, Context& context);
Body add_search(CLI::App& app, Context& context);
} // namespace sparserl::cli

int main(int argc, char** argv)
{
    using namespace sparserl::cli;
    static constexpr Command commands[] = {
#define SPARSERL_COMMAND(NAME)
#define SPARSERL_TRAINING_COMMAND(NAME, DESCRIPTION) {#NAME, add_##NAME},
#include "app/cli/commands.def"
#undef SPARSERL_COMMAND
#undef SPARSERL_TRAINING_COMMAND
        {"libtorch", add_libtorch}, // of this program alone
        {"search", add_search},     // with a policy
    };
    sparserl::keepFreedMemory();
    return runProgram(argc, argv, commands);
}
