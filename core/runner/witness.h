// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/protocol/channel.h"
#include "runner/call_rules.h"

#include <map>
#include <string>

namespace sparserl {

/// A small process that answers the refused calls of a locked process (Refusal::Witnessed) with the same
/// errors and counts them. Only this small process has the descriptor, because its owner could also allow
/// calls. The small process ends when this object is destroyed; refused calls then fail with ENOSYS.
class Witness
{
public:
    /// Starts the small process. Call it before this process starts threads and before it is locked.
    static Result<Witness> start(LockedRole role);
    /// Passes the descriptor returned by filterCalls() to the small process. Before that, the locked process
    /// must not make a call that is refused.
    Status watch(int listener);
    int fd() const { return m_socket.get(); }
    /// Returns the number of refusals of each call, by name. Empty if the small process has ended.
    std::map<std::string, std::int64_t> refused();

private:
    explicit Witness(FileDescriptor socket)
        : m_socket(std::move(socket))
    {
    }
    FileDescriptor m_socket;
};

} // namespace sparserl
