// SPDX-License-Identifier: Apache-2.0
#include "policy/compute/cuda_part.h"

#include "base/printable.h"
#include "policy/torch.h"

#include <dlfcn.h>
#include <filesystem>
#include <torch/cuda.h>

namespace sparserl {

namespace {

/// Empty if the library is there now; else why it is not. Libraries are never closed: what they have
/// registered stays.
std::string opened(const char* library, int scope)
{
    if (::dlopen(library, RTLD_NOW | scope) != nullptr)
        return {};
    const char* why = ::dlerror();
    return why != nullptr ? printable(why) : "unknown reason";
}

/// A function of the plug-in; null with a reason where it is not there or does not fit.
void* plugInEntry(const char* name, std::string& reason)
{
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    reason = "libsparserl_torch_cuda.so is not beside the program";
    for (const char* folder : {".", "../lib", "../lib/sparserl", "../bin"}) {
        const auto file = (program / folder / "libsparserl_torch_cuda.so").lexically_normal();
        if (!std::filesystem::exists(file, error))
            continue;
        void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            const char* message = ::dlerror();
            reason = message != nullptr ? printable(message) : "unknown reason";
        } else if (void* entry = ::dlsym(library, name)) {
            return entry;
        } else {
            reason = file.string() + " is of another version";
        }
    }
    return nullptr;
}

} // namespace

bool hasGpuDriver()
{
    return opened("libcuda.so.1", RTLD_LOCAL).empty();
}

Result<int> usableGpus()
{
    if (!hasGpuDriver())
        return fail("there is no NVIDIA driver on this machine", "Set device to cpu, or install the driver");
    // Global, so that the plug-in finds its symbols.
    if (const std::string why = opened("libtorch_cuda.so", RTLD_GLOBAL); !why.empty())
        return fail(
            "LibTorch's CUDA part cannot be loaded: " + why,
            "Set device to cpu, or point LD_LIBRARY_PATH at the lib folder of a torch 2.11 for CUDA 13");
    try {
        const auto count = static_cast<int>(torch::cuda::device_count());
        if (count > 0)
            return count;
    } catch (const c10::Error&) {
        // Said below.
    }
    return fail("LibTorch finds no GPU that it can use", "Set device to cpu, or see `sparserl doctor`");
}

std::shared_ptr<GraphRecorder> graphRecorder(std::string* why)
{
    std::string reason;
    if (void* entry = plugInEntry(makeGraphRecorderName, reason))
        return std::shared_ptr<GraphRecorder>(reinterpret_cast<MakeGraphRecorder>(entry)());
    if (why != nullptr)
        *why = "CUDA graphs cannot be used, so programs are written more slowly: " + reason;
    return nullptr;
}

std::shared_ptr<GpuSumMaker> gpuSumMaker(std::string* why)
{
    std::string reason;
    if (void* entry = plugInEntry(makeGpuSumMakerName, reason))
        return std::shared_ptr<GpuSumMaker>(reinterpret_cast<MakeGpuSumMaker>(entry)());
    if (why != nullptr)
        *why = "NCCL cannot be used, so gradients go through the host's memory: " + reason;
    return nullptr;
}

} // namespace sparserl
