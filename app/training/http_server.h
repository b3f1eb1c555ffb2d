// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/training/client_stream.h"
#include "base/cancel.h"

#include <httplib.h>

namespace sparserl::cli {

/// cpp-httplib's server with a ClientStream and a separate thread for each connection, so that slow clients
/// do not delay others.
class HttpServer : public httplib::Server
{
public:
    HttpServer(const ClientLimits& limits, CancelToken ending);
    /// Lengthens the queue of clients that wait to be accepted; the library's queue has five places. Call it
    /// after the address is bound.
    void letWait();
    /// Returns the connection of a request that was passed to a handler.
    static ClientStream& clientOf(const httplib::Request& request);

private:
    bool process_and_close_socket(socket_t socket) override;
    bool answerRequests(ClientStream& client);

    ClientLimits m_limits;
    CancelToken m_ending;
};

} // namespace sparserl::cli
