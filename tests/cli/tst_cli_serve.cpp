// SPDX-License-Identifier: Apache-2.0
// A policy behind `sparserl serve`: it gives what `generate` gives, refuses what it cannot do, and our own
// client understands it.
#include "base/json.h"
#include "endpoint/capabilities.h"
#include "endpoint/endpoint_client.h"
#include "endpoint/http.h"
#include "programs.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <poll.h>
#include <sstream>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace sparserl;
using namespace sparserl::test;
namespace fs = std::filesystem;

namespace {

/// 3 x 4 in Matrix Market and as the server takes it.
constexpr const char* matrixFile =
    "%%MatrixMarket matrix coordinate real general\n3 4 3\n1 1 1\n1 3 2\n3 4 3\n";
nlohmann::json matrix()
{
    return {{"rows", 3}, {"cols", 4}, {"row_ptr", {0, 2, 2, 3}}, {"col", {0, 2, 3}}, {"val", {1, 2, 3}}};
}

/// A connection that sends bytes and reads nothing by itself.
class RawClient
{
public:
    RawClient(const std::string& url, const std::string& bytes)
        : m_socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
        if (::connect(m_socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
            qFatal("no connection to %s", url.c_str());
        send(bytes);
    }
    ~RawClient() { ::close(m_socket); }
    RawClient(RawClient&& other) noexcept
        : m_socket(std::exchange(other.m_socket, -1))
    {
    }
    RawClient& operator=(RawClient&&) = delete;
    bool send(const std::string& bytes) const
    {
        return ::send(m_socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(bytes.size());
    }
    /// Sends nothing more; the server takes this for a client that has left.
    void leave() const { ::shutdown(m_socket, SHUT_WR); }
    /// What arrives up to some words; all if they do not come.
    std::string until(const std::string& words) const
    {
        std::string all;
        char byte = 0;
        while (!all.ends_with(words)) {
            pollfd waited{m_socket, POLLIN, 0};
            if (::poll(&waited, 1, patience()) != 1 || ::recv(m_socket, &byte, 1, 0) != 1)
                break;
            all += byte;
        }
        return all;
    }
    /// All until the server closes the connection; nullopt if it does not.
    std::optional<std::string> rest() const
    {
        std::string all;
        char buffer[4096];
        for (;;) {
            pollfd waited{m_socket, POLLIN, 0};
            if (::poll(&waited, 1, patience()) != 1)
                return std::nullopt;
            const ssize_t got = ::recv(m_socket, buffer, sizeof buffer, 0);
            if (got <= 0)
                return all;
            all.append(buffer, static_cast<std::size_t>(got));
        }
    }

private:
    int m_socket;
};

const std::string head = "POST /v1/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n";

} // namespace

class TestCliServe : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(m_dir.isValid());
        QVERIFY(writeFileAtomic(folder() / "project/project.toml", tinyProject));
        QVERIFY(writeFileAtomic(folder() / "small.mtx", matrixFile));
        const auto trained = shell(folder(),
                                   std::string("$SPARSERL --quiet train quickstart-sft --project project "
                                               "--set sft.steps=4 ") +
                                       tinySft,
                                   120);
        QVERIFY2(trained.status.ok(), trained.error.c_str());
        start("", "");
    }
    void cleanupTestCase()
    {
        if (m_server) {
            ::kill(m_server->pid(), SIGINT);
            QVERIFY(m_server->wait(patienceSeconds()).has_value());
        }
    }

    void choicesAreThoseOfGenerate()
    {
        const auto written = shell(folder(),
                                   "$SPARSERL --json --quiet generate --policy project/runs/0001-sft "
                                   "--matrix small.mtx -n 100 --no-judge --no-verifier --max-tokens 30 "
                                   "--temperature 0.8 --seed 7",
                                   120);
        QVERIFY2(written.status.ok(), written.error.c_str());
        std::vector<nlohmann::json> programs;
        std::istringstream lines(written.output);
        for (std::string line; std::getline(lines, line);)
            if (auto json = nlohmann::json::parse(line); json.contains("program"))
                programs.push_back(std::move(json));
        QCOMPARE(programs.size(), std::size_t(100));
        nlohmann::json body{{"matrix", matrix()}, {"n", 100},      {"max_tokens", 30}, {"temperature", 0.8},
                            {"seed", 7},          {"logprobs", 1}, {"model", "any"}};
        const auto answer = post("completions", body, 200);
        QCOMPARE(answer["choices"].size(), std::size_t(100));
        for (std::size_t i = 0; i < 100; ++i) {
            const auto& choice = answer["choices"][i];
            QCOMPARE(choice["text"].get<std::string>(), programs[i]["program"].get<std::string>());
            const auto& found = choice["logprobs"];
            QCOMPARE(found["token_ids"].size(), programs[i]["tokens"].get<std::size_t>());
            double sum = 0;
            for (const auto& one : found["token_logprobs"])
                sum += one.get<float>();
            QVERIFY(std::abs(sum - programs[i]["log_probability"].get<double>()) < 1e-9);
            QCOMPARE(found["token_logprobs"], found["behaviour_logprobs"]); // ancestral
        }
        body["seed"] = 8;
        QVERIFY(post("completions", body, 200)["choices"][0]["text"] != answer["choices"][0]["text"]);
    }

    /// Each token of a program that somebody wrote: together they are the program.
    void tokensAreScored()
    {
        const std::string program = "//! task spmv\n//! launch k<<<1, 1>>>(rows)\n"
                                    "extern \"C\" __global__ void k(int rows) { int x = 1; }}\n";
        QVERIFY(writeFileAtomic(folder() / "k.cu", program));
        const auto scored = shell(folder(),
                                  "$SPARSERL --json policy score k.cu --policy project/runs/0001-sft "
                                  "--matrix small.mtx --temperature 0.5",
                                  120);
        QVERIFY2(scored.status.ok(), scored.error.c_str());
        std::string text;
        double sum = 0;
        nlohmann::json last;
        std::size_t count = 0, plan = 0;
        std::istringstream lines(scored.output);
        for (std::string line; std::getline(lines, line);) {
            last = nlohmann::json::parse(line);
            if (!last.contains("token"))
                continue;
            QCOMPARE(last["token"].get<std::size_t>(), count++);
            text += last["text"].get<std::string>();
            sum += last["log_probability"].get<double>();
            QVERIFY(last["log_probability"].get<double>() <= 0 && last["entropy"].get<double>() >= 0);
            plan += last["class"] == "plan" ? 1 : 0;
        }
        QCOMPARE(text, program);
        QVERIFY(plan > 0 && plan < count);
        QCOMPARE(last["tokens"].get<std::size_t>(), count);
        QCOMPARE(last["temperature"].get<double>(), 0.5);
        QVERIFY(std::abs(last["log_probability"].get<double>() - sum) < 1e-6);
        QVERIFY(last["stop_reason"].get<std::string>().starts_with("line 3: "));
        QVERIFY(last["stopped_at"].get<std::size_t>() < count - 1);
    }

    /// Pieces of a stream add up to the whole answer, for several clients at once.
    void streamsAreWhole()
    {
        std::vector<std::thread> clients;
        std::atomic<int> equal = 0;
        for (int client = 0; client < 4; ++client)
            clients.emplace_back([&, client] {
                nlohmann::json body{{"matrix", matrix()}, {"max_tokens", 40}, {"seed", client}};
                const auto whole = post("completions", body, 200)["choices"][0];
                body["stream"] = true;
                HttpRequest request;
                request.url = m_url + "/completions";
                request.body = body.dump();
                const auto streamed = exchange(request, {});
                if (!streamed || streamed->type != "text/event-stream")
                    return;
                std::string text, reason;
                std::istringstream lines(streamed->body);
                for (std::string line; std::getline(lines, line);) {
                    if (!line.starts_with("data: {"))
                        continue;
                    const auto choice = nlohmann::json::parse(line.substr(6))["choices"][0];
                    text += choice["text"].get<std::string>();
                    if (choice["finish_reason"].is_string())
                        reason = choice["finish_reason"];
                }
                equal += text == whole["text"].get<std::string>() &&
                         reason == whole["finish_reason"].get<std::string>();
            });
        for (std::thread& client : clients)
            client.join();
        QCOMPARE(equal.load(), 4);
    }

    void ourClientUnderstandsIt()
    {
        EndpointSettings settings;
        settings.name = "own";
        settings.url = m_url;
        settings.model = "0001-sft";
        settings.requestsPerMinute = 1e6;
        const auto client = EndpointClient::make(settings);
        QVERIFY(client);
        QCOMPARE(*client->models({}), std::vector<std::string>{"0001-sft"});
        const auto answer = client->ask({"", "Write a program.", 1, 1, 12, 3}, {});
        QVERIFY2(answer, answer ? "" : answer.error().sentence().c_str());
        const auto asked = post("chat/completions",
                                {{"messages", {{{"role", "user"}, {"content", "Write a program."}}}},
                                 {"max_tokens", 12},
                                 {"temperature", 1},
                                 {"seed", 3}},
                                200);
        QCOMPARE(answer->text, asked["choices"][0]["message"]["content"].get<std::string>());
        const auto probe = probeEndpoint(*client, {});
        QVERIFY(probe && !probe->problem);
        for (const EndpointCapability capability :
             {EndpointCapability::Models, EndpointCapability::Chat, EndpointCapability::Streaming,
              EndpointCapability::Completions, EndpointCapability::PromptTokens, EndpointCapability::TokenIds,
              EndpointCapability::LogProbs})
            QVERIFY2(probe->has(capability), toJson(probe->tested).dump().c_str());
        QVERIFY(!probe->has(EndpointCapability::Adapters)); // it was started without --updates
        // This policy knows no format of conversations.
        const auto system = client->ask({"Be brief.", "Write a program.", 1, 1, 12, 3}, {});
        QVERIFY(!system && system.error().what.find("knows no chat format") != std::string::npos);
    }

    /// Clients that send nothing, half a request, or do not read their answer.
    void slowClientsHoldNobodyUp()
    {
        Other other(*this, "--client-seconds 3600");
        std::vector<RawClient> slow;
        for (int i = 0; i < 40; ++i)
            slow.emplace_back(m_url, i % 4 == 0   ? ""
                                     : i % 4 == 1 ? head
                                     : i % 4 == 2 ? head + "Content-Length: 900\r\n\r\n{"
                                                  : "GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
        const std::string body = R"({"stream": true, "n": 256, "max_tokens": 60})";
        slow.emplace_back(m_url, head + fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body));
        QCOMPARE(post("completions", {{"max_tokens", 5}}, 200)["choices"].size(), std::size_t(1));
    }

    /// A stream that waits for its turn says so: a silent connection is given up by somebody.
    void waitingStreamsAreNotSilent()
    {
        Other other(*this, "--client-seconds 0.4");
        const auto posted = [](const std::string& body) {
            return head + fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
        };
        auto longer = std::make_optional<RawClient>(m_url, posted(R"({"n": 256, "max_tokens": 16000})"));
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        const RawClient waiting(m_url, posted(R"({"stream": true, "max_tokens": 5})"));
        const auto said = waiting.until(": other requests are answered first");
        QVERIFY2(said.find("data:") == std::string::npos, said.c_str());
        longer.reset();
        const auto more = waiting.until("[DONE]");
        QVERIFY2(more.find("data: {") != std::string::npos, more.c_str());
    }

    void slowClientsAreLeft()
    {
        Other other(*this, "--client-seconds 0.3");
        std::vector<RawClient> slow;
        slow.emplace_back(m_url, "");
        slow.emplace_back(m_url, head);
        slow.emplace_back(m_url, head + "Content-Length: 900\r\n\r\n{");
        slow.emplace_back(m_url, "nonsense\r\n");
        for (const RawClient& one : slow)
            QVERIFY(one.rest().has_value());
        const RawClient idle(m_url, "GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
        QVERIFY(idle.rest().value_or("").find("0001-sft") != std::string::npos);
        const RawClient drips(m_url, head); // always something, never a request
        QVERIFY(comesTrue([&] { return !drips.send("X"); }));
        QCOMPARE(post("completions", {{"max_tokens", 5}}, 200)["choices"].size(), std::size_t(1));
    }

    /// A request whose client left ends, streamed or not, and counts as such.
    void clientsThatLeave()
    {
        Other other(*this, "", false);
        for (const bool stream : {false, true}) {
            const std::string body =
                nlohmann::json{{"n", 256}, {"max_tokens", 16000}, {"stream", stream}}.dump();
            const RawClient client(m_url,
                                   head + fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body));
            client.leave();
            QVERIFY(client.rest().has_value()); // The server closes the connection after it has counted.
        }
        const auto answer = post("completions", {{"max_tokens", 5}}, 200);
        const std::string said = other.ended();
        QVERIFY2(said.starts_with(fmt::format("sparserl: answered 1 requests with {} tokens; 2 clients left "
                                              "before the answer was complete\n",
                                              answer["usage"]["completion_tokens"].get<int>())),
                 said.c_str());
    }

    /// Our client sends a request until it is cancelled; the server goes on to answer others.
    void clientsThatAreCancelled()
    {
        HttpRequest request;
        request.url = m_url + "/completions";
        request.body = nlohmann::json{{"n", 256}, {"max_tokens", 16000}}.dump();
        const CancelToken leave;
        std::thread leaving([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            leave.cancel();
        });
        const auto answered = exchange(request, leave);
        leaving.join();
        QVERIFY(!answered);
        QCOMPARE(post("completions", {{"max_tokens", 5}}, 200)["choices"].size(), std::size_t(1));
    }

    /// Bodies that are too large, also once they are unpacked, or that do not say how large they are.
    void bodiesThatAreRefused()
    {
        const auto zeros = QByteArray(80 << 20, ' ');
        QByteArray packed = qCompress(zeros).mid(4); // zlib's format, which "deflate" means
        const auto answered = [&](const std::string& more, const QByteArray& body) {
            const RawClient client(m_url, head + more + "\r\n" + body.toStdString());
            return client.rest().value_or("");
        };
        const auto unpacked = answered(
            fmt::format("Content-Encoding: deflate\r\nContent-Length: {}\r\n", packed.size()), packed);
        QVERIFY2(unpacked.find(" 413 ") != std::string::npos || unpacked.find(" 415 ") != std::string::npos,
                 unpacked.c_str());
        const auto large = answered("Content-Length: 99999999\r\n", "{");
        QVERIFY2(large.find("64 MiB are the most") != std::string::npos, large.c_str());
        const auto lengthless = answered("", "{}");
        QVERIFY2(lengthless.find(" 411 ") != std::string::npos, lengthless.c_str());
    }

    /// The library reads what no handler takes without a limit, so that is refused before.
    void requestsThatNobodyTakes()
    {
        const auto answered = [&](const std::string& request) {
            return RawClient(m_url, request).rest().value_or("").substr(0, 13);
        };
        const std::string host = " HTTP/1.1\r\nHost: 127.0.0.1\r\n",
                          chunked = "Transfer-Encoding: chunked\r\n\r\n";
        QCOMPARE(answered("PUT /v1/models" + host + "\r\n"), std::string("HTTP/1.1 405 "));
        QCOMPARE(answered("DELETE /v1/completions" + host + chunked), std::string("HTTP/1.1 405 "));
        QCOMPARE(answered("POST /v1/other" + host + chunked), std::string("HTTP/1.1 404 "));
        QCOMPARE(
            answered("POST /v1/load_lora_adapter" + host + chunked + "19000\r\n" + std::string(0x19000, ' ')),
            std::string("HTTP/1.1 413 "));
        const auto ranges =
            RawClient(m_url, "GET /v1/models" + host + "Range: bytes=0-,0-,0-\r\nConnection: close\r\n\r\n")
                .rest()
                .value_or("");
        QVERIFY2(ranges.starts_with("HTTP/1.1 200 "), ranges.c_str());
    }

    /// Clients that send without an end, faster than any limit of time.
    void endlessClientsAreLeft()
    {
        Other other(*this, "");
        const std::string many(65536, 'A');
        const auto isLeft = [&](const std::string& begin, const std::string& more) {
            const RawClient client(m_url, begin);
            for (int i = 0; i < 1000; ++i) // 64 MiB
                if (!client.send(more))
                    return true;
            return false;
        };
        QVERIFY(isLeft("GET /", many));
        QVERIFY(isLeft("GET /v1/models HTTP/1.1\r\nA: ", many));
        std::string lines;
        while (lines.size() < 65536)
            lines += "a: b\r\n";
        QVERIFY(isLeft("GET /v1/models HTTP/1.1\r\n", lines));
        std::atomic<bool> left = false;
        const std::string url = m_url;
        std::thread sending([&] { // What it sends is refused, and it goes on.
            const RawClient client(url,
                                   "POST /v1/other HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\n\r\n");
            while (client.send(many)) {
            }
            left = true;
        });
        const bool comes = comesTrue([&] { return left.load(); });
        other.ended();
        sending.join();
        QVERIFY(comes);
    }

    /// What makes the policy fail while it writes fails the request alone, also a streamed one.
    void failuresEndNoServer()
    {
        HttpRequest request;
        request.url = m_url + "/completions";
        const auto tried = [&](std::size_t width, std::size_t features, double value, bool stream) {
            request.body = nlohmann::json{{"stream", stream},
                                          {"max_tokens", 5},
                                          {"matrix_tokens",
                                           {{"count", 1},
                                            {"entries", std::vector<double>(width, value)},
                                            {"features", std::vector<double>(features, value)}}}}
                               .dump();
            return exchange(request, {});
        };
        std::size_t width = 1;
        const std::size_t features = 24;
        while (width < 1000 && tried(width, features, 0, false)->status != 200)
            ++width;
        QVERIFY(width < 1000);
        const auto whole = tried(width, features, 3e38, false);
        QVERIFY(whole && whole->status == 500);
        const auto streamed = tried(width, features, 3e38, true);
        QVERIFY2(streamed, streamed ? "" : streamed.error().sentence().c_str());
        QVERIFY2(streamed->body.find("\"error\"") != std::string::npos, streamed->body.c_str());
        QVERIFY2(streamed->body.find("[DONE]") != std::string::npos, streamed->body.c_str());
        QCOMPARE(post("completions", {{"max_tokens", 5}}, 200)["choices"].size(), std::size_t(1));
    }

    /// The server is killed while it answers and comes back: nothing is lost or doubled.
    void killedAndBack()
    {
        constexpr std::size_t count = 200;
        const auto ask = [&](bool killed) {
            EndpointSettings settings;
            settings.name = "own";
            settings.url = m_url;
            settings.model = "0001-sft";
            settings.requestsPerMinute = 1e6;
            auto client = EndpointClient::make(settings);
            client->setPause(0.5);
            std::vector<std::string> texts(count);
            std::atomic<std::size_t> next = 0, done = 0;
            std::vector<std::thread> threads;
            for (int i = 0; i < 3; ++i)
                threads.emplace_back([&] {
                    for (std::size_t at = next++; at < count; at = next++) {
                        const auto answer = client->ask({"", "Write a program.", 1, 1, 60, at}, {});
                        texts[at] = answer ? answer->text : answer.error().sentence();
                        ++done;
                    }
                });
            if (killed) {
                comesTrue([&] { return done > 40; });
                restart();
            }
            for (std::thread& thread : threads)
                thread.join();
            return std::pair(texts, client->use());
        };
        Other other(*this, "");
        const auto [wanted, undisturbed] = ask(false);
        const auto [texts, use] = ask(true);
        for (std::size_t i = 0; i < count; ++i)
            QCOMPARE(texts[i], wanted[i]);
        QCOMPARE(use.tokens, undisturbed.tokens);
        QCOMPARE(undisturbed.requests, std::int64_t(count));
        QVERIFY(use.retries > 0);
        QCOMPARE(use.requests, std::int64_t(count) + use.retries);
    }

    void requestsThatAreRefused_data()
    {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("words");
        const auto row = [](const char* name, const char* body, const char* words) {
            QTest::newRow(name) << QByteArray(body).replace('\'', '"') << QByteArray(words);
        };
        row("no JSON", "{", "this is not JSON");
        row("a list", "[]", "must be a JSON object");
        row("deep", std::string(100000, '[').c_str(), "nest more than");
        row("n", "{'n':0}", "n must be 1 to 256");
        row("n of another type", "{'n':'5'}", "n must be a whole number");
        row("fraction", "{'n':1.5}", "n must be a whole number");
        row("tokens", "{'max_tokens':100000000}", "max_tokens must be 1 to");
        row("tokens beyond integers", "{'max_tokens':1e30}", "max_tokens must be a whole number");
        row("temperature", "{'temperature':-1}", "temperature must be 0 to 100");
        row("top_p", "{'top_p':0}", "top_p must be");
        row("seed", "{'seed':-1}", "seed must be a whole number from 0");
        row("prompt", "{'prompt':5}", "prompt must be a text or a list of token IDs");
        row("prompt of another type", "{'prompt':[1,'a']}", "prompt must be a text or a list of token IDs");
        row("prompt beyond the vocabulary", "{'prompt':[1,100000]}", "the policy has no token 100000");
        row("long prompt", ("{'prompt':'" + std::string(300'000, 'a') + "'}").c_str(),
            "at most 262144 bytes");
        std::string ids = "{'prompt':[1";
        for (int i = 0; i < 20'000; ++i)
            ids += ",1";
        row("prompt of many tokens", (ids + "]}").c_str(), "at most 16384 tokens");
        row("seeds", "{'n':2,'seeds':[1]}", "seeds must have n numbers");
        row("two matrices", "{'matrix':{},'matrix_tokens':{}}", "not both");
        row("tokens of no matrix", "{'matrix_tokens':{'count':1,'entries':[1]}}", "are not those of");
        row("parents", "{'matrix_tokens':{'count':1,'entries':[1],'parents':[0]}}", "must come before it");
        row("large tokens", "{'matrix_tokens':{'count':1,'entries':[1e300]}}", "finite");
        row("stop", "{'stop':['a']}", "stop is not supported");
        row("stream with ids", "{'stream':true,'logprobs':1}", "are not streamed");
        row("matrix of another type", "{'matrix':'A.mtx'}", "matrix must be an object");
        row("no entries", "{'matrix':{'rows':3}}", "must have row_ptr and col");
        row("column", "{'matrix':{'rows':1,'cols':2,'row_ptr':[0,1],'col':[2]}}", "no matrix in CSR form");
        row("descending", "{'matrix':{'rows':1,'cols':2,'row_ptr':[0,2],'col':[1,0]}}",
            "no matrix in CSR form");
        row("pointers", "{'matrix':{'rows':1,'cols':2,'row_ptr':[0,9],'col':[1]}}", "no matrix in CSR form");
        row("negative", "{'matrix':{'rows':-1,'cols':2,'row_ptr':[],'col':[]}}", "no matrix in CSR form");
        row("many rows", "{'matrix':{'rows':2000000000,'cols':2,'row_ptr':[0],'col':[]}}",
            "no matrix in CSR form");
        row("values", "{'matrix':{'rows':1,'cols':2,'row_ptr':[0,1],'col':[1],'val':[1e300]}}",
            "single-precision");
        row("number of values", "{'matrix':{'rows':1,'cols':2,'row_ptr':[0,1],'col':[1],'val':[]}}",
            "as many");
    }
    void requestsThatAreRefused()
    {
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, words);
        HttpRequest request;
        request.url = m_url + "/completions";
        request.body = body.toStdString();
        const auto answer = exchange(request, {});
        QVERIFY2(answer, answer ? "" : answer.error().sentence().c_str());
        QCOMPARE(answer->status, 400);
        std::string said = nlohmann::json::parse(answer->body)["error"]["message"];
        said.erase(std::remove(said.begin(), said.end(), '"'), said.end());
        QVERIFY2(said.find(words.toStdString()) != std::string::npos, said.c_str());
    }

    void keysAndPages()
    {
        const auto open =
            shell(folder(), "$SPARSERL serve --policy project/runs/0001-sft --host 0.0.0.0 --port 0");
        QCOMPARE(open.status.code, 2);
        QVERIFY2(open.error.find("Give --key-variable") != std::string::npos, open.error.c_str());
        const auto page =
            shell(folder(), "curl -s -o /dev/null -w '%{http_code}' -H 'Origin: http://example.com' " +
                                m_url + "/models 2>/dev/null || true");
        QVERIFY(page.output == "403" || page.output.empty()); // where curl is installed
        for (const char* header :
             {"Host: example.com", "Host: 127.0.0.1.example.com", "Sec-Fetch-Site: cross-site"})
            QCOMPARE(shell(folder(),
                           fmt::format("curl -s -o /dev/null -w '%{{http_code}}' -H '{}' {}/models || true",
                                       header, m_url))
                         .output.substr(0, 3),
                     page.output.substr(0, 3));
        const std::string port = m_url.substr(m_url.rfind(':') + 1, 5);
        const auto twice =
            shell(folder(), "$SPARSERL serve --policy project/runs/0001-sft --policy-device cpu --port " +
                                port.substr(0, port.find('/')));
        QCOMPARE(twice.status.code, 1);
        QVERIFY2(twice.error.find("cannot listen on 127.0.0.1 port") != std::string::npos,
                 twice.error.c_str());
        Other other(*this, "--key-variable SERVE_KEY", true, "SERVE_KEY=sk-own ");
        HttpRequest request;
        request.url = m_url + "/models";
        for (const char* key : {"", "sk-ow", "sk-own1", "sk-owm"}) {
            request.key = key;
            const auto refused = exchange(request, {});
            QVERIFY(refused && refused->status == 401);
        }
        request.key = "sk-own";
        const auto taken = exchange(request, {});
        QVERIFY(taken && taken->status == 200);
    }

private:
    /// Another server, which the test talks to until the end of this object.
    class Other
    {
    public:
        Other(TestCliServe& test, const std::string& words, bool quiet = true, const std::string& before = {})
            : m_test(test)
            , m_url(test.m_url)
            , m_server(std::move(test.m_server))
        {
            test.start(before, words, quiet);
        }
        ~Other()
        {
            if (m_test.m_server)
                ended();
            m_test.m_server = std::move(m_server);
            m_test.m_url = m_url;
        }
        Other(const Other&) = delete;
        Other& operator=(const Other&) = delete;
        /// Ends it; what it has written to stderr.
        std::string ended()
        {
            ::kill(m_test.m_server->pid(), SIGINT);
            if (!m_test.m_server->wait(patienceSeconds()))
                qFatal("the server does not end");
            m_test.m_server.reset();
            return readFile(m_test.folder() / "serve.err").value_or("");
        }

    private:
        TestCliServe& m_test;
        std::string m_url;
        std::optional<Subprocess> m_server;
    };

    fs::path folder() const { return m_dir.path().toStdString(); }

    /// Kills the server and starts it again under the same address.
    void restart()
    {
        ::kill(m_server->pid(), SIGKILL);
        m_server->wait(patienceSeconds());
        const std::string port = m_url.substr(m_url.rfind(':') + 1);
        start("", "--port " + port.substr(0, port.find('/')));
    }

    void start(const std::string& before, const std::string& words, bool quiet = true)
    {
        fs::remove(folder() / "serve.out");
        m_server = startShell(folder(), before + "exec $SPARSERL --json " + (quiet ? "--quiet " : "") +
                                            "serve --policy project/runs/0001-sft --policy-device cpu " +
                                            (words.find("--port") == std::string::npos ? "--port 0 " : "") +
                                            words + " > serve.out 2> serve.err");
        m_url.clear();
        QVERIFY(comesTrue([&] {
            const auto text = readFile(folder() / "serve.out");
            const auto json =
                text && text->ends_with('\n') ? parseJson(*text) : Result<nlohmann::json>(fail("none"));
            if (json)
                m_url = json->at("url").get<std::string>();
            return json.has_value();
        }));
    }
    nlohmann::json post(const std::string& path, const nlohmann::json& body, int status)
    {
        HttpRequest request;
        request.url = m_url + "/" + path;
        request.body = body.dump();
        const auto answer = exchange(request, {});
        if (!answer || answer->status != status)
            qFatal("%s", answer ? answer->body.c_str() : answer.error().sentence().c_str());
        return nlohmann::json::parse(answer->body);
    }

    QTemporaryDir m_dir;
    std::optional<Subprocess> m_server;
    std::string m_url;
};

QTEST_GUILESS_MAIN(TestCliServe)
#include "tst_cli_serve.moc"
