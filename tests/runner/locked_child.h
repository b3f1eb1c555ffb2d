// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/gpu_sandbox.h"
#include "runner/tool_sandbox.h"

#include <cerrno>
#include <csignal>
#include <functional>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace sparserl::tests {

/// A lock on a machine that is or pretends to be so.
struct Situation
{
    LockedRole role = LockedRole::Work;
    int step = strictestGpuLock; ///< Of the role Gpu.
    bool root = true, landlock = true, nameSpaces = true;

    /// A tool that reads its libraries and its input, and nothing else.
    bool reads() const { return role == LockedRole::Tool || role == LockedRole::Script; }

    std::string name() const
    {
        const char* const roles[] = {"compile and sim", "nvdisasm", "cuda", "import"};
        std::string text = roles[static_cast<int>(role)];
        if (role == LockedRole::Gpu)
            text += " at step " + std::to_string(step);
        return text + (root ? ", root" : ", user") + (landlock ? "" : ", no Landlock") +
               (nameSpaces ? "" : ", no name spaces");
    }
};

/// Every one that this process can bring about: as root also those of a user.
inline std::vector<Situation> situations()
{
    std::vector<Situation> all;
    for (const bool root : {true, false})
        for (const bool landlock : {true, false})
            for (const bool nameSpaces : {true, false}) {
                if (root && ::geteuid() != 0)
                    continue;
                all.push_back({LockedRole::Work, 0, root, landlock, nameSpaces});
                all.push_back({LockedRole::Tool, 0, root, landlock, nameSpaces});
                all.push_back({LockedRole::Script, 0, root, landlock, nameSpaces});
                for (const int step : {strictestGpuLock, 3, 2, 1})
                    all.push_back({LockedRole::Gpu, step, root, landlock, nameSpaces});
            }
    return all;
}

inline Result<SandboxReport> lockAs(const Situation& situation, Refusal refusal)
{
    constexpr unsigned somebody = 12345;
    if (!situation.root && ::geteuid() == 0 &&
        (::setresgid(somebody, somebody, somebody) != 0 || ::setresuid(somebody, somebody, somebody) != 0))
        return fail("the test cannot become a user");
    ::prctl(PR_SET_DUMPABLE, 1); // As a program that this user started.
    const SandboxMeans means{situation.landlock, situation.nameSpaces, refusal};
    if (situation.role == LockedRole::Work)
        return lockDown({std::uint64_t(1) << 30, 100, -1}, means);
    if (situation.role == LockedRole::Tool)
        return lockDownForTool(ToolLock{"/bin/true"}, means);
    if (situation.role == LockedRole::Script) {
        ToolLock lock{"/bin/true"};
        lock.role = LockedRole::Script;
        return lockDownForTool(lock, means);
    }
    SandboxReport report;
    encloseGpu(situation.step, report, means);
    SPARSERL_CHECK(lockDownGpu(situation.step, report, means));
    return report;
}

/// Memory that a child shares with the test, whatever it is locked in.
template <typename T>
class Shared
{
public:
    Shared()
        : m_data(static_cast<T*>(
              ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)))
    {
    }
    ~Shared() { ::munmap(m_data, sizeof(T)); }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;
    T* operator->() const { return m_data; }
    T& operator*() const { return *m_data; }

private:
    T* m_data;
};

/// Runs `body` in a process of its own. Returns its status as waitpid has it.
inline int inChild(const std::function<int()>& body)
{
    const pid_t child = ::fork();
    if (child == 0) {
        for (const int fatal : {SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGFPE})
            ::signal(fatal, SIG_DFL); // QtTest's would print where that was
        ::_exit(body());
    }
    int status = -1;
    while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

} // namespace sparserl::tests
