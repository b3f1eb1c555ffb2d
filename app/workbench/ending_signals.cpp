// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/ending_signals.h"

#include <QSocketNotifier>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace sparserl {

namespace {

constexpr std::array endings{SIGINT, SIGTERM, SIGHUP};
constexpr unsigned patienceSeconds = 5;
constexpr std::int64_t sameMoment = 1000; // milliseconds

// A signal handler can reach nothing but globals.
std::atomic<int> target{-1};
std::atomic<std::int64_t> firstAt{0};

std::int64_t milliseconds()
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

// `timeout` signals its child and then the whole group: signals of one moment are one.
void onSignal(int number)
{
    const std::int64_t now = milliseconds();
    std::int64_t before = 0;
    if (!firstAt.compare_exchange_strong(before, now)) {
        if (now - before > sameMoment)
            ::_exit(128 + number);
        return;
    }
    const unsigned char byte = static_cast<unsigned char>(number);
    if (::write(target.load(), &byte, 1) != 1)
        ::_exit(128 + number);
    ::alarm(patienceSeconds); // whose action is the end, too
}

} // namespace

EndingSignals::EndingSignals(std::function<void(int)> ended)
    : m_ended(std::move(ended))
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        return; // signals end the process as ever
    m_read = ends[0];
    m_write = ends[1];
    target = m_write;
    firstAt = 0;
    auto* notifier = new QSocketNotifier(m_read, QSocketNotifier::Read, this);
    connect(notifier, &QSocketNotifier::activated, this, [this] {
        unsigned char number = 0;
        if (::read(m_read, &number, 1) == 1)
            m_ended(number);
    });
    struct sigaction action = {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    for (const int number : endings) {
        struct sigaction before = {};
        // nohup ignores SIGHUP, and means it.
        if (::sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
            ::sigaction(number, &action, nullptr);
    }
}

EndingSignals::~EndingSignals()
{
    if (m_read < 0)
        return;
    for (const int number : endings) {
        struct sigaction now = {};
        if (::sigaction(number, nullptr, &now) == 0 && now.sa_handler == onSignal)
            std::signal(number, SIG_DFL);
    }
    ::close(m_read);
    ::close(m_write);
}

} // namespace sparserl
