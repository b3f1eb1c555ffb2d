// SPDX-License-Identifier: Apache-2.0
#include "compile/nvrtc.h"

#include "compile/compile_options.h"

#include "compile/log_text.h"
#include "machine/cuda_libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <system_error>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

using Program = void*; // nvrtcProgram
constexpr int success = 0;
constexpr int compilationError = 6; // NVRTC_ERROR_COMPILATION

/// NVRTC opens its built-in headers lazily by bare name; opening them first makes any folder work.
void openBuiltins(const fs::path& library)
{
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(library.parent_path(), error))
        if (entry.path().filename().string().starts_with("libnvrtc-builtins.so." +
                                                         std::to_string(cudaMajorVersion)))
            dlopen(entry.path().c_str(), RTLD_NOW | RTLD_GLOBAL);
}

/// The line in "program.cu(12): error: ...", or 0.
int firstErrorLine(std::string_view log)
{
    constexpr std::string_view file = "program.cu(";
    for (std::size_t at = log.find(file); at != std::string_view::npos; at = log.find(file, at + 1)) {
        std::size_t i = at + file.size();
        int line = 0;
        while (i < log.size() && log[i] >= '0' && log[i] <= '9' && line < 10'000'000)
            line = line * 10 + (log[i++] - '0');
        const std::string_view rest = log.substr(i, 24);
        if (rest.starts_with("): error") || rest.starts_with("): catastrophic error"))
            return line;
    }
    return 0;
}

} // namespace

struct Nvrtc::Functions
{
    OpenedLibrary library;
    int major = 0, minor = 0;
    int (*version)(int*, int*) = nullptr;
    int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
    int (*destroy)(Program*) = nullptr;
    int (*compile)(Program, int, const char* const*) = nullptr;
    int (*ptxSize)(Program, std::size_t*) = nullptr;
    int (*ptx)(Program, char*) = nullptr;
    int (*logSize)(Program, std::size_t*) = nullptr;
    int (*log)(Program, char*) = nullptr;
    const char* (*errorString)(int) = nullptr;
};

Nvrtc::Nvrtc(std::shared_ptr<const Functions> functions)
    : m_functions(std::move(functions))
{
}

Result<Nvrtc> Nvrtc::load()
{
    SPARSERL_TRY(auto library, openCudaLibrary("libnvrtc.so." + std::to_string(cudaMajorVersion)));
    auto f = std::make_shared<Functions>();
    f->library = library;
    bool complete = true;
    const auto bind = [&](auto& function, const char* name) {
        complete = library.bind(function, name) && complete;
    };
    bind(f->version, "nvrtcVersion");
    bind(f->create, "nvrtcCreateProgram");
    bind(f->destroy, "nvrtcDestroyProgram");
    bind(f->compile, "nvrtcCompileProgram");
    bind(f->ptxSize, "nvrtcGetPTXSize");
    bind(f->ptx, "nvrtcGetPTX");
    bind(f->logSize, "nvrtcGetProgramLogSize");
    bind(f->log, "nvrtcGetProgramLog");
    bind(f->errorString, "nvrtcGetErrorString");
    if (!complete || f->version(&f->major, &f->minor) != success)
        return fail(library.path.string() + " is not a usable NVRTC", std::string(installAgain));
    if (f->major != cudaMajorVersion)
        return fail(library.path.string() + " is NVRTC " + std::to_string(f->major) + ", but " +
                        std::to_string(cudaMajorVersion) + " is needed",
                    fmt::format("{}, or point SPARSERL_CUDA_DIR to the right toolkit", installAgain));
    openBuiltins(library.path);
    return Nvrtc(std::move(f));
}

Result<NvrtcOutput> Nvrtc::compile(const std::string& code, const std::vector<std::string>& defines,
                                   const Headers::Selection& headers) const
{
    std::vector<const char*> options(std::begin(nvrtcOptions), std::end(nvrtcOptions));
    for (const auto& define : defines)
        options.push_back(define.c_str());

    const Functions& f = *m_functions;
    Program program = nullptr;
    if (const int rc = f.create(&program, code.c_str(), "program.cu", static_cast<int>(headers.names.size()),
                                headers.texts.data(), headers.names.data());
        rc != success)
        return fail(std::string("NVRTC cannot start: ") + f.errorString(rc));
    const int rc = f.compile(program, static_cast<int>(options.size()), options.data());

    NvrtcOutput output;
    std::size_t size = 0;
    if (f.logSize(program, &size) == success && size > 1) {
        std::string log(size, '\0');
        if (f.log(program, log.data()) == success) {
            log.resize(size - 1);
            output.line = firstErrorLine(log);
            output.log = trimLog(log);
        }
    }
    if (rc == success && f.ptxSize(program, &size) == success && size > 1) {
        output.ptx.resize(size);
        output.ok = f.ptx(program, output.ptx.data()) == success;
        output.ptx.resize(size - 1);
    }
    f.destroy(&program);
    if (rc != success && rc != compilationError) {
        // Out of memory and internal errors are answers about this program as well: the compiler gave up on
        // it.
        output.log = std::string("NVRTC gave up: ") + f.errorString(rc) + "\n" + output.log;
    }
    return output;
}

std::string Nvrtc::version() const
{
    return std::to_string(m_functions->major) + "." + std::to_string(m_functions->minor);
}

const fs::path& Nvrtc::path() const
{
    return m_functions->library.path;
}

} // namespace sparserl
