// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/driver.h"

#include "machine/cuda_libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace sparserl::cuda {

namespace {

constexpr const char* simulatedInstead = "choose the device sim, which is simulated and needs none";

Error initError(CUresult code)
{
    switch (code) {
    case CUDA_ERROR_NO_DEVICE:
        return {"the NVIDIA driver finds no GPU",
                {},
                0,
                "give this machine or container access to one, or " + std::string(simulatedInstead)};
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
        return {"libcuda.so.1 and the driver that is running are of different versions",
                {},
                0,
                "reboot after the driver's update, or use the libraries of the running driver"};
    case CUDA_ERROR_STUB_LIBRARY:
        return {"the libcuda.so.1 that was found is the stub of a toolkit, not a driver",
                {},
                0,
                "remove the toolkit's stubs folder from LD_LIBRARY_PATH"};
    default:
        return {fmt::format("the NVIDIA driver does not start (cuInit returned {})", static_cast<int>(code)),
                {},
                0,
                "see whether nvidia-smi works (load the kernel module, or give the container the GPU)"};
    }
}

} // namespace

Result<std::shared_ptr<const Driver>> Driver::load(const std::filesystem::path& library)
{
    const std::string name = library.empty() ? "libcuda.so.1" : library.string();
    // Never closed: the driver does not survive dlclose.
    OpenedLibrary opened{dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL), name};
    if (!opened.handle)
        return fail("there is no NVIDIA driver here (" + name + " was not found)",
                    "install a driver for CUDA " + std::to_string(cudaMajorVersion) + ", or " +
                        simulatedInstead);
    decltype(&::cuInit) init = nullptr;
    decltype(&::cuDriverGetVersion) getVersion = nullptr;
    if (!opened.bind(init, "cuInit") || !opened.bind(getVersion, "cuDriverGetVersion"))
        return fail(name + " is not the library of an NVIDIA driver",
                    "look for another libcuda.so.1 in LD_LIBRARY_PATH");
    auto driver = std::make_shared<Driver>();
    // The version is known even where nothing can be initialised, and says more than what then fails.
    const CUresult versionCode = getVersion(&driver->version);
    if (versionCode == CUDA_SUCCESS && driver->version > 0 && driver->version < cudaMajorVersion * 1000)
        return fail(fmt::format("the NVIDIA driver is too old: it is for CUDA {}.{}, and CUDA {} is needed",
                                driver->version / 1000, driver->version % 1000 / 10, cudaMajorVersion),
                    "update the driver to 580 or newer");
    if (const CUresult code = init(0); code != CUDA_SUCCESS)
        return fail(initError(code));
    std::string missing;
#define SPARSERL_DRIVER_BIND(FIELD, SYMBOL)                                                                  \
    if (!opened.bind(driver->FIELD, #SYMBOL))                                                                \
        missing += (missing.empty() ? "" : ", ") + std::string(#SYMBOL);
    SPARSERL_DRIVER_FUNCTIONS(SPARSERL_DRIVER_BIND)
#undef SPARSERL_DRIVER_BIND
    if (!missing.empty())
        return fail(name + " lacks " + missing, "update the driver to 580 or newer");
    return std::shared_ptr<const Driver>(std::move(driver));
}

std::string Driver::describe(CUresult code) const
{
    const char *name = nullptr, *text = nullptr;
    if (getErrorName(code, &name) != CUDA_SUCCESS || !name)
        return fmt::format("error {}", static_cast<int>(code));
    if (getErrorString(code, &text) != CUDA_SUCCESS || !text)
        return name;
    return fmt::format("{} ({})", text, name);
}

} // namespace sparserl::cuda
