// SPDX-License-Identifier: Apache-2.0
#include "app/cli/signals.h"

#include <atomic>
#include <csignal>
#include <unistd.h>

namespace sparserl::cli {
namespace {

constexpr unsigned patienceSeconds = 3;

// Signal handlers can reach nothing but globals. The context outlives the scope, and the scope takes it away.
std::atomic<const Context*> target{nullptr};
std::atomic<bool> wasCaught{false};

void endNow(int)
{
    ::_exit(Interrupted);
}

void onSignal(int)
{
    const Context* context = target.load();
    if (context == nullptr || wasCaught.exchange(true)) {
        ::_exit(Interrupted);
    }
    context->cancel.cancel();
    if (!context->savesOnSignal) {
        ::alarm(patienceSeconds);
    }
}

void install(void (*handler)(int))
{
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before = {};
        // nohup ignores SIGHUP, and means it.
        if (signal == SIGHUP && ::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) {
            continue;
        }
        ::sigaction(signal, &action, nullptr);
    }
    action.sa_handler = endNow;
    ::sigaction(SIGALRM, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

} // namespace

SignalScope::SignalScope(const Context& context)
{
    target = &context;
    install(onSignal);
}

SignalScope::~SignalScope()
{
    install(endNow);
    target = nullptr;
}

bool SignalScope::caught() const
{
    return wasCaught.load();
}

} // namespace sparserl::cli
