// SPDX-License-Identifier: Apache-2.0
// What servers of several kinds can do, as the test of an endpoint finds it, and how the result is kept.
#include "base/files.h"
#include "base/interruption.h"
#include "base/json.h"
#include "endpoint/capabilities.h"
#include "endpoint/endpoint_client.h"
#include "endpoint/endpoint_tests.h"
#include "endpoint/token_numbers.h"
#include "scripted_client.h"
#include "scripted_server.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

using namespace sparserl;
using nlohmann::json;
using sparserl::tests::clientOf;
using sparserl::tests::ScriptedServer;
using sparserl::tests::settingsOf;

namespace {

using Set = std::set<std::string>;

std::string whole(const json& body, int status = 200)
{
    return ScriptedServer::whole(status, "application/json", body.dump());
}
std::string refused(int status, const char* why)
{
    return whole({{"error", {{"message", why}}}}, status);
}
const std::string streamedWord = ScriptedServer::whole(
    200, "text/event-stream",
    "data: {\"choices\":[{\"delta\":{\"content\":\"ready\"},\"finish_reason\":\"stop\"}]}\n\ndata: "
    "[DONE]\n\n");
const json wholeWord{{"choices", {{{"message", {{"content", "ready"}}}, {"finish_reason", "stop"}}}}};
const json models{{"data", {{{"id", "m"}}}}};

json bodyOf(const std::string& request)
{
    const auto begin = request.find("\r\n\r\n");
    return json::parse(request.substr(begin + 4), nullptr, false);
}

bool asks(const std::string& request, const char* path)
{
    return request.substr(0, request.find("\r\n")).find(std::string("/v1/") + path + " ") !=
           std::string::npos;
}

json completion(const json& logProbs, const json& beside = json::object())
{
    json choice{{"index", 0}, {"text", "x"}, {"finish_reason", "length"}, {"logprobs", logProbs}};
    choice.update(beside);
    return {{"choices", json::array({choice})}, {"usage", {{"prompt_tokens", 1}, {"completion_tokens", 1}}}};
}

/// A server of the kind `kind`.
std::string answerAs(const std::string& kind, const std::string& request)
{
    if (asks(request, "models"))
        return kind == "no list" ? refused(404, "no models") : whole(models);
    if (asks(request, "load_lora_adapter"))
        return kind == "vllm"    ? refused(400, "Both 'lora_name' and 'lora_path' must be provided.")
               : kind == "fixed" ? refused(403, "this server takes no new weights")
                                 : refused(404, "no such path");
    if (asks(request, "chat/completions"))
        return kind == "completions only" ? refused(404, "no chat")
               : kind == "whole"          ? whole(wholeWord)
                                          : streamedWord;
    if (!asks(request, "completions") || kind == "chat only" || kind == "whole" || kind == "no list")
        return refused(404, "no such path");
    const json body = bodyOf(request);
    if (kind == "strict" && body.contains("return_token_ids"))
        return refused(400, "unknown member return_token_ids");
    if (kind == "strict" && !body["prompt"].is_string())
        return refused(400, "a prompt is a text");
    if (kind == "vllm")
        return whole(completion({{"tokens", {"token_id:7"}}, {"token_logprobs", {-0.5}}}));
    if (kind == "llama.cpp")
        return whole(completion({{"content", {{{"id", 7}, {"token", "x"}, {"logprob", -0.5}}}}}));
    if (kind == "fixed")
        return whole(
            completion({{"token_ids", {7}}, {"token_logprobs", {-0.5}}, {"behaviour_logprobs", {-0.5}}}));
    if (kind == "ids alone")
        return whole(completion(nullptr, {{"token_ids", {7}}}));
    return whole(completion({{"tokens", {"x"}}, {"token_logprobs", {-0.5}}}));
}

Set able(const std::vector<TestedCapability>& tested)
{
    Set names;
    for (const TestedCapability& one : tested)
        if (one.available)
            names.emplace(nameOf(one.capability));
    return names;
}

std::string reasonOf(const EndpointProbe& probe, EndpointCapability capability)
{
    const auto found = std::ranges::find(probe.tested, capability, &TestedCapability::capability);
    return found == probe.tested.end() ? "not tested" : found->reason;
}

} // namespace

class TestEndpointCapabilities : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void serversOfSeveralKinds_data()
    {
        QTest::addColumn<QStringList>("able");
        const auto row = [](const char* kind, const char* names) {
            QTest::newRow(kind) << QString::fromLatin1(names).split(QLatin1Char(' '));
        };
        row("vllm", "models chat streaming completions prompt_tokens token_ids log_probabilities adapters");
        row("llama.cpp", "models chat streaming completions prompt_tokens token_ids log_probabilities");
        row("fixed", "models chat streaming completions prompt_tokens token_ids log_probabilities");
        row("classic", "models chat streaming completions prompt_tokens log_probabilities");
        row("ids alone", "models chat streaming completions prompt_tokens token_ids");
        row("strict", "models chat streaming completions log_probabilities");
        row("chat only", "models chat streaming");
        row("whole", "models chat");
        row("no list", "chat streaming");
        row("completions only", "models completions prompt_tokens log_probabilities");
    }
    void serversOfSeveralKinds()
    {
        QFETCH(QStringList, able);
        const std::string kind = QTest::currentDataTag();
        const ScriptedServer server([&](const std::string& request) { return answerAs(kind, request); });
        const auto probe = probeEndpoint(clientOf(settingsOf(server.url())), {});
        QVERIFY2(probe, probe ? "" : probe.error().sentence().c_str());
        QVERIFY(!probe->problem);
        Set expected;
        for (const QString& name : able)
            expected.insert(name.toStdString());
        const Set found = ::able(probe->tested);
        QVERIFY2(found == expected, toJson(probe->tested).dump().c_str());
        QCOMPARE(probe->tested.size(), std::size(allCapabilities));
        QVERIFY(server.requests().size() <= 7);
        for (const TestedCapability& one : probe->tested)
            QVERIFY2(one.available == one.reason.empty(), toJson(probe->tested).dump().c_str());
        QCOMPARE(probe->answer, probe->has(EndpointCapability::Chat) ? std::string("ready") : std::string());
        if (kind == "fixed")
            QVERIFY(reasonOf(*probe, EndpointCapability::Adapters)
                        .find("answers 403: this server takes no new weights") != std::string::npos);
        if (kind == "strict")
            QVERIFY(reasonOf(*probe, EndpointCapability::PromptTokens).find("a prompt is a text") !=
                    std::string::npos);
        if (kind == "whole")
            QCOMPARE(reasonOf(*probe, EndpointCapability::Streaming),
                     std::string("the answer comes as a whole"));
    }

    /// Neither way to ask the model: the error of chat, and the key nowhere.
    void whatFailsIsSaid_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("says");
        QTest::addColumn<int>("requests"); // to the model
        QTest::newRow("key") << 401 << QStringLiteral("answers 401: bad key ***. Check the key") << 1;
        QTest::newRow("forbidden") << 403 << QStringLiteral("answers 403: bad key ***. Check the key") << 1;
        QTest::newRow("nothing") << 404 << QStringLiteral("answers 404: bad key ***. Check the URL") << 3;
    }
    void whatFailsIsSaid()
    {
        QFETCH(int, status);
        QFETCH(QString, says);
        QFETCH(int, requests);
        ::setenv("SPARSERL_TEST_ENDPOINT_KEY", "sk-0123456789abcdef", 1);
        const ScriptedServer server([&](const std::string& request) {
            return asks(request, "models") ? whole(models) : refused(status, "bad key sk-0123456789abcdef");
        });
        auto settings = settingsOf(server.url());
        settings.keyVariable = "SPARSERL_TEST_ENDPOINT_KEY";
        const auto probe = probeEndpoint(clientOf(settings), {});
        QVERIFY(probe && probe->problem);
        QVERIFY2(probe->problem->sentence().find(says.toStdString()) != std::string::npos,
                 probe->problem->sentence().c_str());
        QCOMPARE(probe->models, std::vector<std::string>{"m"});
        QCOMPARE(int(server.requests().size()), 1 + requests);
        QVERIFY(toJson(probe->tested).dump().find("sk-0123456789") == std::string::npos);
    }

    void answersThatLie_data()
    {
        QTest::addColumn<QByteArray>("answer");
        QTest::newRow("no JSON") << QByteArray("ready");
        QTest::newRow("list") << QByteArray("[]");
        QTest::newRow("no choices") << QByteArray(R"({"choices":[]})");
        QTest::newRow("null") << QByteArray(R"({"choices":[null]})");
        QTest::newRow("number") << QByteArray(R"({"choices":7})");
        QTest::newRow("deep") << QByteArray(100000, '[');
    }
    void answersThatLie()
    {
        QFETCH(QByteArray, answer);
        const ScriptedServer server([&](const std::string& request) {
            if (asks(request, "chat/completions"))
                return streamedWord;
            return ScriptedServer::whole(200, "application/json", answer.toStdString());
        });
        const auto probe = probeEndpoint(clientOf(settingsOf(server.url())), {});
        QVERIFY(probe && !probe->problem);
        QVERIFY(!probe->has(EndpointCapability::Completions) && !probe->has(EndpointCapability::TokenIds) &&
                !probe->has(EndpointCapability::LogProbs) && !probe->has(EndpointCapability::PromptTokens));
    }

    void itIsInterrupted()
    {
        CancelToken cancel;
        const ScriptedServer server([&](const std::string& request) {
            if (asks(request, "chat/completions"))
                cancel.cancel();
            return asks(request, "models") ? whole(models) : streamedWord;
        });
        const auto probe = probeEndpoint(clientOf(settingsOf(server.url())), cancel);
        QVERIFY(!probe && isInterruption(probe.error()));
        QCOMPARE(server.requests().size(), std::size_t(2));
    }

    void theResultIsKept()
    {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.path().toStdString() + "/sparserl/tests.json";
        EndpointSettings one = settingsOf("https://example.com/v1"), two = settingsOf("https://other.com/v1");
        two.name = "two";
        QVERIFY(!lastEndpointTest(one, file));
        const EndpointTest test{1796094000.25,
                                {{EndpointCapability::Chat, true, ""},
                                 {EndpointCapability::Adapters, false, "answers 404 \xff"}}};
        QVERIFY(keepEndpointTest(one, test, file));
        QVERIFY(keepEndpointTest(two, {1, {}}, file));
        const auto kept = lastEndpointTest(one, file);
        QVERIFY(kept && kept->time == test.time);
        QCOMPARE(kept->tested.size(), std::size_t(2));
        QVERIFY(kept->tested[0] == test.tested[0]);
        QVERIFY(!kept->tested[1].available && kept->tested[1].reason.starts_with("answers 404 "));
        QVERIFY(lastEndpointTest(two, file)->tested.empty());
        // Of another model or server, it says nothing.
        EndpointSettings changed = one;
        changed.model = "n";
        QVERIFY(!lastEndpointTest(changed, file));
        changed = one;
        changed.url = "https://example.com/v2";
        QVERIFY(!lastEndpointTest(changed, file));
        // A later one replaces it, and a damaged file is none.
        QVERIFY(keepEndpointTest(one, {2, {{EndpointCapability::Chat, false, "gone"}}}, file));
        QCOMPARE(lastEndpointTest(one, file)->tested.front().reason, std::string("gone"));
        json untested{{"test", {{"url", one.url}, {"model", one.model}}}}, timeless = untested;
        timeless["test"]["time"] = 1e300;
        timeless["test"]["tested"] = json::array();
        for (const std::string& damaged : {std::string("{"), std::string("[]"), std::string("{\"test\":7}"),
                                           untested.dump(), timeless.dump()}) {
            QVERIFY(writeFileAtomic(file, damaged));
            QVERIFY2(!lastEndpointTest(one, file), damaged.c_str());
        }
        QVERIFY(keepEndpointTest(one, test, file));
        QVERIFY(lastEndpointTest(one, file));
    }
};

QTEST_GUILESS_MAIN(TestEndpointCapabilities)
#include "tst_endpoint_capabilities.moc"
