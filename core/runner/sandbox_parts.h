// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/sandbox.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SPARSERL_SANITIZED 1
#else
#define SPARSERL_SANITIZED 0
#endif

namespace sparserl {

/// `what`, and what the last system call complained about.
std::string because(const std::string& what);

/// Name spaces without network and shared memory of others, in a user name space where the user may not have
/// them otherwise. False where there is none: then nothing that needs rights may be tried either.
bool leaveNetwork(SandboxReport& report, const SandboxMeans& means);
/// Becomes nobody, where it was root.
void dropRoot(SandboxReport& report);
Status limitResource(__rlimit_resource resource, rlim_t soft, rlim_t hard);
/// What the process may map, in bytes. Nothing under the sanitizers, which map terabytes.
Status limitAddressSpace(rlim_t bytes);

/// What a process may still do with files: a Landlock domain that handles every kind of access that this
/// kernel knows, but for ioctl_dev, and allows what is added.
class FileRules
{
public:
    static constexpr std::uint64_t read = 0b1101;  ///< Execute, read a file, list a folder.
    static constexpr std::uint64_t device = 0b110; ///< Write a file, read a file.
    static constexpr std::uint64_t list = 0b1000;  ///< List a folder.

    /// Nothing where this kernel has none.
    static std::optional<FileRules> create(const SandboxMeans& means = {});
    FileRules(FileRules&& other) noexcept;
    FileRules& operator=(FileRules&&) = delete;
    ~FileRules();
    /// Below a folder, or a file; false where it cannot be opened.
    bool allow(const std::filesystem::path& path, std::uint64_t access);
    /// From now on, for good. Says in the report what came of it.
    void enforce(SandboxReport& report);

private:
    explicit FileRules(int descriptor)
        : m_descriptor(descriptor)
    {
    }
    int m_descriptor;
};

} // namespace sparserl
