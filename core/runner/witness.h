// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/protocol/channel.h"
#include "runner/call_rules.h"

#include <map>
#include <string>

namespace sparserl {

/// A small process beside a locked one that answers for its refused calls (Refusal::Witnessed) with the same
/// errors, and counts them. Only it holds the descriptor by which a call could also be let through. It ends
/// when this object does; calls are then refused with ENOSYS.
class Witness
{
public:
    /// Before this process has threads and before it is locked.
    static Result<Witness> start(LockedRole role);
    /// Hands over what filterCalls() returned. The process makes no call that is refused before that.
    Status watch(int listener);
    int fd() const { return m_socket.get(); }
    /// How often each call was refused, by name. Nothing where the other process is gone.
    std::map<std::string, std::int64_t> refused();

private:
    explicit Witness(FileDescriptor socket)
        : m_socket(std::move(socket))
    {
    }
    FileDescriptor m_socket;
};

} // namespace sparserl
