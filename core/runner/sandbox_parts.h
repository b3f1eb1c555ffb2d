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

/// Returns `what` with the error text of the last system call.
std::string because(const std::string& what);

/// Moves this process to namespaces without network and without other processes' shared memory. Uses a user
/// namespace unless the process runs as root. Returns false if this is impossible; the caller must then skip
/// every step that needs special rights.
bool leaveNetwork(SandboxReport& report, const SandboxMeans& means);
/// Changes the user from root to nobody. Does nothing for other users.
void dropRoot(SandboxReport& report);
Status limitResource(__rlimit_resource resource, rlim_t soft, rlim_t hard);
/// Limits the number of bytes that the process may map. Does nothing under the sanitizers, which map
/// terabytes.
Status limitAddressSpace(rlim_t bytes);

/// Access to files after the lock: a Landlock domain that denies every kind of access known to this kernel
/// except ioctl_dev, and allows the added exceptions.
class FileRules
{
public:
    static constexpr std::uint64_t read = 0b1101;  ///< Execute, read a file, list a folder.
    static constexpr std::uint64_t device = 0b110; ///< Write a file, read a file.
    static constexpr std::uint64_t list = 0b1000;  ///< List a folder.

    /// Returns nullopt if this kernel has no Landlock.
    static std::optional<FileRules> create(const SandboxMeans& means = {});
    FileRules(FileRules&& other) noexcept;
    FileRules& operator=(FileRules&&) = delete;
    ~FileRules();
    /// Allows access to a file, or to everything below a folder. Returns false if the path cannot be opened.
    bool allow(const std::filesystem::path& path, std::uint64_t access);
    /// Applies the rules permanently. Adds the result to the report.
    void enforce(SandboxReport& report);

private:
    explicit FileRules(int descriptor)
        : m_descriptor(descriptor)
    {
    }
    int m_descriptor;
};

} // namespace sparserl
