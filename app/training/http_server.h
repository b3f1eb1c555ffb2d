// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/training/client_stream.h"
#include "base/cancel.h"

#include <httplib.h>

namespace sparserl::cli {

/// cpp-httplib with a ClientStream for each connection, which has a thread of its own: slow clients hold up
/// nobody else.
class HttpServer : public httplib::Server
{
public:
    HttpServer(const ClientLimits& limits, CancelToken ending);
    /// To be called once the address is bound: the library itself lets five clients wait to be accepted.
    void letWait();
    /// The connection of a request that a handler was given.
    static ClientStream& clientOf(const httplib::Request& request);

private:
    bool process_and_close_socket(socket_t socket) override;
    bool answerRequests(ClientStream& client);

    ClientLimits m_limits;
    CancelToken m_ending;
};

} // namespace sparserl::cli
