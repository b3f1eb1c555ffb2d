// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace sparserl {

/// Collects a program's standard error in a separate thread, so the program never blocks: the first 64 KiB
/// and the last 64 KiB. Another machine controls the amount, so it is not written to a file.
class SaidText
{
public:
    /// Reads from a pipe, which must stay open during this object's lifetime.
    explicit SaidText(int fd);
    ~SaidText();
    SaidText(const SaidText&) = delete;
    SaidText& operator=(const SaidText&) = delete;

    /// The text so far. Stops reading.
    std::string take();

private:
    void read(int fd);
    void stop();

    std::string m_first, m_last; ///< Used by the thread until it ends.
    bool m_isCut = false;        ///< Text between the two was dropped.
    std::atomic<bool> m_ends = false;
    std::thread m_thread;
};

} // namespace sparserl
