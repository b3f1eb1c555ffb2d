// SPDX-License-Identifier: Apache-2.0
#include "app/training/policy_server.h"

#include "app/training/http_server.h"
#include "base/interruption.h"
#include "base/json.h"
#include "base/time.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fmt/format.h>
#include <httplib.h>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <semaphore>
#include <sys/socket.h>
#include <thread>
#include <utility>

namespace sparserl::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t mostBody = std::size_t(64) << 20; ///< 5 million entries as JSON.
constexpr const char* tooLarge = "the body is too large: 64 MiB are the most";
constexpr std::size_t mostWords = std::size_t(64) << 10; ///< Of a body that holds a name and a folder.
constexpr std::size_t mostBodies = std::size_t(1) << 30; ///< Bytes of all bodies that wait to be read.
constexpr std::ptrdiff_t mostRead = 16; ///< Requests in memory, one of which is being answered.

constexpr std::array postPaths = {"/v1/completions", "/v1/chat/completions", "/v1/load_lora_adapter"};
constexpr const char* allPaths =
    "there is /v1/models, /v1/completions, /v1/chat/completions and /v1/load_lora_adapter";

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
    if (status >= 400) // What follows may be the rest of the request.
        response.set_header("Connection", "close");
    response.set_content(dumpJson(body), "application/json");
}

std::string firstLine(const std::string& text)
{
    return text.substr(0, text.find('\n'));
}

std::string otherWeights(const std::string& loaded)
{
    return "the weights with this fingerprint are not loaded; those of " + loaded + " are";
}

/// The part of a limit that one user takes, until its end.
class BodyShare
{
public:
    explicit BodyShare(std::atomic<std::size_t>& all)
        : m_all(all)
    {
    }
    ~BodyShare() { m_all -= m_own; }
    BodyShare(const BodyShare&) = delete;
    BodyShare& operator=(const BodyShare&) = delete;
    bool take(std::size_t more, std::size_t most)
    {
        m_own += more;
        return m_all.fetch_add(more) + more <= most;
    }

private:
    std::atomic<std::size_t>& m_all;
    std::size_t m_own = 0;
};

class PolicyServer
{
public:
    PolicyServer(const Context& context, const ServedPolicy& policy, const ServerOptions& options)
        : m_context(context)
        , m_policy(policy)
        , m_options(options)
        , m_server(options.limits, context.cancel)
    {
    }
    Status run();

private:
    using Answer = httplib::Response;
    using Asked = std::shared_ptr<const ServedRequest>;

    void setUp();
    bool isAllowed(const httplib::Request& request, Answer& answer) const;
    bool takeBody(Answer& answer, const httplib::ContentReader& read, BodyShare& share, std::size_t most,
                  std::string& body) const;
    void complete(const httplib::Request& request, Answer& answer, const httplib::ContentReader& read,
                  bool chat);
    void update(Answer& answer, const httplib::ContentReader& read);
    bool isRefused(const httplib::Request& request, Answer& answer) const;
    void stream(const Asked& asked, ClientStream& client, httplib::DataSink& sink);
    void count(const ServedSamples& served);
    void countLeft();
    std::string summary() const;

    const Context& m_context;
    const ServedPolicy& m_policy;
    const ServerOptions& m_options;
    HttpServer m_server;
    std::atomic<std::size_t> m_bodies = 0;
    std::counting_semaphore<mostRead> m_places{mostRead};
    std::mutex m_reading;
    std::mutex m_mutex; // of the counts
    std::size_t m_requests = 0, m_tokens = 0, m_left = 0;
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

/// A client that left, unless the server itself gave the answer up.
void PolicyServer::countLeft()
{
    if (m_context.cancel.cancelled())
        return;
    const std::lock_guard lock(m_mutex);
    ++m_left;
}

std::string PolicyServer::summary() const
{
    std::string text = fmt::format("answered {} requests with {} tokens", m_requests, m_tokens);
    if (m_left > 0)
        text += fmt::format("; {} {} before the answer was complete", m_left,
                            m_left == 1 ? "client left" : "clients left");
    return text;
}

void PolicyServer::stream(const Asked& asked, ClientStream& client, httplib::DataSink& sink)
{
    using Clock = std::chrono::steady_clock;
    bool taken = true; // A client that does not read must not hold up the policy.
    const auto pause = std::chrono::duration<double>(m_options.limits.seconds / 2);
    auto said = Clock::now();
    const auto write = [&](const std::string& event) {
        said = Clock::now();
        taken = taken && sink.is_writable() && sink.write(event.data(), event.size());
    };
    const auto send = [&](const std::string& data) { write("data: " + data + "\n\n"); };
    std::string model;
    const auto piece = [&](std::size_t choice, const std::string& text,
                           const std::optional<std::string>& reason) {
        if (model.empty()) // They do not change while they write.
            model = m_policy.weights().model;
        send(dumpJson(servedPiece(*asked, model, choice, text, reason, now())));
    };
    ServedEvents events;
    events.text = [&](std::size_t choice, const std::string& more) { piece(choice, more, {}); };
    events.wanted = [&] {
        if (Clock::now() - said >= pause) // Clients and proxies give up a connection that is silent.
            write(": other requests are answered first, or the prompt is read\n\n");
        return taken && client.isThere();
    };
    const auto answer = [&]() -> Result<ServedSamples> {
        try {
            return m_policy.write(*asked, m_context.cancel, events);
        } catch (const std::exception& error) { // The exception handler is for answers that have not begun.
            return fail(firstLine(error.what()));
        }
    };
    const auto served = answer();
    if (!served && !isInterruption(served.error()))
        send(dumpJson(servedError(served.error().sentence())));
    if (served)
        model = served->weights.model;
    if (served && served->refused)
        send(dumpJson(servedError(otherWeights(model))));
    for (std::size_t i = 0; served && i < served->samples.size(); ++i)
        piece(i, {}, finishReason(served->samples[i]));
    if (!served && isInterruption(served.error()))
        taken = false;
    if (taken)
        send("[DONE]");
    if (!taken) {
        client.endAfterAnswer();
        return countLeft();
    }
    sink.done();
    if (served && !served->refused)
        count(*served);
}

/// Receives the body of a request. False, with an answer, if there is too much.
bool PolicyServer::takeBody(httplib::Response& answer, const httplib::ContentReader& read, BodyShare& share,
                            std::size_t most, std::string& body) const
{
    bool tooLong = false, busy = false;
    const bool whole = read([&](const char* data, std::size_t size) {
        tooLong = body.size() + size > most; // Also one that was compressed.
        busy = !tooLong && !share.take(size, mostBodies);
        if (!tooLong && !busy)
            body.append(data, size);
        return !tooLong && !busy;
    });
    if (busy) {
        answerWith(answer, 503, servedError("too many large requests arrive at once", "server_error"));
        answer.set_header("Retry-After", "1");
    } else if (tooLong) {
        answerWith(answer, 413,
                   servedError(most == mostBody ? tooLarge : "the body is too large: 64 KiB are the most"));
    } else if (!whole && answer.status < 400) {
        answer.status = 400;
    }
    return whole && !tooLong && !busy;
}

void PolicyServer::complete(const httplib::Request& request, httplib::Response& response,
                            const httplib::ContentReader& read, bool chat)
{
    ClientStream& client = HttpServer::clientOf(request);
    auto share = std::make_unique<BodyShare>(m_bodies);
    std::string body;
    if (!takeBody(response, read, *share, mostBody, body))
        return;
    ServedEvents events;
    events.wanted = [&] { return client.isThere(); };
    while (!m_places.try_acquire_for(std::chrono::milliseconds(50)))
        if (m_context.cancel.cancelled() || !events.wanted()) {
            answerWith(response, 503, servedError("the server ends", "server_error"));
            client.endAfterAnswer();
            return countLeft();
        }
    // Given back when the answer has been written, also that of a stream.
    const std::shared_ptr<void> place(nullptr, [this](void*) { m_places.release(); });
    const auto parse = [&]() -> Result<ServedRequest> {
        const std::lock_guard lock(m_reading); // JSON takes many times the memory of its text
        SPARSERL_TRY(const auto json, parseJson(body));
        return servedRequest(json, chat);
    };
    auto parsed = parse();
    std::string().swap(body);
    share.reset();
    if (!parsed)
        return answerWith(response, 400, servedError(parsed.error().sentence()));
    if (parsed->stream) {
        const auto asked = std::make_shared<const ServedRequest>(std::move(*parsed));
        return response.set_chunked_content_provider(
            "text/event-stream", [this, asked, place, &client](std::size_t, httplib::DataSink& sink) {
                stream(asked, client, sink);
                return !client.isLast();
            });
    }
    const auto served = m_policy.write(*parsed, m_context.cancel, events);
    if (!served && isInterruption(served.error())) {
        countLeft();
        return answerWith(response, 503, servedError("the server ends", "server_error"));
    }
    if (!served)
        return answerWith(response, 400, servedError(served.error().sentence()));
    if (served->refused)
        return answerWith(response, 409, servedError(otherWeights(served->weights.model)));
    count(*served);
    auto answer = servedAnswer(*parsed, served->weights.model, served->promptTokens, served->samples,
                               served->texts, now());
    if (!served->weights.fingerprint.empty())
        answer["system_fingerprint"] = served->weights.fingerprint;
    answerWith(response, 200, answer);
}

/// Whether a folder is below another one, wherever links lead.
bool isBelow(const fs::path& folder, const fs::path& top)
{
    std::error_code code;
    const fs::path inner = fs::canonical(folder, code), outer = fs::canonical(top, code);
    if (code || inner.empty() || outer.empty())
        return false;
    return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

/// New weights for the policy (rl.sampler = endpoint), in vLLM's words for a new adapter.
void PolicyServer::update(httplib::Response& response, const httplib::ContentReader& read)
{
    BodyShare share(m_bodies);
    std::string text;
    if (!takeBody(response, read, share, mostWords, text))
        return;
    if (m_options.updates.empty())
        return answerWith(response, 403,
                          servedError("this server takes no new weights; start it with --updates FOLDER"));
    const auto body = parseJson(text);
    const auto name = body ? jsonValue(*body, "lora_name", std::string()) : std::string();
    const auto folder = body ? jsonValue(*body, "lora_path", std::string()) : std::string();
    if (name.empty() || folder.empty())
        return answerWith(response, 400, servedError("give \"lora_name\" and \"lora_path\""));
    if (!isBelow(folder, m_options.updates))
        return answerWith(response, 403,
                          servedError("this server takes new weights only from folders below " +
                                      m_options.updates.string()));
    const auto weights = m_policy.update(name, folder, m_context.cancel);
    if (!weights)
        return answerWith(response, isInterruption(weights.error()) ? 503 : 400,
                          servedError(weights.error().sentence()));
    if (!m_context.quiet)
        m_context.note(fmt::format("answers with the weights {} from now on", weights->model));
    answerWith(response, 200, {{"model", weights->model}, {"system_fingerprint", weights->fingerprint}});
}

/// Whether a request gets its answer before its body is read. The library would read one that no handler
/// takes to its end, without a limit.
bool PolicyServer::isRefused(const httplib::Request& request, httplib::Response& response) const
{
    const bool posts = request.method == "POST";
    // The library would read a body without a length until the client closes its side, and one that is too
    // long to its end.
    const bool lengthless = posts && !request.has_header("Content-Length") &&
                            request.get_header_value("Transfer-Encoding") != "chunked";
    if (!isAllowed(request, response))
        return true;
    if (!posts && request.method != "GET" && request.method != "HEAD")
        answerWith(response, 405, servedError("requests are sent by GET or POST"));
    else if (posts && std::ranges::find(postPaths, request.path) == std::end(postPaths))
        answerWith(response, 404, servedError(allPaths));
    else if (lengthless)
        answerWith(response, 411, servedError("the header Content-Length is missing"));
    else if (request.get_header_value<std::uint64_t>("Content-Length") > mostBody)
        answerWith(response, 413, servedError(tooLarge));
    return response.status >= 400;
}

void PolicyServer::setUp()
{
    m_server.set_payload_max_length(mostBody);
    // Not the library's choice, with which two servers share a port.
    m_server.set_socket_options([](socket_t socket) {
        const int yes = 1;
        ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    m_server.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
        return isRefused(request, response) ? httplib::Server::HandlerResponse::Handled
                                            : httplib::Server::HandlerResponse::Unhandled;
    });
    m_server.Get("/v1/models", [this](const httplib::Request&, httplib::Response& response) {
        answerWith(
            response, 200,
            {{"object", "list"},
             {"data", {{{"id", m_policy.weights().model}, {"object", "model"}, {"owned_by", "sparserl"}}}}});
    });
    m_server.Post(postPaths[2], [this](const httplib::Request&, httplib::Response& response,
                                       const httplib::ContentReader& read) { update(response, read); });
    for (const bool chat : {false, true})
        m_server.Post(
            postPaths[chat ? 1 : 0],
            [this, chat](const httplib::Request& request, httplib::Response& response,
                         const httplib::ContentReader& read) { complete(request, response, read, chat); });
    m_server.set_error_handler([](const httplib::Request&, httplib::Response& response) {
        if (!response.body.empty())
            return;
        const char* what = "the request is malformed";
        if (response.status == 404)
            what = allPaths;
        else if (response.status == 413)
            what = tooLarge;
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
            answerWith(response, 500, servedError(firstLine(what), "server_error"));
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
    m_server.letWait();
    const std::string url = fmt::format("http://{}:{}/v1", m_options.host, port);
    const std::string model = m_policy.weights().model;
    m_context.emit({{"url", url}, {"model", model}});
    if (!m_context.json)
        m_context.print(fmt::format("{} answers at {}; Ctrl-C ends it", model, url));
    std::atomic<bool> ended = false;
    std::thread watch([&] {
        // What does not run yet cannot be stopped.
        while (!ended && !(m_context.cancel.cancelled() && m_server.is_running()))
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        m_server.stop();
    });
    const bool listened = m_server.listen_after_bind();
    ended = true;
    watch.join();
    if (!m_context.quiet)
        m_context.note(summary());
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
