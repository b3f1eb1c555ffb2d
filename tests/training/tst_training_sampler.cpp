// SPDX-License-Identifier: Apache-2.0
// rl.sampler = endpoint: a server draws the samples of reinforcement learning, and the policy learns what it
// would have learned from its own.
#include "fake_judge.h"
#include "scratch_folder.h"
#include "stage_runs.h"
#include "tiny_policy.h"

#include "base/json.h"
#include "base/subprocess.h"
#include "corpus/corpus.h"
#include "endpoint/endpoint_client.h"
#include "policy/policy/policy_adapters.h"
#include "policy/policy/policy_import.h"
#include "policy/policy/policy_update.h"
#include "tests/endpoint/scripted_server.h"
#include "tests/patience.h"
#include "tests/policy/tiny_causal.h"
#include "together.h"
#include "training/learning/learner.h"
#include "training/sampling/endpoint_samples.h"
#include "training/sampling/served_request.h"
#include "training/sampling/verified_sampling.h"

#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>

using namespace sparserl;
using namespace sparserl::test;
using sparserl::tests::ScriptedServer;

namespace {

/// `sparserl serve` as a process, which may be killed and started again under its address.
class Server
{
public:
    explicit Server(fs::path policy)
        : m_policy(std::move(policy))
    {
        start("0");
    }
    ~Server() { kill(); }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    const std::string& url() const { return m_url; }
    void kill()
    {
        ::kill(m_process->pid(), SIGKILL);
        m_process->wait(patienceSeconds());
    }
    void again() { start(m_url.substr(m_url.rfind(':') + 1, m_url.rfind("/v1") - m_url.rfind(':') - 1)); }

private:
    void start(const std::string& port)
    {
        fs::remove("serve.out");
        SpawnOptions options;
        options.argv = {"/bin/sh",
                        "-c",
                        "exec \"$0\" --json --quiet serve --policy \"$1\" --policy-device cpu --updates . "
                        "--port \"$2\" > serve.out",
                        SPARSERL_BIN_DIR "/sparserl",
                        m_policy.string(),
                        port};
        auto process = spawn(options);
        if (!process)
            qFatal("%s", process.error().sentence().c_str());
        m_process.emplace(std::move(*process));
        const auto said = [&] {
            const auto text = readFile("serve.out");
            const auto json = text && text->ends_with('\n') ? parseJson(*text) : fail("nothing yet");
            m_url = json ? jsonValue(*json, "url", std::string()) : std::string();
            return !m_url.empty();
        };
        if (!comesTrue(said))
            qFatal("the server says no address");
    }

    fs::path m_policy;
    std::optional<Subprocess> m_process;
    std::string m_url;
};

/// Reward differs from sample to sample.
void useCorpus(StageEnvironment& environment)
{
    environment.replaceSample = [](std::uint64_t seed, std::size_t sample) {
        Rng rng = Rng(seed % 7).derive(sample % 9);
        const auto program = derive(rng.chance(0.5) ? "S1" : "S3", {}, Style::sample(0.9, rng));
        return std::optional(program->text);
    };
}

/// The gradient of the first step, which Adam has kept.
std::map<std::string, torch::Tensor> gradientsOf(const fs::path& run)
{
    std::map<std::string, torch::Tensor> all;
    const auto moments = readSafeTensors(*findPolicy(run) / "optimizer.safetensors");
    if (!moments)
        qFatal("%s", moments.error().sentence().c_str());
    for (const auto& [name, tensor] : moments->tensors)
        if (name.find(".m.") != std::string::npos)
            all.emplace(name, tensor * 10);
    return all;
}

nlohmann::json bodyOf(const std::string& request)
{
    return nlohmann::json::parse(request.substr(request.find("\r\n\r\n") + 4));
}
std::string asJson(const nlohmann::json& json)
{
    return ScriptedServer::whole(200, "application/json", json.dump());
}

} // namespace

class TestTrainingSampler : public QObject
{
    Q_OBJECT

private:
    ScratchFolder m_scratch;
    FakeJudge m_judge;
    fs::path m_sft = fs::absolute("sft"), m_lora = fs::absolute("lora");

    static void use(const std::string& url)
    {
        fs::remove_all("config");
        EndpointSettings settings;
        settings.name = "sampler";
        settings.url = url;
        settings.model = "m";
        settings.requestsPerMinute = 1e6;
        settings.mostTokens = 1'000'000'000;
        if (const auto added = addEndpoint(settings); !added)
            qFatal("%s", added.error().sentence().c_str());
    }
    static ParameterSet viaServer(const ParameterSet& parameters)
    {
        return with(parameters, {"rl.sampler=endpoint", "rl.endpoint=sampler"});
    }
    Result<StageOutcome> tryRun(const char* name, const ParameterSet& parameters, const fs::path& parent,
                                std::vector<Experience>* all = nullptr,
                                const std::function<void(std::int64_t)>& meanwhile = {})
    {
        auto environment = environmentWith(m_judge, parent);
        useCorpus(environment);
        environment.onExperience = [&](std::int64_t iteration, const Experience& experience) {
            if (all != nullptr)
                all->push_back(experience);
            if (meanwhile)
                meanwhile(iteration);
        };
        auto run = newRun(fs::absolute(name), StageKind::Rl, parameters);
        return runStage(run, environment);
    }
    std::string failureOf(const ParameterSet& parameters)
    {
        const auto outcome = tryRun("failing", parameters, m_sft);
        return outcome ? std::string() : outcome.error().sentence();
    }

private Q_SLOTS:
    void initTestCase()
    {
        ::setenv("XDG_CONFIG_HOME", fs::absolute("config").c_str(), 1);
        auto run = newRun(m_sft, StageKind::Sft, tinySft());
        must(runStage(run, environmentWith(m_judge)));
        const CausalConfig config = tinyCausalConfig("llama");
        QVERIFY(writeTinyCausal("there", config, tinyCausalWeights(config, 3, torch::kBFloat16)));
        PolicyImportOptions options;
        options.embedding.maxEntries = 12;
        options.maxTokens = 160;
        QVERIFY(importPolicy("there", "imported", options));
        const auto adapted = withAdapters(*Policy::load("imported"),
                                          {.rank = 4, .alpha = 16, .targets = {"q_proj", "v_proj"}}, 5);
        QVERIFY(adapted && adapted->save(m_lora));
    }

    void theGradientIsThatOfOwnSamples_data()
    {
        QTest::addColumn<bool>("lora");
        QTest::addColumn<QByteArray>("algorithm");
        QTest::newRow("ppo") << false << QByteArray("ppo");
        QTest::newRow("dr-grpo") << false << QByteArray("dr-grpo");
        QTest::newRow("self-critical") << false << QByteArray("self-critical");
        QTest::newRow("adapters") << true << QByteArray("dr-grpo");
    }
    void theGradientIsThatOfOwnSamples()
    {
        QFETCH(bool, lora);
        QFETCH(QByteArray, algorithm);
        const auto parameters =
            with(tinyRl(algorithm.constData()), {"rl.iterations=1", "rl.epochs=1", "rl.minibatch=6",
                                                 "rl.value_pretrain=0", "eval.samples=0", "rl.kl_coef=0.1"});
        const fs::path parent = lora ? m_lora : m_sft;
        std::vector<Experience> own, served;
        must(tryRun("own", parameters, parent, &own));
        const Server server(*findPolicy(parent));
        use(server.url());
        must(tryRun("served", viaServer(parameters), parent, &served));
        QCOMPARE(served.size(), std::size_t(1));
        QCOMPARE(served[0].batch.targets, own[0].batch.targets);
        QVERIFY(own[0].behaviourLogProbs.empty());
        QCOMPARE(served[0].behaviourLogProbs, served[0].samplerLogProbs);
        const auto wanted = gradientsOf("own"), found = gradientsOf("served");
        QCOMPARE(found.size(), wanted.size());
        double largest = 0, off = 0;
        for (const auto& [name, tensor] : wanted) {
            largest = std::max(largest, tensor.abs().max().item<double>());
            off = std::max(off, (found.at(name) - tensor).abs().max().item<double>());
        }
        QVERIFY2(largest > 1e-4 && off <= 1e-4 * largest, fmt::format("{} {}", largest, off).c_str());
        QVERIFY(!fs::exists("served/sampler")); // The weights for the server are not kept.
    }

    /// Process 0 asks for all of them, whatever their number.
    void theCurvesOfOneProcess()
    {
        const auto parameters = viaServer(with(tinyRl("dr-grpo"), {"rl.lr=0.01", "rl.minibatch=6"}));
        const Server server(*findPolicy(m_sft));
        use(server.url());
        std::map<int, std::vector<Experience>> all;
        for (const int size : {1, 2, 3}) {
            const fs::path path = fs::absolute("processes-" + std::to_string(size));
            newRun(path, StageKind::Rl, parameters);
            const auto work = [&](const std::shared_ptr<ProcessGroup>& group) -> std::string {
                FakeJudge judge;
                auto environment = environmentWith(judge, m_sft);
                environment.processes = group;
                useCorpus(environment);
                if (group->leads())
                    environment.onExperience = [&](std::int64_t, const Experience& experience) {
                        all[size].push_back(experience);
                    };
                auto run = RunDirectory::open(path);
                const auto outcome = runStage(*run, environment);
                return outcome ? std::string() : outcome.error().sentence();
            };
            const std::string said =
                size == 1 ? work(std::make_shared<ProcessGroup>()) : together<std::string>(size, work);
            QVERIFY2(said.empty(), said.c_str());
            QCOMPARE(all[size].size(), std::size_t(4));
            // Later weights are equal up to rounding, so the first samples alone are equal for sure.
            QCOMPARE(all[size][0].batch.targets, all[1][0].batch.targets);
            QCOMPARE(all[size][0].behaviourLogProbs, all[1][0].behaviourLogProbs);
            const auto wanted = metricsOf(fs::absolute("processes-1")), found = metricsOf(path);
            QCOMPARE(found.size(), wanted.size());
            for (const char* name :
                 {"train 1 actor/grad_norm", "train 1 sampling/sampling_logp_difference/max"})
                QVERIFY2(std::abs(found.at(name) - wanted.at(name)) < 1e-4, name);
        }
    }

    /// What the server refuses ends all processes with the sentence of the one that asks.
    void refusalsEndAllProcesses()
    {
        const ScriptedServer server(
            [](const std::string&) { return ScriptedServer::whole(401, "application/json", "{}"); });
        use(server.url());
        const fs::path path = fs::absolute("refused-processes");
        newRun(path, StageKind::Rl, viaServer(tinyRl("dr-grpo")));
        std::mutex mutex;
        std::vector<std::string> sentences;
        together<int>(2, [&](const std::shared_ptr<ProcessGroup>& group) {
            FakeJudge judge;
            auto environment = environmentWith(judge, m_sft);
            environment.processes = group;
            auto run = RunDirectory::open(path);
            const auto outcome = runStage(*run, environment);
            const std::lock_guard lock(mutex);
            sentences.push_back(outcome ? std::string() : outcome.error().sentence());
            return 0;
        });
        QCOMPARE(sentences.size(), std::size_t(2));
        for (const std::string& said : sentences)
            QVERIFY2(said.find("answers 401") != std::string::npos, said.c_str());
    }

    /// Without learning, the server's probabilities stay those of training.
    void nothingLearnedNothingOff()
    {
        const Server server(*findPolicy(m_sft));
        use(server.url());
        std::vector<Experience> all;
        must(tryRun("still",
                    viaServer(with(tinyRl("dr-grpo"),
                                   {"rl.iterations=20", "rl.lr=1e-30", "eval.every=0", "eval.samples=0"})),
                    m_sft, &all));
        QCOMPARE(all.size(), std::size_t(20));
        const auto metrics = metricsOf("still");
        for (int iteration = 1; iteration <= 20; ++iteration) {
            const auto value = [&](const char* name) {
                return metrics.at(fmt::format("train {} {}", iteration, name));
            };
            QVERIFY(value("sampling/sampling_logp_difference/max") < 1e-4);
            QVERIFY(std::abs(value("behaviour/weight/mean") - 1) < 1e-4);
        }
    }

    /// The server gets the weights after each update, and again when it has been started again. It is killed
    /// between two questions and while it answers.
    void killedAndBack()
    {
        const auto parameters =
            viaServer(with(tinyRl("dr-grpo"), {"rl.lr=0.01", "eval.every=0", "eval.samples=0"}));
        Server server(*findPolicy(m_sft));
        use(server.url());
        std::vector<Experience> undisturbed, disturbed;
        must(tryRun("undisturbed", parameters, m_sft, &undisturbed));
        QVERIFY(undisturbed[0].batch.targets != undisturbed[1].batch.targets);
        std::thread back;
        must(tryRun("disturbed", parameters, m_sft, &disturbed, [&](std::int64_t iteration) {
            if (iteration == 0)
                back = std::thread([&] {
                    std::this_thread::sleep_for(std::chrono::milliseconds(20));
                    server.kill();
                    server.again();
                });
            if (iteration == 2) {
                server.kill();
                server.again();
            }
        }));
        back.join();
        QCOMPARE(disturbed.size(), undisturbed.size());
        for (std::size_t i = 0; i < disturbed.size(); ++i) {
            QCOMPARE(disturbed[i].batch.targets, undisturbed[i].batch.targets);
            QCOMPARE(disturbed[i].behaviourLogProbs, undisturbed[i].behaviourLogProbs);
        }
        compareRuns("undisturbed", "disturbed");
    }

    /// With rl.judge_ahead, samples are those of the policy before its last update, also from a server.
    void oneUpdateBehind()
    {
        const auto parameters = with(tinyRl("dr-grpo"), {"rl.judge_ahead=true", "rl.lr=0.01", "eval.every=0",
                                                         "eval.samples=0", "rl.iterations=3"});
        std::vector<Experience> own, served;
        must(tryRun("own-ahead", parameters, m_sft, &own));
        const Server server(*findPolicy(m_sft));
        use(server.url());
        must(tryRun("served-ahead", viaServer(parameters), m_sft, &served));
        for (std::size_t i = 0; i < own.size(); ++i)
            QCOMPARE(served[i].batch.targets, own[i].batch.targets);
    }

    /// Another maker's server gets adapters in PEFT's format and the tokens of a prompt, and a policy that
    /// reads matrices in words learns what it learns from its own samples.
    void aServerOfAnotherMaker()
    {
        PolicyImportOptions options;
        options.embedding.maxEntries = 12;
        options.maxTokens = 160;
        options.textEntries = 4;
        fs::remove_all("reader");
        QVERIFY(importPolicy("there", "reader", options));
        const Policy base = *Policy::load("reader");
        const auto adapted = withAdapters(base, {.rank = 4, .alpha = 16, .targets = {"q_proj", "v_proj"}}, 5);
        QVERIFY(adapted && adapted->save("reading"));
        const auto parameters =
            with(tinyRl("dr-grpo"), {"rl.iterations=2", "eval.samples=0", "eval.every=0", "rl.lr=0.01"});
        std::vector<Experience> own, served;
        must(tryRun("own-text", parameters, fs::absolute("reading"), &own));
        std::string name;
        std::optional<Policy> loaded;
        std::set<std::string> names;
        const ScriptedServer server([&](const std::string& request) -> std::string {
            if (request.starts_with("GET"))
                return asJson({{"data", {{{"id", "base"}, {"owned_by", "vllm"}}}}});
            const auto body = bodyOf(request);
            if (request.find("/load_lora_adapter") != std::string::npos) {
                name = body["lora_name"];
                auto with = withPeftAdapters(base, fs::path(body["lora_path"].get<std::string>()));
                if (!with || !names.insert(name).second)
                    return ScriptedServer::whole(400, "text/plain", "");
                loaded.emplace(std::move(*with));
                return ScriptedServer::whole(200, "text/plain", "Success: LoRA adapter added");
            }
            if (body["model"] != name || body.contains("matrix_tokens") || body.value("top_p", 0.0) != 1 ||
                body.value("top_k", 0) != -1 || body.value("repetition_penalty", 0.0) != 1)
                return ScriptedServer::whole(404, "application/json", "{}");
            ModelInput input;
            input.prompt = body["prompt"].get<std::vector<std::int32_t>>();
            VerifiedSampling how;
            how.options.maxTokens = body["max_tokens"];
            how.verifier = false;
            const auto n = body["n"].get<std::size_t>();
            std::vector<SampleRequest> draws;
            for (std::size_t i = 0; i < n; ++i)
                draws.push_back({0, body["seed"].get<std::uint64_t>() + i});
            nlohmann::json choices = nlohmann::json::array();
            for (const Sample& sample : sampleVerified(*loaded, {input}, draws, how)) {
                nlohmann::json tokens = nlohmann::json::array();
                for (const std::int32_t token : sample.tokens)
                    tokens.push_back(fmt::format("token_id:{}", token));
                choices.push_back({{"index", choices.size()},
                                   {"finish_reason", sample.finished ? "stop" : "length"},
                                   {"logprobs", {{"tokens", tokens}, {"token_logprobs", sample.logProbs}}}});
            }
            return asJson({{"model", name}, {"choices", choices}});
        });
        use(server.url());
        must(tryRun("served-text", viaServer(parameters), fs::absolute("reading"), &served));
        QCOMPARE(names.size(), std::size_t(2)); // Before each iteration, under a new name.
        QCOMPARE(served.size(), own.size());
        const auto metrics = metricsOf("served-text");
        for (const char* iteration : {"1", "2"})
            QVERIFY(metrics.at(fmt::format("train {} sampling/sampling_logp_difference/max", iteration)) <
                    1e-4);
        for (const auto& input : served[0].batch.inputs)
            QVERIFY(!input.matrix && input.prompt.size() > 100);
    }

    void anotherPolicyIsServed()
    {
        const Server server(*findPolicy(m_lora));
        use(server.url());
        const std::string said = failureOf(viaServer(tinyRl("dr-grpo")));
        QVERIFY2(said.find("these weights belong to another policy") != std::string::npos, said.c_str());
    }

    void serversThatCannot_data()
    {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<QByteArray>("words");
        QTest::newRow("old name") << QByteArray("name") << QByteArray("does not answer with the weights");
        QTest::newRow("old weights") << QByteArray("weights") << QByteArray("it seems to have other weights");
        QTest::newRow("no ids") << QByteArray("ids")
                                << QByteArray("gives no token IDs with log-probabilities");
        QTest::newRow("another maker") << QByteArray("foreign") << QByteArray("has no adapters");
    }
    /// A server that says what a test wants. Nothing is judged of samples that cannot be used, except where
    /// only their probabilities tell.
    void serversThatCannot()
    {
        QFETCH(QByteArray, kind);
        QFETCH(QByteArray, words);
        const Policy old = *Policy::load(*findPolicy(m_sft));
        std::string name, fingerprint;
        const ScriptedServer server([&](const std::string& request) -> std::string {
            if (request.starts_with("GET"))
                return asJson(
                    {{"data", {{{"id", "m"}, {"owned_by", kind == "foreign" ? "vllm" : "sparserl"}}}}});
            const auto body = bodyOf(request);
            if (request.find("/load_lora_adapter") != std::string::npos) {
                name = body["lora_name"];
                const fs::path folder = body["lora_path"].get<std::string>();
                fingerprint = readSafeTensors(folder / updateFile)->metadata.at("digest");
                return asJson({{"model", name}, {"system_fingerprint", fingerprint}});
            }
            const auto asked = servedRequest(body, false);
            ModelInput input{asked->matrixTokens, *asked->promptIds};
            VerifiedSampling how;
            how.options.maxTokens = *asked->maxTokens;
            std::vector<SampleRequest> draws;
            for (const std::uint64_t seed : asked->seeds)
                draws.push_back({0, seed});
            const auto samples = sampleVerified(old, {input}, draws, how);
            auto answer = servedAnswer(*asked, kind == "name" ? "older" : name, 1, samples,
                                       std::vector<std::string>(samples.size()), 0);
            answer["system_fingerprint"] = fingerprint;
            if (kind == "ids")
                for (auto& choice : answer["choices"])
                    choice["logprobs"].erase("token_ids");
            return asJson(answer);
        });
        use(server.url());
        const int before = m_judge.calls;
        const std::string said =
            failureOf(viaServer(with(tinyRl("dr-grpo"), {"rl.lr=0.1", "eval.samples=0", "eval.every=0"})));
        QVERIFY2(said.find(words.toStdString()) != std::string::npos, said.c_str());
        if (kind != "weights")
            QCOMPARE(m_judge.calls - before, 0);
    }

    void parametersThatDoNotFit()
    {
        use("http://127.0.0.1:9/v1");
        const auto said = [&](std::initializer_list<const char*> more) {
            return failureOf(with(viaServer(tinyRl("dr-grpo")), more));
        };
        QVERIFY(said({"rl.endpoint="}).find("needs the name of an endpoint") != std::string::npos);
        QVERIFY(said({"rl.endpoint=sample"}).find("Did you mean sampler?") != std::string::npos);
        QVERIFY(said({"rl.top_k=5"}).find("Set rl.top_k = 0") != std::string::npos);
        QVERIFY(said({}).find("no answer from 127.0.0.1") != std::string::npos);
        const ScriptedServer foreign([](const std::string&) {
            return asJson({{"data", {{{"id", "m"}, {"owned_by", "vllm"}}}}});
        });
        use(foreign.url());
        QVERIFY(said({"rl.judge_ahead=true"}).find("set rl.judge_ahead = false") != std::string::npos);
        QVERIFY(said({"rl.temperature=0.9"}).find("set rl.temperature = 1") != std::string::npos);
        QVERIFY(said({"rl.temperature_end=0.5"}).find("set rl.temperature = 1") != std::string::npos);
        for (const std::string& request : foreign.requests())
            QVERIFY(request.starts_with("GET"));
    }

    /// The journal tells of requests that are repeated.
    void retriesAreTold()
    {
        int calls = 0;
        const ScriptedServer server([&](const std::string& request) {
            if (request.starts_with("GET"))
                return asJson({{"data", {{{"id", "m"}, {"owned_by", "sparserl"}}}}});
            return ++calls == 1 ? ScriptedServer::whole(503, "application/json", R"({"error":"it starts"})")
                                : ScriptedServer::whole(401, "application/json", "{}");
        });
        use(server.url());
        QVERIFY(failureOf(viaServer(tinyRl("dr-grpo"))).find("answers 401") != std::string::npos);
        const auto entries = readWholeJournal("failing");
        QVERIFY(entries);
        int told = 0;
        for (const JournalEntry& entry : *entries)
            if (const auto* log = std::get_if<LogEvent>(&entry.event))
                told += log->text == "The endpoint \"sampler\" answers 503: it starts; trying again in 1 s";
        QCOMPARE(told, 1);
    }

    void numbersOfSeveralServers_data()
    {
        QTest::addColumn<QByteArray>("choice");
        QTest::addColumn<QByteArray>("wrong");
        const auto row = [](const char* name, const char* choice, const char* wrong) {
            QTest::newRow(name) << QByteArray(choice).replace('\'', '"') << QByteArray(wrong);
        };
        row("ours", "{'logprobs':{'token_ids':[5,6],'token_logprobs':[-1,-2],'behaviour_logprobs':[-1,-2]}}",
            "");
        row("vLLM", "{'token_ids':[5,6],'logprobs':{'tokens':['a','b'],'token_logprobs':[-1,-2]}}", "");
        row("vLLM, named", "{'logprobs':{'tokens':['token_id:5','token_id:6'],'token_logprobs':[-1,-2]}}",
            "");
        row("llama.cpp", "{'logprobs':{'content':[{'id':5,'logprob':-1},{'id':6,'logprob':-2}]}}", "");
        row("words", "{'logprobs':{'tokens':['a','b'],'token_logprobs':[-1,-2]}}", "no token IDs");
        row("text alone", "{'text':'ab'}", "no token IDs");
        row("empty", "{'logprobs':{'token_ids':[],'token_logprobs':[]}}", "no token IDs");
        row("null", "{'logprobs':{'token_ids':[5,6],'token_logprobs':[null,-2]}}", "no token IDs");
        row("lengths", "{'logprobs':{'token_ids':[5,6],'token_logprobs':[-1]}}", "2 tokens and 1");
        row("unknown token", "{'logprobs':{'token_ids':[5,60000],'token_logprobs':[-1,-2]}}", "token 60000");
        row("probability", "{'logprobs':{'token_ids':[5,6],'token_logprobs':[-1,2]}}",
            "log-probability of 2");
        row("beyond the end", "{'logprobs':{'token_ids':[2,6],'token_logprobs':[-1,-2]}}", "behind its end");
        row("too long", "{'logprobs':{'token_ids':[5,5,5,5,5],'token_logprobs':[-1,-1,-1,-1,-1]}}",
            "instead of 4");
        row("no end token", "{'finish_reason':'stop','logprobs':{'token_ids':[5],'token_logprobs':[-1]}}",
            "leaves out the token");
        row("other draws",
            "{'logprobs':{'token_ids':[5,6],'token_logprobs':[-1,-2],'behaviour_logprobs':[-1,-9]}}",
            "drawn with a log-probability of -9");
        row("index", "{'index':1,'logprobs':{'token_ids':[5],'token_logprobs':[-1]}}", "not numbered");
    }
    void numbersOfSeveralServers()
    {
        QFETCH(QByteArray, choice);
        QFETCH(QByteArray, wrong);
        const Policy policy = sparserl::test::tinyPolicy(1);
        QCOMPARE(policy.tokenizer().end(), 2);
        const nlohmann::json answer{{"choices", {nlohmann::json::parse(choice.toStdString())}}};
        QCOMPARE(checkChoices(answer, 2).error().what, std::string("the answer has 1 choices instead of 2"));
        const auto samples = samplesInAnswer(answer, policy, {1, 4, false});
        if (!wrong.isEmpty()) {
            QVERIFY(!samples);
            QVERIFY2(samples.error().what.find(wrong.toStdString()) != std::string::npos,
                     samples.error().what.c_str());
            return;
        }
        QVERIFY2(samples, samples ? "" : samples.error().what.c_str());
        QCOMPARE(samples->front().tokens, (std::vector<std::int32_t>{5, 6}));
        QCOMPARE(samples->front().logProbs, (std::vector<float>{-1, -2}));
        QCOMPARE(samples->front().behaviourLogProbs, (std::vector<float>{-1, -2}));
        QVERIFY(!samples->front().finished);
    }

    void updatesAreChecked()
    {
        const Policy policy = sparserl::test::tinyPolicy(1), other = sparserl::test::tinyPolicy(2);
        const std::string frozen = frozenDigest(policy);
        QCOMPARE(frozenDigest(other), frozen); // Everything is trained.
        QVERIFY(writeUpdate(other, frozen, updateFile));
        QVERIFY(policy.digest() != other.digest());
        const auto digest = readUpdate(policy, frozen, updateFile);
        QVERIFY2(digest, digest ? "" : digest.error().sentence().c_str());
        QCOMPARE(*digest, trainableDigest(other));
        QCOMPARE(policy.digest(), other.digest());
        const auto refused = [&](const char* words) {
            const auto read = readUpdate(policy, frozen, updateFile);
            return !read && read.error().what.find(words) != std::string::npos &&
                   policy.digest() == other.digest();
        };
        QVERIFY(writeUpdate(other, "another", updateFile));
        QVERIFY(refused("belong to another policy"));
        const auto changed = [&](const std::function<void(SafeTensors&)>& change) {
            auto update = writeUpdate(sparserl::test::tinyPolicy(3), frozen, updateFile)
                              ? *readSafeTensors(updateFile)
                              : SafeTensors();
            change(update);
            return writeSafeTensors(updateFile, update).has_value();
        };
        QVERIFY(changed([](SafeTensors& all) { all.tensors.pop_back(); }));
        QVERIFY(refused("not complete"));
        QVERIFY(changed([](SafeTensors& all) { all.tensors[0].second.view({-1})[0] = NAN; }));
        QVERIFY(refused("not all finite"));
        QVERIFY(changed([](SafeTensors& all) { all.tensors[0].second.view({-1})[0] = 7; }));
        QVERIFY(refused("damaged"));
        QVERIFY(changed([](SafeTensors& all) { all.tensors[0].first = "else"; }));
        QVERIFY(refused("missing or of another shape"));
        QVERIFY(changed([](SafeTensors& all) { all.metadata.clear(); }));
        QVERIFY(refused("no new weights"));
    }
};

QTEST_GUILESS_MAIN(TestTrainingSampler)
#include "tst_training_sampler.moc"
