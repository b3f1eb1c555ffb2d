// SPDX-License-Identifier: Apache-2.0
// Programs from a model behind a server: what it is asked, and what is made of its answers.
#include "fake_judge.h"
#include "scratch_folder.h"
#include "stage_runs.h"

#include "base/interruption.h"
#include "endpoint/endpoint_client.h"
#include "matrix/make_target.h"
#include "tests/endpoint/scripted_server.h"
#include "training/data/endpoint_prompt.h"
#include "training/data/matrix_text.h"
#include "training/data/sft_prompt.h"
#include "training/sampling/ask_together.h"
#include "training/sampling/generation.h"
#include "training/sampling/kept_answers.h"
#include "training/sampling/policy_proposer.h"

#include <QTest>
#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <thread>

using namespace sparserl;
using namespace sparserl::test;
using sparserl::tests::ScriptedServer;

namespace {

const std::string program =
    "//! task spmv\n"
    "//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)\n"
    "extern \"C\" __global__ void k(int rows, const int* p, const int* c, const float* v, "
    "const float* x, float* y)\n"
    "{\n    const int r = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (r >= rows)\n        return;\n    float s = 0;\n"
    "    for (int i = p[r]; i < p[r + 1]; ++i)\n        s += v[i] * x[c[i]];\n"
    "    y[r] = s;\n}\n";

/// 3 x 4: (0, 0) (0, 2) (2, 3).
Target smallTarget()
{
    Csr m;
    m.rows = 3;
    m.cols = 4;
    m.rowPtr = {0, 2, 2, 3};
    m.col = {0, 2, 3};
    m.val = {1, 2, 3};
    return makeTarget("small", std::make_shared<const Csr>(std::move(m)), {});
}

std::string answer(const std::string& text, const std::string& reason = "stop")
{
    const nlohmann::json json{{"choices", {{{"message", {{"content", text}}}, {"finish_reason", reason}}}},
                              {"usage", {{"prompt_tokens", 100}, {"completion_tokens", 50}}}};
    return ScriptedServer::whole(200, "application/json", json.dump());
}

nlohmann::json bodyOf(const std::string& request)
{
    return nlohmann::json::parse(request.substr(request.find("\r\n\r\n") + 4));
}

std::shared_ptr<EndpointClient> clientOf(const ScriptedServer& server, int concurrent = 1)
{
    EndpointSettings settings;
    settings.name = "test";
    settings.url = server.url();
    settings.model = "m";
    settings.requestsPerMinute = 1e6;
    settings.concurrent = concurrent;
    auto client = EndpointClient::make(settings);
    if (!client)
        qFatal("%s", client.error().sentence().c_str());
    client->setPause(0.001);
    return std::make_shared<EndpointClient>(std::move(*client));
}

ProgramWriter writerOf(std::shared_ptr<EndpointClient> client, GenerationOptions options = {})
{
    auto writer = ProgramWriter::ofEndpoint(std::move(client), options);
    if (!writer)
        qFatal("%s", writer.error().sentence().c_str());
    return std::move(*writer);
}

} // namespace

class TestTrainingEndpoint : public QObject
{
    Q_OBJECT

private:
    ScratchFolder m_scratch;

    /// The user's endpoint "server".
    static void use(const ScriptedServer& server)
    {
        ::setenv("XDG_CONFIG_HOME", fs::absolute("config").c_str(), 1);
        fs::remove_all("config");
        EndpointSettings settings;
        settings.name = "server";
        settings.url = server.url();
        settings.model = "m";
        settings.requestsPerMinute = 1e6;
        QVERIFY(addEndpoint(settings));
    }

private Q_SLOTS:
    void aMatrixInWords()
    {
        const Target target = smallTarget();
        const std::string text = matrixText(*target.matrix, 10, 1);
        for (const char* part : {"- Rows: 3\n", "- Columns: 4\n", "- Non-zeros: 3 entries\n",
                                 "- Empty rows: 0.3333\n", "100 % of the rows: 0, 0, 0, 1, 1, 1, 1, 2\n",
                                 "- All entries as (row, column): (0, 0) (0, 2) (2, 3)\n"})
            QVERIFY2(text.find(part) != std::string::npos, (std::string(part) + text).c_str());
        // Each entry equally often, in order, as many as asked for.
        std::map<std::string, int> seen;
        for (std::uint64_t seed = 0; seed < 3000; ++seed) {
            const std::string two = matrixText(*target.matrix, 2, seed);
            const auto at = two.find("- 2 of the entries, drawn at random, as (row, column): ");
            QVERIFY(at != std::string::npos);
            ++seen[two.substr(two.find(": ", at) + 2)];
        }
        QCOMPARE(seen.size(), std::size_t(3));
        for (const auto& [pair, count] : seen)
            QVERIFY2(count > 880 && count < 1120, pair.c_str()); // 1000 +- 4.6 sigma
        Csr none;
        none.rows = none.cols = 2;
        none.rowPtr = {0, 0, 0};
        QVERIFY(matrixText(none, 5, 1).find("entries as") == std::string::npos);
        QVERIFY(matrixText({}, 5, 1).find("- Rows: 0\n") != std::string::npos);
    }

    void programsInAnswers_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("wanted");
        const auto row = [](const char* name, const std::string& text, const std::string& wanted) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << QByteArray::fromStdString(wanted);
        };
        const std::string one = "//! task spmv\ncode", other = "//! task spmm\nmore\n";
        row("bare", one, one + "\n");
        row("fenced", "Sure:\n```cuda\n" + one + "\n```\nDone.", one + "\n");
        row("the last of two", "```\n" + one + "\n```\nBetter:\n```cpp\n" + other + "```", other);
        row("another block last", "```\n" + one + "\n```\n```sh\nnvcc x.cu\n```", one + "\n");
        row("not closed", "Here:\n```cuda\n" + other, other);
        row("after words", "Thoughts.\n" + one, one + "\n");
        row("words after it", one + "\n```\nThat is all.", one + "\n");
        row("indented fence", "  ```cuda\n" + one + "\n  ```", one + "\n");
        row("nothing", "I cannot do that.", "");
        row("another language", "```python\nprint()\n```", "");
        row("empty", "", "");
    }
    void programsInAnswers()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, wanted);
        QCOMPARE(programInAnswer(text.toStdString()), wanted.toStdString());
    }

    void theQuestionHasAll()
    {
        const ScriptedServer server([](const std::string&) { return answer("```\n" + program + "```"); });
        GenerationOptions options;
        options.count = 3;
        options.temperature = 0.5;
        options.maxTokens = 777;
        const ProgramWriter writer = writerOf(clientOf(server), options);
        QVERIFY(writer.refines());
        QCOMPARE(writer.temperature(), 0.5);
        const Target target = smallTarget();
        const auto programs = writer.write(target, {}, {});
        QVERIFY(programs && programs->size() == 3);
        for (const GeneratedProgram& one : *programs) {
            QCOMPARE(one.text, program);
            QVERIFY2(one.finished && one.stopReason.empty(), one.stopReason.c_str());
            QCOMPARE(one.tokens, std::size_t(50));
        }
        std::set<std::int64_t> seeds;
        for (const std::string& request : server.requests()) {
            const auto body = bodyOf(request);
            seeds.insert(body["seed"].get<std::int64_t>());
            QCOMPARE(body["temperature"].get<double>(), 0.5);
            QCOMPARE(body["max_tokens"].get<int>(), 777);
            const auto system = body["messages"][0]["content"].get<std::string>(),
                       user = body["messages"][1]["content"].get<std::string>();
            QVERIFY(system.starts_with("# Kernel programs\n") &&
                    system.find("# Your answer") != std::string::npos);
            QVERIFY(user.starts_with("The matrix A:\n"));
            QVERIFY(user.ends_with(sftPrompt(target.id.variant)));
        }
        QCOMPARE(seeds.size(), std::size_t(3));
        ProgramRange range{0, 1, 0, true, ProgramToRefine{"//! the shown one\n", 3, 1.5, {}}};
        QVERIFY(writer.write(target, range, {}, {}));
        const auto user = bodyOf(server.requests().back())["messages"][1]["content"].get<std::string>();
        QVERIFY(user.ends_with("Write a faster one.\n\n//! the shown one\n"));
    }

    void answersThatAreNoPrograms()
    {
        std::atomic<int> calls = 0;
        const ScriptedServer server([&](const std::string&) {
            switch (calls++) {
            case 0:
                return answer("No.");
            case 1:
                return answer(program, "length");
            case 2:
                return answer(program + "}"); // one bracket too many
            default:
                return answer(program);
            }
        });
        GenerationOptions options;
        options.count = 4;
        const auto programs = writerOf(clientOf(server), options).write(smallTarget(), {}, {});
        QVERIFY(programs);
        const auto reason = [&](std::size_t i) { return (*programs)[i].stopReason; };
        QVERIFY2(reason(0).find("holds no program") != std::string::npos, reason(0).c_str());
        QVERIFY2(reason(1).find("does not end within 50 tokens") != std::string::npos, reason(1).c_str());
        QVERIFY2(reason(2).starts_with("line 13: "), reason(2).c_str());
        QVERIFY(reason(3).empty() && (*programs)[3].finished);
    }

    void orderIsKeptAndErrorsEnd()
    {
        const ScriptedServer server([](const std::string& request) {
            const auto seed = bodyOf(request)["seed"].get<std::int64_t>();
            return answer("//! " + std::to_string(seed));
        });
        GenerationOptions options;
        options.count = 20;
        const Target target = smallTarget();
        const auto one = writerOf(clientOf(server), options).write(target, {}, {});
        const auto many = writerOf(clientOf(server, 8), options).write(target, {}, {});
        QVERIFY(one && many);
        for (std::size_t i = 0; i < 20; ++i)
            QCOMPARE((*one)[i].text, (*many)[i].text);

        std::atomic<int> calls = 0;
        const ScriptedServer refusing([&](const std::string&) {
            return calls++ < 3 ? answer(program) : ScriptedServer::whole(401, "application/json", "{}");
        });
        const auto failed = writerOf(clientOf(refusing), options).write(target, {}, {});
        QVERIFY(!failed && failed.error().what.find("answers 401") != std::string::npos);
        QCOMPARE(refusing.requests().size(), std::size_t(4)); // the others would fail likewise

        CancelToken cancel;
        const ScriptedServer slow([&](const std::string&) {
            cancel.cancel();
            return answer(program);
        });
        const auto cancelled = writerOf(clientOf(slow), options).write(target, cancel, {});
        QVERIFY(cancelled);
        QCOMPARE(slow.requests().size(), std::size_t(1));
    }

    /// What a server counts sizes a rollout.
    void countsOfServersAreBounded()
    {
        const ScriptedServer server([](const std::string&) {
            const nlohmann::json json{
                {"choices", {{{"message", {{"content", program}}}, {"finish_reason", "stop"}}}},
                {"usage", {{"prompt_tokens", 100}, {"completion_tokens", 99'000'000}}}};
            return ScriptedServer::whole(200, "application/json", json.dump());
        });
        GenerationOptions options;
        options.count = 1;
        options.maxTokens = 300;
        const auto programs = writerOf(clientOf(server), options).write(smallTarget(), {}, {});
        QVERIFY(programs);
        QVERIFY(programs->front().tokens <= std::max<std::size_t>(300, program.size()));
    }

    /// 200 programs from a server that fails in every way now and then: nothing is lost or doubled.
    void twoHundredThroughTrouble()
    {
        GenerationOptions options;
        options.count = 200;
        const Target target = smallTarget();
        const auto right = [](const std::string& request) {
            return answer(program + "// " + std::to_string(bodyOf(request)["seed"].get<std::int64_t>()));
        };
        const ScriptedServer calm(right);
        const auto calmClient = clientOf(calm, 8);
        const auto wanted = writerOf(calmClient, options).write(target, {}, {});
        QVERIFY(wanted);
        std::map<std::int64_t, int> tries, answered; // the server has one thread
        const ScriptedServer wild([&](const std::string& request) -> std::string {
            const auto seed = bodyOf(request)["seed"].get<std::int64_t>();
            const std::string good = right(request);
            const int tried = tries[seed]++;
            if (tried >= seed % 4) {
                ++answered[seed];
                return good;
            }
            switch ((tried + seed) % 6) {
            case 0:
                return ScriptedServer::whole(429, "text/plain", "slow down");
            case 1:
                return ScriptedServer::whole(500, "application/json", "{}");
            case 2:
                return good.substr(0, good.size() / 2); // broken off
            case 3:
                return "data: no HTTP\r\n\r\n";
            case 4:
                return {};
            default:
                return ScriptedServer::whole(200, "text/event-stream", "data: {\"choices\":[{\"del\n\n");
            }
        });
        const auto client = clientOf(wild, 8);
        std::set<std::size_t> told;
        WritingEvents events;
        events.onProgram = [&](std::size_t i, const GeneratedProgram&) { QVERIFY(told.insert(i).second); };
        const auto found = writerOf(client, options).write(target, {}, events);
        QVERIFY2(found, found ? "" : found.error().sentence().c_str());
        QCOMPARE(told.size(), std::size_t(200));
        for (std::size_t i = 0; i < 200; ++i)
            QCOMPARE((*found)[i].text, (*wanted)[i].text);
        QCOMPARE(answered.size(), std::size_t(200));
        for (const auto& [seed, count] : answered)
            QCOMPARE(count, 1);
        QCOMPARE(client->use().tokens, calmClient->use().tokens);
        QCOMPARE(client->use().requests, client->use().retries + 200);
    }

    void questionsAreAskedTogether()
    {
        std::atomic<int> asking = 0, most = 0;
        std::vector<std::size_t> order;
        Questions questions;
        questions.count = 30;
        questions.concurrent = 4;
        questions.ask = [&](std::size_t) -> Status {
            const int now = ++asking;
            most = std::max(most.load(), now);
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            --asking;
            return {};
        };
        const auto here = std::this_thread::get_id();
        questions.answered = [&](std::size_t i) {
            QVERIFY(std::this_thread::get_id() == here);
            order.push_back(i);
        };
        int looks = 0;
        questions.meanwhile = [&] { ++looks; };
        QVERIFY(askTogether(questions, {}));
        QVERIFY(looks > 0 && most > 1 && most <= 4);
        QCOMPARE(std::set<std::size_t>(order.begin(), order.end()).size(), std::size_t(30));
        QCOMPARE(order.size(), std::size_t(30));
        // A failure: those on their way are heard, the others are not asked.
        std::atomic<int> asked = 0;
        order.clear();
        questions.ask = [&](std::size_t i) -> Status {
            ++asked;
            if (i == 5)
                throw std::runtime_error("bad");
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            return {};
        };
        const auto failed = askTogether(questions, {});
        QVERIFY(!failed && failed.error().what == "an answer cannot be read: bad");
        QVERIFY(asked < 12);
        QCOMPARE(order.size(), std::size_t(asked - 1));
        const CancelToken cancel;
        questions.ask = [&](std::size_t i) -> Status {
            if (i == 3)
                cancel.cancel();
            return {};
        };
        const auto cancelled = askTogether(questions, cancel);
        QVERIFY(!cancelled && isInterruption(cancelled.error()));
        questions.count = 0;
        QVERIFY(askTogether(questions, {}));
        // What the caller throws does not leave the threads behind.
        questions.count = 1000;
        questions.answered = [](std::size_t) { throw std::runtime_error("here"); };
        QVERIFY_EXCEPTION_THROWN(static_cast<void>(askTogether(questions, {})), std::runtime_error);
    }

    void answersAreKept()
    {
        fs::remove("kept.jsonl");
        auto kept = *KeptAnswers::open("kept.jsonl");
        QVERIFY(kept.find("q", 0) == nullptr);
        QVERIFY(kept.keep("q", 7, {"text \xc3\xa4\n", 0, 9, true, {}}) &&
                kept.keep("q", 2, {"half", 0, 50, false, "no end"}));
        QVERIFY(appendFile("kept.jsonl", "{\"question\":\"q\",\"numb"));
        auto again = *KeptAnswers::open("kept.jsonl");
        QVERIFY(again.find("q", 7) && again.find("q", 7)->text == "text \xc3\xa4\n");
        QVERIFY(again.find("q", 2)->stopReason == "no end" && again.find("q", 2)->tokens == 50);
        QVERIFY(!again.find("q", 0) && !again.find("r", 7));
        QVERIFY(again.keep("r", 1, {}));
        QVERIFY(KeptAnswers::open("kept.jsonl")->find("r", 1));
        QVERIFY(writeFileAtomic("kept.jsonl", "{\"question\":\"q\",\"number\":1,\"tokens\":4e18}\n[]\n7\n"));
        QVERIFY(KeptAnswers::open("kept.jsonl")->find("q", 1)->tokens <= 1'000'000);
        again.remove();
        QVERIFY(!fs::exists("kept.jsonl"));
    }

    void optionsThatServersLack()
    {
        const ScriptedServer server([](const std::string&) { return answer(""); });
        for (int kind = 0; kind < 3; ++kind) {
            GenerationOptions options;
            (kind == 0 ? options.beam : kind == 1 ? options.topK : options.count) = 5;
            if (kind == 2)
                options.broadShare = 0.5;
            QVERIFY(!ProgramWriter::ofEndpoint(clientOf(server), options));
        }
    }

    /// The stage evaluate with a server in place of a policy.
    void aServerIsEvaluated()
    {
        const ScriptedServer server([](const std::string& request) {
            const auto seed = bodyOf(request)["seed"].get<std::int64_t>();
            return seed % 3 == 0 ? answer("No.")
                                 : answer("```\n" + program + "// " + std::to_string(seed) + "\n```");
        });
        use(server);
        FakeJudge judge;
        const auto parameters = with(ParameterSet(stageParameters(StageKind::Evaluate)),
                                     {"threads=1", "evaluate.samples=20", "evaluate.k=1,5",
                                      "evaluate.endpoint=server", "evaluate.split=all", "system.every=0"});
        QVERIFY(needsParent(StageKind::Evaluate, parameters).empty());
        auto run = newRun(fs::absolute("evaluated"), StageKind::Evaluate, parameters);
        must(runStage(run, environmentWith(judge)));
        const auto entries = readWholeJournal("evaluated");
        QVERIFY(entries);
        std::int64_t samples = 0, stopped = 0, correct = 0;
        for (const JournalEntry& entry : *entries) {
            if (const auto* sample = std::get_if<SampleEvent>(&entry.event)) {
                QCOMPARE(sample->tokens, 50);
                ++samples;
            }
            if (const auto* row = std::get_if<EvaluationEvent>(&entry.event)) {
                QCOMPARE(row->policy, std::string("endpoint server"));
                QCOMPARE(row->samples, 20);
                correct += row->correct;
            }
            if (const auto* verdict = std::get_if<VerdictEvent>(&entry.event))
                stopped += verdict->record.verdict == Verdict::StoppedEarly ? 1 : 0;
        }
        QCOMPARE(samples, 60);
        QCOMPARE(server.requests().size(), std::size_t(60));
        QVERIFY(stopped > 0 && correct == 60 - stopped);
        const auto metrics = metricsOf("evaluated");
        QVERIFY(metrics.contains("held-out 3 eval/pass@1") || !metrics.empty());
        for (const auto& [name, value] : metrics) // What needs probabilities is left out.
            QVERIFY2(name.find("program_information") == std::string::npos, name.c_str());

        const auto refused = [&](std::initializer_list<const char*> more, const fs::path& parent) {
            auto other = newRun(fs::absolute("refused"), StageKind::Evaluate, with(parameters, more));
            const auto outcome = runStage(other, environmentWith(judge, parent));
            return outcome ? std::string() : outcome.error().sentence();
        };
        QVERIFY(refused({"evaluate.budget=5"}, {}).find("Leave evaluate.budget at 0") != std::string::npos);
        QVERIFY(refused({"evaluate.beam=20"}, {}).find("no beams") != std::string::npos);
        QVERIFY(refused({"evaluate.endpoint=sever"}, {}).find("Did you mean server?") != std::string::npos);
        QVERIFY(refused({"evaluate.endpoint="}, {}).find("needs a policy") != std::string::npos);
    }

    /// A server that fails for good in the middle of an evaluation: what it has answered is not asked again,
    /// and the journal tells of the request that was repeated.
    void aFailedEvaluationGoesOn()
    {
        int calls = 0;
        bool refuses = true;
        const ScriptedServer server([&](const std::string& request) {
            if (++calls == 2)
                return ScriptedServer::whole(503, "text/plain", "");
            if (calls > 30 && refuses)
                return ScriptedServer::whole(401, "application/json", "{}");
            const auto seed = bodyOf(request)["seed"].get<std::int64_t>();
            return answer(program + "// " + std::to_string(seed));
        });
        use(server);
        FakeJudge judge;
        const auto parameters = with(ParameterSet(stageParameters(StageKind::Evaluate)),
                                     {"threads=1", "evaluate.samples=20", "evaluate.k=1",
                                      "evaluate.endpoint=server", "evaluate.split=all", "system.every=0"});
        auto run = newRun(fs::absolute("halfway"), StageKind::Evaluate, parameters);
        const auto failed = runStage(run, environmentWith(judge));
        QVERIFY(!failed && failed.error().what.find("answers 401") != std::string::npos);
        QVERIFY(fs::exists("halfway/answers.jsonl"));
        int told = 0;
        const auto journal = *readWholeJournal("halfway");
        for (const JournalEntry& entry : journal)
            if (const auto* log = std::get_if<LogEvent>(&entry.event))
                told += log->text.find("answers 503; trying again in 1 s") != std::string::npos ? 1 : 0;
        QCOMPARE(told, 1);
        refuses = false;
        must(runStage(run, environmentWith(judge)));
        QVERIFY(!fs::exists("halfway/answers.jsonl"));
        std::map<std::string, int> asked;
        int refused = 0;
        for (const std::string& request : server.requests())
            ++asked[request.substr(request.find("\r\n\r\n"))];
        QCOMPARE(asked.size(), std::size_t(60));
        for (const auto& [body, count] : asked)
            refused += count - 1;
        QVERIFY2(refused >= 2 && refused <= 5, std::to_string(refused).c_str()); // 503, and 401 to four
        int samples = 0;
        const auto whole = *readWholeJournal("halfway");
        for (const JournalEntry& entry : whole)
            samples += std::holds_alternative<SampleEvent>(entry.event) ? 1 : 0;
        QCOMPARE(samples, 60);
    }

    /// A run of the stage search, left and gone on with.
    void aSearchRunAsksAServer()
    {
        std::atomic<int> calls = 0;
        const ScriptedServer server([&](const std::string&) {
            return answer("```\n" + program + "// " + std::to_string(calls++) + "\n```");
        });
        use(server);
        PtxJudge judge;
        auto environment = environmentWith(judge);
        environment.makeFinalJudge = []() -> Result<std::unique_ptr<Judge>> {
            return std::make_unique<PtxJudge>();
        };
        const auto parameters =
            with(ParameterSet(stageParameters(StageKind::Search)),
                 {"judge.device=sim", "judge.seed=7", "seed=3", "search.candidates=40", "search.generation=8",
                  "search.bench_programs=8", "system.every=0", "search.endpoint=server"});
        auto run = newRun(fs::absolute("searched"), StageKind::Search, parameters);
        int events = 0;
        environment.onEvent = [&](std::int64_t, const Event&) {
            if (++events == 60)
                environment.cancel.cancel();
        };
        QVERIFY(must(runStage(run, environment)).end == StageOutcome::End::Interrupted);
        environment.cancel = {};
        QVERIFY(must(runStage(run, environment)).end == StageOutcome::End::Done);
        std::map<std::string, int> sources;
        const auto entries = readWholeJournal("searched");
        QVERIFY(entries);
        for (const JournalEntry& entry : *entries)
            if (const auto* sample = std::get_if<SampleEvent>(&entry.event))
                ++sources[sample->proposal->source];
        QVERIFY(sources["policy"] > 0);
        int all = 0;
        for (const auto& [source, count] : sources)
            all += count;
        QCOMPARE(all, 3 * 40);
    }

    /// A search says once that its endpoint is gone, and goes on without it.
    void aSearchGoesOnWithoutIt()
    {
        const ScriptedServer server(
            [](const std::string&) { return ScriptedServer::whole(403, "application/json", "{}"); });
        Proposers proposers;
        int failures = 0;
        addPolicySources(proposers, std::make_shared<const ProgramWriter>(writerOf(clientOf(server))),
                         smallTarget(), {}, {},
                         {{}, [&](const Error& error) {
                              ++failures;
                              QVERIFY(error.what.find("answers 403") != std::string::npos);
                          }});
        QCOMPARE(proposers.size(), std::size_t(2)); // also refine
        Rng rng(1);
        const Archive archive;
        for (int i = 0; i < 3; ++i)
            QVERIFY(!proposers[0]->propose(archive, rng));
        QCOMPARE(failures, 1);
        QCOMPARE(server.requests().size(), std::size_t(1));
    }

    /// What came before is proposed: it has been paid for.
    void whatCameIsProposed()
    {
        std::atomic<int> calls = 0;
        const ScriptedServer server([&](const std::string&) {
            return ++calls <= 5 ? answer(program + "// " + std::to_string(calls))
                                : ScriptedServer::whole(403, "application/json", "{}");
        });
        Proposers proposers;
        int failures = 0;
        addPolicySources(proposers, std::make_shared<const ProgramWriter>(writerOf(clientOf(server))),
                         smallTarget(), {}, {}, {{}, [&](const Error&) { ++failures; }});
        Rng rng(1);
        const Archive archive;
        std::set<std::string> texts;
        for (int i = 0; i < 5; ++i) {
            const auto proposal = proposers[0]->propose(archive, rng);
            QVERIFY(proposal);
            texts.insert(proposal->text);
        }
        QCOMPARE(texts.size(), std::size_t(5));
        QVERIFY(!proposers[0]->propose(archive, rng));
        QCOMPARE(failures, 1);
        QCOMPARE(server.requests().size(), std::size_t(6));
    }
};

QTEST_GUILESS_MAIN(TestTrainingEndpoint)
#include "tst_training_endpoint.moc"
