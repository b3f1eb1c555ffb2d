// SPDX-License-Identifier: Apache-2.0
// A libnvJitLink.so.13 for tests with fake_driver.cpp: the real one, with the PTX put behind the cubin, so
// that the fake driver finds something it can run. The real library is $SPARSERL_REAL_NVJITLINK.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <string>

namespace {

std::mutex mutex;
std::map<void*, std::string> texts; // by handle

template <typename Function>
Function* real(const char* name)
{
    static void* library = [] {
        const char* path = std::getenv("SPARSERL_REAL_NVJITLINK");
        return dlopen(path ? path : "", RTLD_NOW | RTLD_LOCAL);
    }();
    return library ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}

constexpr int internalError = 6; // NVJITLINK_ERROR_INTERNAL

template <typename... Arguments>
int forward(const char* name, Arguments... arguments)
{
    const auto function = real<int(Arguments...)>(name);
    return function ? function(arguments...) : internalError;
}

const std::string marker = "\n//SPARSERL-FAKE-PTX\n";

std::string textOf(void* handle)
{
    const std::lock_guard lock(mutex);
    return marker + texts[handle] + '\0';
}

} // namespace

extern "C" {

int nvJitLinkVersion(unsigned* major, unsigned* minor)
{
    return forward("nvJitLinkVersion", major, minor);
}

int nvJitLinkCreate(void** handle, std::uint32_t count, const char** options)
{
    return forward("nvJitLinkCreate", handle, count, options);
}

int nvJitLinkDestroy(void** handle)
{
    {
        const std::lock_guard lock(mutex);
        texts.erase(*handle);
    }
    return forward("nvJitLinkDestroy", handle);
}

int nvJitLinkAddData(void* handle, int kind, const void* data, std::size_t size, const char* name)
{
    {
        const std::lock_guard lock(mutex);
        texts[handle].assign(static_cast<const char*>(data), size);
    }
    return forward("nvJitLinkAddData", handle, kind, data, size, name);
}

int nvJitLinkComplete(void* handle)
{
    return forward("nvJitLinkComplete", handle);
}

int nvJitLinkGetLinkedCubinSize(void* handle, std::size_t* size)
{
    const int code = forward("nvJitLinkGetLinkedCubinSize", handle, size);
    *size += textOf(handle).size();
    return code;
}

int nvJitLinkGetLinkedCubin(void* handle, void* cubin)
{
    std::size_t size = 0;
    if (const int code = forward("nvJitLinkGetLinkedCubinSize", handle, &size))
        return code;
    const std::string text = textOf(handle);
    std::memcpy(static_cast<char*>(cubin) + size, text.data(), text.size());
    return forward("nvJitLinkGetLinkedCubin", handle, cubin);
}

int nvJitLinkGetErrorLogSize(void* handle, std::size_t* size)
{
    return forward("nvJitLinkGetErrorLogSize", handle, size);
}

int nvJitLinkGetErrorLog(void* handle, char* log)
{
    return forward("nvJitLinkGetErrorLog", handle, log);
}

} // extern "C"
