// SPDX-License-Identifier: Apache-2.0
#include "compile/nvjitlink.h"

#include "compile/compile_options.h"

#include "compile/log_text.h"
#include "machine/cuda_libraries.h"

namespace sparserl {

namespace {

using Handle = void*; // nvJitLinkHandle
constexpr int success = 0;
constexpr int inputPtx = 2; // NVJITLINK_INPUT_PTX

} // namespace

struct NvJitLink::Functions
{
    OpenedLibrary library;
    unsigned major = 0, minor = 0;
    int (*version)(unsigned*, unsigned*) = nullptr;
    int (*create)(Handle*, std::uint32_t, const char* const*) = nullptr;
    int (*destroy)(Handle*) = nullptr;
    int (*add)(Handle, int, const void*, std::size_t, const char*) = nullptr;
    int (*complete)(Handle) = nullptr;
    int (*cubinSize)(Handle, std::size_t*) = nullptr;
    int (*cubin)(Handle, void*) = nullptr;
    int (*errorSize)(Handle, std::size_t*) = nullptr;
    int (*error)(Handle, char*) = nullptr;
};

NvJitLink::NvJitLink(std::shared_ptr<const Functions> functions)
    : m_functions(std::move(functions))
{
}

Result<NvJitLink> NvJitLink::load()
{
    SPARSERL_TRY(auto library, openCudaLibrary("libnvJitLink.so." + std::to_string(cudaMajorVersion)));
    auto f = std::make_shared<Functions>();
    f->library = library;
    bool complete = true;
    const auto bind = [&](auto& function, const char* name) {
        complete = library.bind(function, name) && complete;
    };
    bind(f->version, "nvJitLinkVersion");
    bind(f->create, "nvJitLinkCreate");
    bind(f->destroy, "nvJitLinkDestroy");
    bind(f->add, "nvJitLinkAddData");
    bind(f->complete, "nvJitLinkComplete");
    bind(f->cubinSize, "nvJitLinkGetLinkedCubinSize");
    bind(f->cubin, "nvJitLinkGetLinkedCubin");
    bind(f->errorSize, "nvJitLinkGetErrorLogSize");
    bind(f->error, "nvJitLinkGetErrorLog");
    if (!complete || f->version(&f->major, &f->minor) != success)
        return fail(library.path.string() + " is not a usable nvJitLink", std::string(installAgain));
    return NvJitLink(std::move(f));
}

Result<AssembledModule> NvJitLink::assemble(const std::string& ptx, const std::string& architecture) const
{
    const Functions& f = *m_functions;
    const std::string arch = "-arch=" + architecture;
    std::vector<const char*> options{arch.c_str()};
    options.insert(options.end(), std::begin(nvJitLinkOptions), std::end(nvJitLinkOptions));
    Handle handle = nullptr;
    if (f.create(&handle, static_cast<std::uint32_t>(options.size()), options.data()) != success)
        return fail("nvJitLink cannot assemble for " + architecture, "use an architecture such as sm_90");
    AssembledModule module;
    // The size includes the terminating NUL: the PTX lexer of the library reads up to it.
    module.ok = f.add(handle, inputPtx, ptx.c_str(), ptx.size() + 1, "program.ptx") == success &&
                f.complete(handle) == success;
    std::size_t size = 0;
    if (f.errorSize(handle, &size) == success && size > 1) {
        std::string log(size, '\0');
        if (f.error(handle, log.data()) == success)
            module.log = trimLog(log.substr(0, log.find('\0')));
    }
    if (module.ok) {
        module.ok = f.cubinSize(handle, &size) == success && size > 0;
        module.cubin.resize(size);
        module.ok = module.ok && f.cubin(handle, module.cubin.data()) == success;
    }
    f.destroy(&handle);
    if (module.ok) {
        SPARSERL_TRY(auto resources, readCubinResources(module.cubin));
        module.kernels = std::move(resources);
    }
    return module;
}

std::string NvJitLink::version() const
{
    return std::to_string(m_functions->major) + "." + std::to_string(m_functions->minor);
}

const std::filesystem::path& NvJitLink::path() const
{
    return m_functions->library.path;
}

} // namespace sparserl
