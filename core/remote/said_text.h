// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace sparserl {

/// What a program says on its standard error, read by a thread of its own, so that the program never waits:
/// the first 64 KiB and the last 64 KiB. Another machine decides how much that is: it goes into no file.
class SaidText
{
public:
    /// Reads from a pipe, which has to stay open while this object lives.
    explicit SaidText(int fd);
    ~SaidText();
    SaidText(const SaidText&) = delete;
    SaidText& operator=(const SaidText&) = delete;

    /// All that has been said by now. What comes later is not read any more.
    std::string take();

private:
    void read(int fd);
    void stop();

    std::string m_first, m_last; ///< Of the thread, until it has ended.
    bool m_isCut = false;        ///< Something between the two was dropped.
    std::atomic<bool> m_ends = false;
    std::thread m_thread;
};

} // namespace sparserl
