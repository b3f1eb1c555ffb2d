// SPDX-License-Identifier: Apache-2.0
#include "export/gated_ptx.h"

#include "compile/gate.h"
#include "evaluation/protocol/jobs.h"
#include "export/compile_job.h"
#include "ptx/module.h"

namespace sparserl {

namespace {

tl::unexpected<Error> refused(const std::string& reason)
{
    return fail("the program cannot be exported: " + reason,
                "verify it again: `sparserl judge` says what is wrong with it");
}

tl::unexpected<CompileFailure> rejected(std::string reason, int line)
{
    CompileFailure failure;
    failure.kind = CompileFailure::Kind::Rejected;
    failure.message = std::move(reason);
    failure.line = line;
    return tl::unexpected(std::move(failure));
}

tl::expected<BundleCode, CompileFailure> gated(const Plan& plan, const std::string& ptx)
{
    const auto module = ptx::parse(ptx);
    if (!module)
        return rejected(module.error().sentence(), 0);
    const std::vector<std::string> names = kernelNames(plan);
    if (const auto rejection = gate(*module, names))
        return rejected(rejection->reason, rejection->line);
    BundleCode code;
    code.ptx = ptx;
    code.ptxHash = ptx::canonicalHash(ptx);
    for (const std::string& name : names) {
        BundleKernel kernel{name, {}};
        for (const ptx::Param& parameter : module->find(name)->params)
            kernel.parameterBytes.push_back(static_cast<int>(parameter.bytes));
        code.kernels.push_back(std::move(kernel));
    }
    return code;
}

} // namespace

Result<BundleCode> gateForBundle(const Plan& plan, const std::string& ptx)
{
    auto code = gated(plan, ptx);
    if (!code)
        return refused(code.error().message);
    return std::move(*code);
}

Result<tl::expected<BundleCode, CompileFailure>> compileAndGate(const KernelProgram& program,
                                                                const std::filesystem::path& runner)
{
    CompileRequest request;
    request.code = program.code;
    request.kernels = kernelNames(program.plan);
    request.assemble = false;
    SPARSERL_TRY(const auto compiled, runCompileJob(runner, toJson(request)));
    if (!compiled)
        return tl::expected<BundleCode, CompileFailure>(tl::unexpected(compiled.error()));
    // The runner had the program in its hands: its word is not enough.
    return gated(program.plan, compiled->ptx);
}

Result<BundleCode> compileForBundle(const KernelProgram& program, const std::filesystem::path& runner)
{
    SPARSERL_TRY(auto code, compileAndGate(program, runner));
    if (!code)
        return refused(code.error().message);
    return std::move(*code);
}

Status checkVerified(const BundleCode& code, const std::string& verifiedPtxHash)
{
    if (code.ptxHash == verifiedPtxHash)
        return {};
    return fail(
        verifiedPtxHash.empty()
            ? "the verdict does not say which PTX was verified"
            : "the program now compiles to PTX that differs from the verified PTX: the compiler has changed",
        "verify it again: `sparserl export --program FILE --matrix FILE --out DIR` judges a program "
        "before it exports it");
}

} // namespace sparserl
