// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sparserl::tests {

/// Shared by the test and every process of the fake runner, in a file beside that program. The fake GPU
/// computes with the simulator and takes the times it is told: kernel names say how they behave ("t9000_spmv"
/// takes 9 us; "forgets" leaves beta out; "hang", "crash", "poison", "fail", "differs", "ring" and "lucky" in
/// a name do that while the count lasts).
struct FakeControl
{
    std::atomic<double> baselineMicroseconds;
    std::atomic<int> hangs, crashes, poisons, failures, lucky;
    std::atomic<int> processes, runs, baselines;
    std::atomic<int> escapes; ///< Things a locked process did that it must not ("escape" in a kernel's name).
    std::atomic<int> newest;  ///< Id of the process that was started last.
    std::atomic<bool> absent;
    std::atomic<bool> broken;       ///< Every job fails, ours as well.
    std::atomic<bool> lastBits;     ///< One element of every output is off by one bit.
    std::atomic<int> lockedTrouble; ///< So often the driver fails where it cannot open /etc/passwd.
    std::atomic<bool> needsTimer;   ///< The driver fails where it cannot have a timer of the kernel's.

    void reset()
    {
        baselineMicroseconds = 10;
        for (auto* count : {&hangs, &crashes, &poisons, &failures, &lucky, &processes, &runs, &baselines})
            *count = 0;
        absent = broken = lastBits = needsTimer = false;
        lockedTrouble = escapes = 0;
    }
    /// Takes one of a count; false when it is used up.
    static bool take(std::atomic<int>& count)
    {
        int left = count;
        while (left > 0)
            if (count.compare_exchange_weak(left, left - 1))
                return true;
        return false;
    }
    /// nullptr where the file cannot be mapped.
    static FakeControl* map(const std::string& program)
    {
        const int fd = ::open((program + ".control").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0 || ::ftruncate(fd, sizeof(FakeControl)) != 0)
            return nullptr;
        void* memory = ::mmap(nullptr, sizeof(FakeControl), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        ::close(fd);
        return memory == MAP_FAILED ? nullptr : static_cast<FakeControl*>(memory);
    }
};

} // namespace sparserl::tests
