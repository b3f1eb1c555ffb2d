// SPDX-License-Identifier: Apache-2.0
#include "evaluation/bench/own_programs.h"

#include <algorithm>
#include <new>
#include <utility>

namespace sparserl {

Result<std::unique_ptr<OwnPrograms>> OwnPrograms::create(std::string architecture)
{
    SPARSERL_TRY(auto compiler, ProgramCompiler::create());
    return std::unique_ptr<OwnPrograms>(new OwnPrograms(std::move(compiler), std::move(architecture)));
}

OwnPrograms::Entry OwnPrograms::compile(const std::string& text) const
{
    auto program = parseProgram(text);
    if (!program)
        return failAt("program", program.error().line, program.error().reason);
    CompileRequest request;
    request.code = program->code;
    for (const PlanCall& call : program->plan.calls) {
        if (std::find(request.kernels.begin(), request.kernels.end(), call.kernel) == request.kernels.end())
            request.kernels.push_back(call.kernel);
    }
    request.architecture = m_architecture;
    SPARSERL_TRY(auto compiled, m_compiler.compile(request));
    if (!compiled)
        return failAt("program", compiled.error().line, compiled.error().message);
    auto made = std::make_shared<CompiledOwn>();
    SPARSERL_TRY(auto module, ptx::parse(compiled->ptx));
    made->program = std::move(*program);
    made->compiled = std::move(*compiled);
    made->module = std::move(module);
    return std::shared_ptr<const CompiledOwn>(std::move(made));
}

OwnPrograms::Entry OwnPrograms::tryToCompile(const std::string& text) const
{
    try {
        return compile(text);
    } catch (const std::bad_alloc&) {
        return fail("memory ran out while a program was compiled", "Use a machine with more memory");
    }
}

Result<std::shared_ptr<const CompiledOwn>> OwnPrograms::get(const std::string& text)
{
    std::unique_lock lock(m_mutex);
    const auto made = m_shelf.try_emplace(text);
    const auto at = made.first;
    if (!made.second) {
        m_done.wait(lock, [&] { return at->second != nullptr; });
        return *at->second;
    }
    lock.unlock();
    auto entry = std::make_shared<const Entry>(tryToCompile(text)); // Others may wait for it.
    lock.lock();
    at->second = entry;
    lock.unlock();
    m_done.notify_all();
    return *entry;
}

} // namespace sparserl
