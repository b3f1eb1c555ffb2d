// SPDX-License-Identifier: Apache-2.0
// A policy behind `sparserl serve`: it gives what `generate` gives, refuses what it cannot do, and our own
// client understands it.
#include "base/json.h"
#include "endpoint/endpoint_client.h"
#include "endpoint/http.h"
#include "programs.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <thread>
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
        // This policy knows no format of conversations.
        const auto system = client->ask({"Be brief.", "Write a program.", 1, 1, 12, 3}, {});
        QVERIFY(!system && system.error().what.find("knows no chat format") != std::string::npos);
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
        row("prompt", "{'prompt':[1,2]}", "prompt must be a text");
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
        const std::string without = m_url;
        auto first = std::move(m_server);
        start("SERVE_KEY=sk-own ", " --key-variable SERVE_KEY");
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
        ::kill(m_server->pid(), SIGINT);
        QVERIFY(m_server->wait(patienceSeconds()).has_value());
        m_server = std::move(first);
        m_url = without;
    }

private:
    fs::path folder() const { return m_dir.path().toStdString(); }

    void start(const std::string& before, const std::string& words)
    {
        fs::remove(folder() / "serve.out");
        m_server =
            startShell(folder(), before +
                                     "exec $SPARSERL --json --quiet serve --policy project/runs/0001-sft "
                                     "--port 0 --policy-device cpu" +
                                     words + " > serve.out");
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
