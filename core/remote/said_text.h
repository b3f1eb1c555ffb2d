// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <thread>

namespace sparserl {

/// Collects the standard error of a program in a separate thread, so that the program never blocks. Keeps the
/// first 64 KiB and the last 64 KiB in memory. The text is not written to a file, because another machine
/// determines its length.
class SaidText
{
public:
    /// Starts to read from a pipe, which must stay open for the lifetime of this object.
    explicit SaidText(int fd);
    ~SaidText();
    SaidText(const SaidText&) = delete;
    SaidText& operator=(const SaidText&) = delete;

    /// Stops reading and returns the text.
    std::string take();

private:
    void read(int fd);
    void stop();

    std::string m_first, m_last; ///< Belong to the thread until it has ended.
    bool m_isCut = false;        ///< Text between the two was dropped.
    std::atomic<bool> m_ends = false;
    std::thread m_thread;
};

} // namespace sparserl
