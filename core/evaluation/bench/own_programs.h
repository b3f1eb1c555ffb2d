// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/program_compiler.h"
#include "kernel/plan.h"
#include "ptx/module.h"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace sparserl {

/// A compiled and parsed program, ready for any device.
struct CompiledOwn
{
    KernelProgram program;
    CompiledProgram compiled;
    ptx::Module module;
};

/// Compiles our own programs (from the corpus or the tests) in this process, each text once. Model-written
/// programs use runners instead. Thread-safe.
class OwnPrograms
{
public:
    /// `architecture` is for nvJitLink, for example "sm_90".
    static Result<std::unique_ptr<OwnPrograms>> create(std::string architecture);

    /// Returns the compiled program, from the cache if possible. Fails with the compiler's message.
    Result<std::shared_ptr<const CompiledOwn>> get(const std::string& text);

private:
    OwnPrograms(ProgramCompiler compiler, std::string architecture)
        : m_compiler(std::move(compiler))
        , m_architecture(std::move(architecture))
    {
    }
    using Entry = Result<std::shared_ptr<const CompiledOwn>>;
    Entry compile(const std::string& text) const;
    Entry tryToCompile(const std::string& text) const;

    ProgramCompiler m_compiler;
    std::string m_architecture;
    std::mutex m_mutex;
    std::condition_variable m_done;
    /// The programs by their text; nullptr while a program is being compiled.
    std::map<std::string, std::shared_ptr<const Entry>> m_shelf;
};

} // namespace sparserl
