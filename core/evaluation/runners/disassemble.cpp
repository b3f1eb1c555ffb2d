// SPDX-License-Identifier: Apache-2.0
#include "evaluation/runners/disassemble.h"

#include "base/printable.h"
#include "base/subprocess.h"
#include "machine/cuda_tools.h"

namespace sparserl {

Result<std::string> disassemble(const std::filesystem::path& runner, const std::string& cubin)
{
    SPARSERL_TRY(const auto tool, findCudaTool("nvdisasm"));
    SpawnOptions options;
    options.argv = {runner.string(), "--role", "disassemble", "--tool", tool.string()};
    options.output = options.error = StreamEnd::pipe();
    options.dieWithParent = true;
    constexpr double wallSeconds = 20;
    SPARSERL_TRY(auto done, runToEnd(std::move(options), cubin, wallSeconds));
    if (done.timedOut)
        return fail(tool.string() + " did not come to an end within 20 seconds");
    if (!done.status.ok() || done.output.empty()) {
        constexpr std::size_t most = 300;
        const std::string said = printable(done.error.substr(0, most));
        return fail(tool.string() + " " + done.status.sentence() + (said.empty() ? "" : ": " + said),
                    "Take another version of it: it must know the architecture");
    }
    return std::move(done.output);
}

} // namespace sparserl
