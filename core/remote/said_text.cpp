// SPDX-License-Identifier: Apache-2.0
#include "remote/said_text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <poll.h>
#include <string_view>
#include <sys/types.h>
#include <unistd.h>

namespace sparserl {

namespace {

constexpr std::size_t most = std::size_t(64) << 10;
constexpr int waitMilliseconds = 100;

} // namespace

SaidText::SaidText(int fd)
    : m_thread([this, fd] { read(fd); })
{
}

SaidText::~SaidText()
{
    stop();
}

void SaidText::stop()
{
    m_ends = true;
    if (m_thread.joinable())
        m_thread.join();
}

std::string SaidText::take()
{
    stop();
    return m_first + (m_isCut ? "\n" : "") + m_last;
}

// Not until the pipe closes: a connection that ssh keeps for the next command holds it open. Once it is to
// end, it takes what is in the pipe, of which no more may come.
void SaidText::read(int fd)
{
    std::array<char, 16384> buffer{};
    for (std::size_t after = 0; after < most;) {
        const bool ends = m_ends;
        pollfd ready{fd, POLLIN, 0};
        const int count = ::poll(&ready, 1, ends ? 0 : waitMilliseconds);
        if (count == 0 && ends)
            return;
        if (count <= 0)
            continue;
        const ssize_t got = ::read(fd, buffer.data(), buffer.size());
        if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN))
            return;
        if (got < 0)
            continue;
        std::string_view said(buffer.data(), static_cast<std::size_t>(got));
        after += ends ? said.size() : 0;
        const std::size_t room = std::min(most - m_first.size(), said.size());
        m_first += said.substr(0, room);
        m_last += said.substr(room);
        if (m_last.size() > 2 * most) {
            m_last.erase(0, m_last.size() - most);
            m_isCut = true;
        }
    }
}

} // namespace sparserl
