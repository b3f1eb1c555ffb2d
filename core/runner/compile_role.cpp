// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "compile/program_compiler.h"
#include "evaluation/protocol/jobs.h"
#include "runner/roles.h"
#include "runner/sandbox.h"

#include <memory>
#include <new>

namespace sparserl {

namespace {

/// CPU seconds for one program (docs/evaluation.md 3 #2); honest ones need well under one. Beyond it the
/// process gets SIGXCPU, which the parent counts as the compiler giving up.
constexpr std::uint64_t cpuSecondsPerProgram = 10;

class CompileRole : public Role
{
public:
    explicit CompileRole(ProgramCompiler compiler)
        : m_compiler(std::move(compiler))
    {
    }

    Result<nlohmann::json> answer(Message& message) override
    {
        const bool withCubin = jsonValue<bool>(message.body, "want_cubin", false);
        allowCpuSeconds(cpuSecondsPerProgram);
        try {
            SPARSERL_TRY(auto answer,
                         message.body["type"] == "assemble" ? assemble(message) : compile(message));
            return toJson(answer, withCubin);
        } catch (const std::bad_alloc&) {
            // What earlier programs left behind may have taken the memory: a fresh process decides.
            return failOutOfMemory("the compiler ran out of memory");
        }
    }

private:
    using Answer = tl::expected<CompiledProgram, CompileFailure>;
    Result<Answer> compile(const Message& message) const
    {
        const auto request = compileRequestFromJson(message.body);
        return request ? m_compiler.compile(*request) : fail(request.error());
    }
    Result<Answer> assemble(const Message& message) const
    {
        const auto request = assembleRequestFromJson(message.body);
        return request ? m_compiler.assemble(*request) : fail(request.error());
    }

    ProgramCompiler m_compiler;
};

} // namespace

Result<std::unique_ptr<Role>> makeCompileRole()
{
    SPARSERL_TRY(auto compiler, ProgramCompiler::create());
    return std::unique_ptr<Role>(std::make_unique<CompileRole>(std::move(compiler)));
}

} // namespace sparserl
