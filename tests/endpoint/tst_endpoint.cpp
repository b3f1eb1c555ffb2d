// SPDX-License-Identifier: Apache-2.0
// Endpoints: their descriptions and keys, events, and answers of servers that overload, break off or lie.
#include "base/files.h"
#include "base/interruption.h"
#include "endpoint/endpoint_client.h"
#include "endpoint/event_stream.h"
#include "endpoint/http.h"
#include "scripted_client.h"
#include "scripted_server.h"

#include <QByteArray>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <sys/stat.h>
#include <thread>

using namespace sparserl;
using sparserl::tests::clientOf;
using sparserl::tests::ScriptedServer;
using sparserl::tests::settingsOf;

namespace {

std::string sent(const std::string& data)
{
    return "data: " + data + "\n\n";
}
/// JSON written with single quotes.
std::string json(std::string text)
{
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}
std::string piece(const std::string& text)
{
    return sent(json("{'choices':[{'delta':{'content':'" + text + "'},'finish_reason':null}]}"));
}
std::string ending(const std::string& reason)
{
    return sent(json("{'choices':[{'delta':{},'finish_reason':'" + reason + "'}]}"));
}
const std::string counted =
    sent(json("{'choices':[],'usage':{'prompt_tokens':11,'completion_tokens':3}}")) + sent("[DONE]");

std::string streamed(const std::string& body)
{
    return ScriptedServer::whole(200, "text/event-stream; charset=utf-8", body);
}

} // namespace

class TestEndpoint : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void eventsArriveInPieces()
    {
        const std::string text =
            ": comment\r\ndata: one\r\n\r\nevent: x\ndata:two\ndata: three\n\ndatum: no\n\n"
            "data\n\rdata: four\r\rdata: never ended";
        for (std::size_t size = 1; size <= text.size(); ++size) {
            std::vector<std::string> found;
            EventStream stream([&](std::string_view data) { found.emplace_back(data); });
            for (std::size_t at = 0; at < text.size(); at += size)
                stream.feed(std::string_view(text).substr(at, size));
            QCOMPARE(found, (std::vector<std::string>{"one", "two\nthree", "", "four"}));
        }
    }

    void descriptionsAreChecked_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("wrong");
        const auto row = [](const char* name, const char* line, const char* wrong) {
            QTest::newRow(name) << QByteArray(line) << QByteArray(wrong);
        };
        row("good", "", "");
        row("encrypted key", "url = 'https://example.com/v1'\nkey_variable = 'K'", "");
        row("key to this machine", "key_variable = 'K'", "");
        row("no url", "url = ''", "is not the address");
        row("file", "url = 'file:///etc/passwd'", "does not begin with http");
        row("user in the url", "url = 'https://u:secret@example.com'", "holds a user");
        row("query", "url = 'https://example.com/v1?key=1'", "holds a user, a password, a query");
        row("open key", "url = 'http://example.com/v1'\nkey_variable = 'K'", "unencrypted");
        row("looks like loopback", "url = 'http://127.0.0.1.example.com/v1'\nkey_variable = 'K'",
            "unencrypted");
        row("two keys", "key_variable = 'K'\nkey_file = '/k'", "one key");
        row("a key itself", "key = 'sk-1'", "has no \"key\"");
        row("relative file", "key_file = 'k'", "absolute");
        row("name", "name = '../x'", "name of an endpoint");
        row("model", "model = 'a b'", "model without spaces");
        row("no requests", "requests_per_minute = 0", "more than 0");
        row("too many", "concurrent = 1000", "1 to 256");
        row("type", "concurrent = 'four'", "must be a number");
    }
    void descriptionsAreChecked()
    {
        QFETCH(QByteArray, line);
        QFETCH(QByteArray, wrong);
        QTemporaryDir folder;
        const std::filesystem::path file = folder.path().toStdString() + "/endpoints.toml";
        std::string text = "[[endpoint]]\n";
        for (const char* usual : {"name = 'a'", "url = 'http://127.0.0.1:8000/v1'", "model = 'm'"})
            if (!line.toStdString().starts_with(
                    std::string(usual).substr(0, std::string(usual).find(' ') + 1)))
                text += std::string(usual) + "\n";
        QVERIFY(writeFileAtomic(file, text + line.toStdString() + "\n"));
        const auto read = readEndpoints(file);
        if (wrong.isEmpty()) {
            QVERIFY2(read, read ? "" : read.error().sentence().c_str());
            return;
        }
        QVERIFY(!read);
        QVERIFY2(read.error().sentence().find(wrong.toStdString()) != std::string::npos,
                 read.error().sentence().c_str());
        QVERIFY(read.error().line > 0);
        QVERIFY(read.error().sentence().find("secret") == std::string::npos);
    }

    void endpointsAreAdded()
    {
        QTemporaryDir folder;
        const std::filesystem::path file = folder.path().toStdString() + "/endpoints.toml";
        QVERIFY(writeFileAtomic(file, "# mine\n"));
        EndpointSettings one = settingsOf("http://127.0.0.1:8000/v1"), two = one;
        two.name = "other";
        two.keyVariable = "KEY";
        two.concurrent = 9;
        QVERIFY(addEndpoint(one, file) && addEndpoint(two, file));
        QVERIFY(!addEndpoint(two, file));
        QCOMPARE(*readEndpoints(file), (std::vector<EndpointSettings>{one, two}));
        QVERIFY(readFile(file)->starts_with("# mine\n"));
        QCOMPARE(findEndpoint("other", file)->concurrent, 9);
        QCOMPARE(findEndpoint("othre", file).error().remedy, std::string("Did you mean other?"));
    }

    void keysStayPrivate()
    {
        QTemporaryDir folder;
        EndpointSettings settings = settingsOf("https://example.com/v1");
        settings.keyFile = folder.path().toStdString() + "/key";
        QVERIFY(!keyOf(settings));
        QVERIFY(writeFileAtomic(settings.keyFile, "sk-secret\n", 0600));
        QCOMPARE(*keyOf(settings), std::string("sk-secret"));
        ::chmod(settings.keyFile.c_str(), 0640);
        const auto open = keyOf(settings);
        QVERIFY(!open && open.error().sentence().find("chmod 600") != std::string::npos);
        QVERIFY(open.error().sentence().find("sk-secret") == std::string::npos);
        settings.keyFile.clear();
        settings.keyVariable = "SPARSERL_TEST_ENDPOINT_KEY";
        ::unsetenv("SPARSERL_TEST_ENDPOINT_KEY");
        QVERIFY(keyOf(settings).error().remedy.find("SPARSERL_TEST_ENDPOINT_KEY") != std::string::npos);
        ::setenv("SPARSERL_TEST_ENDPOINT_KEY", "a\r\nX-Header: b", 1);
        QVERIFY(!keyOf(settings)); // would be a header of its own
    }

    void answersAreRead()
    {
        const ScriptedServer server([](const std::string&) {
            return streamed(piece("Hel") + piece("lo") + ending("stop") + counted);
        });
        auto settings = settingsOf(server.url());
        ::setenv("SPARSERL_TEST_ENDPOINT_KEY", "sk-1", 1);
        settings.keyVariable = "SPARSERL_TEST_ENDPOINT_KEY";
        const auto client = clientOf(settings);
        const auto answer = client.ask({"be brief", "say [hello]", 0.5, 1, 77, 5}, {});
        QVERIFY2(answer, answer ? "" : answer.error().sentence().c_str());
        QCOMPARE(answer->text, std::string("Hello"));
        QVERIFY(answer->finished);
        QCOMPARE(answer->promptTokens, 11);
        QCOMPARE(answer->answerTokens, 3);
        QCOMPARE(client.use().tokens, 14);
        const std::string request = server.requests().at(0);
        QVERIFY(request.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"));
        QVERIFY(request.find("Authorization: Bearer sk-1\r\n") != std::string::npos);
        for (const char* part :
             {"'max_tokens':77", "'content':'say [hello]'", "'role':'system'", "'seed':5", "'model':'m'"})
            QVERIFY2(request.find(json(part)) != std::string::npos, part);
    }

    void wholeAnswersAreRead()
    {
        const ScriptedServer server([](const std::string&) {
            return ScriptedServer::whole(
                200, "application/json",
                json("{'choices':[{'message':{'content':'cut'},'finish_reason':'length'}]}"));
        });
        const auto answer = clientOf(settingsOf(server.url())).ask({"", "question", 1, 1, 8, {}}, {});
        QVERIFY(answer);
        QCOMPARE(answer->text, std::string("cut"));
        QVERIFY(!answer->finished);
        QVERIFY(answer->answerTokens > 0); // estimated
    }

    void troubleIsTriedAgain_data()
    {
        QTest::addColumn<QByteArray>("first");
        const auto row = [](const char* name, const std::string& bytes) {
            QTest::newRow(name) << QByteArray(bytes.data(), static_cast<int>(bytes.size()));
        };
        row("429", ScriptedServer::whole(429, "text/plain", "slow", "Retry-After: 0\r\n"));
        row("500", ScriptedServer::whole(500, "application/json", json("{'error':{'message':'oops'}}")));
        row("503 without words", ScriptedServer::whole(503, "text/html", ""));
        row("closed", "");
        row("no HTTP", "hello\r\n\r\n");
        row("broken off", streamed(piece("half")));
        row("cut within an event", "HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\nContent-Length: "
                                   "9999\r\n\r\n" +
                                       piece("half") + "data: {\"cho");
        row("not JSON", streamed(sent("<html>")));
        row("error in the stream", streamed(piece("a") + sent(json("{'error':{'message':'gone'}}"))));
        row("done without an end", streamed(piece("a") + sent("[DONE]")));
        row("numbers for texts",
            streamed(sent(json("{'choices':[{'delta':{'content':5},'finish_reason':7}]}"))));
        row("choices are no list", streamed(sent(json("{'choices':{'a':1}}"))));
    }
    void troubleIsTriedAgain()
    {
        QFETCH(QByteArray, first);
        std::atomic<int> calls = 0;
        const ScriptedServer server([&](const std::string&) {
            return calls++ < 2 ? first.toStdString() : streamed(piece("whole") + ending("stop") + counted);
        });
        const auto client = clientOf(settingsOf(server.url()));
        const auto answer = client.ask({"", "question", 1, 1, 8, {}}, {});
        QVERIFY2(answer, answer ? "" : answer.error().sentence().c_str());
        QCOMPARE(answer->text, std::string("whole")); // nothing of the broken ones
        QCOMPARE(client.use().retries, 2);
        QCOMPARE(client.use().tokens, 14);
    }

    /// A slow stream is waited for, whatever pieces it arrives in; one that hangs is not.
    void slowStreams()
    {
        const auto whole = [](const std::string&) {
            return streamed(piece("Hel") + piece("lo") + ending("stop") + counted);
        };
        const ScriptedServer slow(whole, {.bytes = 7, .milliseconds = 3});
        const auto answer = clientOf(settingsOf(slow.url())).ask({"", "question", 1, 1, 8, {}}, {});
        QVERIFY2(answer, answer ? "" : answer.error().sentence().c_str());
        QCOMPARE(answer->text, std::string("Hello"));
        QCOMPARE(slow.requests().size(), std::size_t(1));

        const ScriptedServer hanging(
            [](const std::string&) {
                return "HTTP/1.1 200 X\r\nContent-Type: text/event-stream\r\n\r\n" + piece("half");
            },
            {.hangs = true});
        HttpRequest request;
        request.url = hanging.url();
        request.stallSeconds = 1;
        const auto never = exchange(request, {});
        QVERIFY(!never && never.error().what.find("no answer from 127.0.0.1") != std::string::npos);
    }

    void someTroubleIsFinal_data()
    {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("sentence");
        const auto row = [](const char* name, int status, const std::string& body, const char* sentence) {
            QTest::newRow(name) << status << QByteArray::fromStdString(body) << QByteArray(sentence);
        };
        row("key", 401, json("{'error':{'message':'bad key'}}"), "answers 401: bad key. Check the key");
        row("model", 404, json("{'message':'no model'}"), "answers 404: no model. Check the URL");
        row("request", 400, json("{'error':'too long\\u001b[2J'}"), "answers 400: too long");
        row("elsewhere", 302, "", "never followed");
        row("body of lists", 400, "[[[[]]]]", "answers 400");
    }
    void someTroubleIsFinal()
    {
        QFETCH(int, status);
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, sentence);
        const ScriptedServer server([&](const std::string&) {
            return ScriptedServer::whole(status, "application/json", body.toStdString(),
                                         "Location: http://127.0.0.1:1/v1\r\n");
        });
        const auto answer = clientOf(settingsOf(server.url())).ask({"", "question", 1, 1, 8, {}}, {});
        QVERIFY(!answer);
        QVERIFY2(answer.error().sentence().find(sentence.toStdString()) != std::string::npos,
                 answer.error().sentence().c_str());
        QVERIFY(answer.error().sentence().find('\x1b') == std::string::npos);
        QCOMPARE(server.requests().size(), std::size_t(1));
    }

    /// A server may send the key back, whole or in part, in its words or as a model's name.
    void aKeyThatIsSentBackIsHidden()
    {
        const std::string key = "sk-abcdefgh-0123456789";
        ::setenv("SPARSERL_TEST_ENDPOINT_KEY", key.c_str(), 1);
        const ScriptedServer server([&](const std::string& request) {
            if (request.starts_with("GET"))
                return ScriptedServer::whole(200, "application/json",
                                             json("{'data':[{'id':'" + key + "'}]}"));
            return request.find("broken") != std::string::npos
                       ? ScriptedServer::whole(401, "application/json",
                                               json("{'error':{'message':'bad key " + key + " or " +
                                                    key.substr(0, 12) + "...'}}"))
                       : streamed(piece("your key is " + key) + ending("stop") + counted);
        });
        auto settings = settingsOf(server.url());
        settings.keyVariable = "SPARSERL_TEST_ENDPOINT_KEY";
        const auto client = clientOf(settings);
        const auto names = client.models({});
        QVERIFY(names && names->front() == "***");
        const auto answer = client.ask({"", "question", 1, 1, 8, {}}, {});
        QVERIFY(answer && answer->text == "your key is ***");
        const auto refused = client.ask({"", "broken", 1, 1, 8, {}}, {});
        QVERIFY2(!refused && refused.error().what.find("bad key *** or ***") != std::string::npos,
                 refused ? "" : refused.error().what.c_str());
        QVERIFY(refused.error().what.find("abcdefgh") == std::string::npos);
    }

    /// Keys that are no secrets are usual for servers of this machine, and occur in what those send.
    void shortKeysEditNothing()
    {
        ::setenv("SPARSERL_TEST_ENDPOINT_KEY", "content", 1);
        const ScriptedServer server([&](const std::string& request) {
            if (request.starts_with("GET"))
                return ScriptedServer::whole(200, "application/json",
                                             json("{'data':[{'id':'content-7b','owned_by':'sparserl'}]}"));
            return streamed(piece("int content;") + ending("stop") + counted);
        });
        auto settings = settingsOf(server.url());
        settings.keyVariable = "SPARSERL_TEST_ENDPOINT_KEY";
        const auto client = clientOf(settings);
        QCOMPARE(client.models({})->front(), std::string("content-7b"));
        const auto answer = client.ask({"", "question", 1, 1, 8, {}}, {});
        QVERIFY2(answer, answer ? "" : answer.error().sentence().c_str());
        QCOMPARE(answer->text, std::string("int content;"));
        ::setenv("SPARSERL_TEST_ENDPOINT_KEY", "sparserl", 1);
        QVERIFY(*clientOf(settings).isOurs({}));
    }

    void endlessTroubleEnds()
    {
        const ScriptedServer server(
            [](const std::string&) { return ScriptedServer::whole(503, "text/plain", ""); });
        const auto answer = clientOf(settingsOf(server.url())).ask({"", "q", 1, 1, 8, {}}, {});
        QVERIFY(!answer && answer.error().what.find("6 attempts") != std::string::npos);
        QCOMPARE(server.requests().size(), std::size_t(6));
    }

    void longAnswersAreRefused()
    {
        const ScriptedServer server(
            [](const std::string&) { return streamed(std::string(std::size_t(1) << 20, 'x')); });
        HttpRequest request;
        request.url = server.url();
        request.mostBytes = 1000;
        const auto answer = exchange(request, {});
        QVERIFY(!answer && answer.error().what.find("longer than 1000 bytes") != std::string::npos);
    }

    void theBudgetHolds()
    {
        const ScriptedServer server(
            [](const std::string&) { return streamed(piece("a") + ending("stop") + counted); });
        auto settings = settingsOf(server.url());
        settings.mostTokens = 40;
        const auto client = clientOf(settings);
        const ChatRequest request{"", "question", 1, 1, 20, {}};
        QVERIFY(client.ask(request, {})); // 14 used
        const auto second = client.ask(request, {});
        QVERIFY(second); // 2 + 20 more fit
        const auto third = client.ask(request, {});
        QVERIFY(!third && third.error().sentence().find("most_tokens") != std::string::npos);
        QCOMPARE(server.requests().size(), std::size_t(2));
    }

    void waitingIsInterrupted()
    {
        const ScriptedServer server([](const std::string&) {
            return ScriptedServer::whole(429, "text/plain", "", "Retry-After: 250\r\n");
        });
        const auto client = clientOf(settingsOf(server.url()));
        CancelToken cancel;
        Result<ChatAnswer> answer = fail("nothing yet");
        std::thread asking([&] { answer = client.ask({"", "q", 1, 1, 8, {}}, cancel); });
        while (server.requests().empty())
            std::this_thread::yield();
        cancel.cancel();
        asking.join();
        QVERIFY(!answer && isInterruption(answer.error()));
        QCOMPARE(server.requests().size(), std::size_t(1));
    }

    void modelsAreListed()
    {
        const ScriptedServer server([](const std::string&) {
            return ScriptedServer::whole(200, "application/json",
                                         json("{'data':[{'id':'a'},{'id':5},7,{'id':'b'}]}"));
        });
        const auto names = clientOf(settingsOf(server.url() + "/")).models({});
        QVERIFY(names);
        QCOMPARE(*names, (std::vector<std::string>{"a", "b"}));
        QVERIFY(server.requests().at(0).starts_with("GET /v1/models HTTP/1.1\r\n"));
    }
};

QTEST_GUILESS_MAIN(TestEndpoint)
#include "tst_endpoint.moc"
