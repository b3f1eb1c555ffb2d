// SPDX-License-Identifier: Apache-2.0
#include "export/program_sass.h"

#include "evaluation/protocol/jobs.h"
#include "evaluation/runners/disassemble.h"
#include "evaluation/runners/find_runner.h"
#include "export/compile_job.h"
#include "machine/cuda_tools.h"

namespace sparserl {

Result<SassListing> sassOf(const BundleCode& code, const std::string& architecture,
                           const std::filesystem::path& runner)
{
    SPARSERL_CHECK(findCudaTool("nvdisasm")); // before the work
    SPARSERL_TRY(const auto path, findRunner(runner));
    AssembleRequest request;
    request.ptx = code.ptx;
    for (const BundleKernel& kernel : code.kernels)
        request.kernels.push_back(kernel.name);
    request.architecture = architecture;
    nlohmann::json body = toJson(request);
    body["want_cubin"] = true;
    SPARSERL_TRY(const auto assembled, runCompileJob(path, std::move(body)));
    if (!assembled)
        return fail("the program was not assembled for " + architecture + ": " + assembled.error().message);
    SPARSERL_TRY(const auto text, disassemble(path, assembled->cubin));
    auto listing = readSass(text);
    if (listing.text.empty())
        return fail("the disassembler found no instructions");
    return listing;
}

} // namespace sparserl
