// SPDX-License-Identifier: Apache-2.0
#include "app/training/policy_server.h"

#include "base/interruption.h"
#include "base/json.h"
#include "base/time.h"

#include <atomic>
#include <chrono>
#include <exception>
#include <fmt/format.h>
#include <httplib.h>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <thread>
#include <utility>

namespace sparserl::cli {

namespace {

constexpr std::size_t mostBody = std::size_t(64) << 20; ///< 5 million entries as JSON.
constexpr int mostThreads = 16; ///< Requests wait for each other; more connections wait for a thread.

std::int64_t now()
{
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

/// Whether two keys are equal, in a time that depends on the first one's length alone.
bool sameKey(const std::string& given, const std::string& wanted)
{
    unsigned different = given.size() == wanted.size() ? 0 : 1;
    for (std::size_t i = 0; i < given.size(); ++i)
        different |= static_cast<unsigned char>(given[i]) ^
                     static_cast<unsigned char>(wanted.empty() ? 0 : wanted[i % wanted.size()]);
    return different == 0;
}

/// Whether a Host header names this machine, with or without a port.
bool isThisMachine(const std::string& host)
{
    const auto colon = host.rfind(':');
    const bool hasPort = colon != std::string::npos && host.find(']', colon) == std::string::npos;
    const std::string name = hasPort ? host.substr(0, colon) : host;
    return name == "127.0.0.1" || name == "localhost" || name == "[::1]";
}

void answerWith(httplib::Response& response, int status, const nlohmann::json& body)
{
    response.status = status;
    response.set_content(dumpJson(body), "application/json");
}

class PolicyServer
{
public:
    PolicyServer(const Context& context, const ServedPolicy& policy, const ServerOptions& options)
        : m_context(context)
        , m_policy(policy)
        , m_options(options)
    {
    }
    Status run();

private:
    void setUp();
    bool isAllowed(const httplib::Request& request, httplib::Response& response) const;
    void complete(const httplib::Request& request, httplib::Response& response, bool chat);
    void stream(std::shared_ptr<const ServedRequest> request, httplib::Response& response);
    void count(const ServedSamples& served);

    const Context& m_context;
    const ServedPolicy& m_policy;
    const ServerOptions& m_options;
    httplib::Server m_server;
    std::mutex m_reading;
    std::mutex m_mutex; // of the counts
    std::size_t m_requests = 0, m_tokens = 0;
};

bool PolicyServer::isAllowed(const httplib::Request& request, httplib::Response& response) const
{
    if (!m_options.key.empty()) {
        const std::string given = request.get_header_value("Authorization");
        if (given.starts_with("Bearer ") && sameKey(given.substr(7), m_options.key))
            return true;
        answerWith(response, 401, servedError("the key is missing or wrong", "authentication_error"));
        return false;
    }
    // A page in the user's browser can send requests here, also under a name of its own for this address.
    const std::string site = request.get_header_value("Sec-Fetch-Site");
    if (request.get_header_value("Origin").empty() && (site.empty() || site == "none") &&
        isThisMachine(request.get_header_value("Host")))
        return true;
    answerWith(response, 403, servedError("pages of a browser are not answered without a key"));
    return false;
}

void PolicyServer::count(const ServedSamples& served)
{
    const std::lock_guard lock(m_mutex);
    ++m_requests;
    for (const Sample& sample : served.samples)
        m_tokens += sample.tokens.size();
}

void PolicyServer::stream(std::shared_ptr<const ServedRequest> request, httplib::Response& response)
{
    response.set_chunked_content_provider("text/event-stream", [this, request](std::size_t,
                                                                               httplib::DataSink& sink) {
        const CancelToken stop; // The client has gone, or the server ends.
        const auto send = [&](const std::string& data) {
            const std::string event = "data: " + data + "\n\n";
            if (m_context.cancel.cancelled() || !sink.write(event.data(), event.size()))
                stop.cancel();
        };
        const auto piece = [&](std::size_t choice, const std::string& text,
                               const std::optional<std::string>& reason) {
            send(dumpJson(servedPiece(*request, m_options.model, choice, text, reason, now())));
        };
        const auto served = m_policy.write(
            *request, stop, [&](std::size_t choice, const std::string& more) { piece(choice, more, {}); });
        if (!served && isInterruption(served.error()))
            return false;
        if (!served) {
            send(dumpJson(servedError(served.error().sentence())));
        } else {
            for (std::size_t i = 0; i < served->samples.size(); ++i)
                piece(i, {}, finishReason(served->samples[i]));
            count(*served);
        }
        send("[DONE]");
        sink.done();
        return true;
    });
}

void PolicyServer::complete(const httplib::Request& request, httplib::Response& response, bool chat)
{
    const auto read = [&]() -> Result<ServedRequest> {
        const std::lock_guard lock(m_reading); // JSON takes many times the memory of its text
        SPARSERL_TRY(const auto body, parseJson(request.body));
        return servedRequest(body, chat);
    };
    auto asked = read();
    if (!asked)
        return answerWith(response, 400, servedError(asked.error().sentence()));
    if (asked->stream)
        return stream(std::make_shared<const ServedRequest>(std::move(*asked)), response);
    const auto served = m_policy.write(*asked, m_context.cancel, {});
    if (!served && isInterruption(served.error()))
        return answerWith(response, 503, servedError("the server ends", "server_error"));
    if (!served)
        return answerWith(response, 400, servedError(served.error().sentence()));
    count(*served);
    answerWith(
        response, 200,
        servedAnswer(*asked, m_options.model, served->promptTokens, served->samples, served->texts, now()));
}

void PolicyServer::setUp()
{
    m_server.new_task_queue = [] { return new httplib::ThreadPool(mostThreads); };
    m_server.set_payload_max_length(mostBody);
    // Not the library's choice, with which two servers share a port.
    m_server.set_socket_options([](socket_t socket) {
        const int yes = 1;
        ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    // Before the body is read.
    m_server.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
        return isAllowed(request, response) ? httplib::Server::HandlerResponse::Unhandled
                                            : httplib::Server::HandlerResponse::Handled;
    });
    m_server.set_read_timeout(30);
    m_server.set_write_timeout(30);
    m_server.Get("/v1/models", [this](const httplib::Request&, httplib::Response& response) {
        answerWith(response, 200,
                   {{"object", "list"},
                    {"data", {{{"id", m_options.model}, {"object", "model"}, {"owned_by", "sparserl"}}}}});
    });
    for (const bool chat : {false, true})
        m_server.Post(chat ? "/v1/chat/completions" : "/v1/completions",
                      [this, chat](const httplib::Request& request, httplib::Response& response) {
                          complete(request, response, chat);
                      });
    m_server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
        if (!response.body.empty())
            return;
        const char* what = "the request is malformed";
        if (response.status == 404)
            what = "there is /v1/models, /v1/completions and /v1/chat/completions";
        else if (response.status == 413)
            what = "the body is too large: 64 MiB are the most, and 8 KiB without the header "
                   "\"Content-Type: application/json\"";
        answerWith(response, response.status, servedError(what));
    });
    m_server.set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, const std::exception_ptr& thrown) {
            std::string what = "the policy failed";
            try {
                std::rethrow_exception(thrown);
            } catch (const std::exception& error) {
                what = error.what();
            } catch (...) { // NOLINT(bugprone-empty-catch): nothing more is known of it
            }
            answerWith(response, 500, servedError(what.substr(0, what.find('\n')), "server_error"));
        });
}

Status PolicyServer::run()
{
    setUp();
    const int port = m_options.port > 0
                         ? (m_server.bind_to_port(m_options.host, m_options.port) ? m_options.port : -1)
                         : m_server.bind_to_any_port(m_options.host);
    if (port <= 0)
        return fail(fmt::format("cannot listen on {} port {}", m_options.host, m_options.port),
                    "Choose another --port; 0 takes any free one");
    const std::string url = fmt::format("http://{}:{}/v1", m_options.host, port);
    m_context.emit({{"url", url}, {"model", m_options.model}});
    if (!m_context.json)
        m_context.print(fmt::format("{} answers at {}; Ctrl-C ends it", m_options.model, url));
    std::atomic<bool> ended = false;
    std::thread watch([&] {
        while (!ended && !m_context.cancel.cancelled())
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        m_server.stop();
    });
    const bool listened = m_server.listen_after_bind();
    ended = true;
    watch.join();
    if (!m_context.quiet)
        m_context.note(fmt::format("answered {} requests with {} tokens", m_requests, m_tokens));
    if (!listened && !m_context.cancel.cancelled())
        return fail("the server stopped accepting connections");
    return {};
}

} // namespace

Status servePolicy(const Context& context, const ServedPolicy& policy, const ServerOptions& options)
{
    return PolicyServer(context, policy, options).run();
}

} // namespace sparserl::cli
