// SPDX-License-Identifier: Apache-2.0
// Several processes that learn together, here as threads with connections of their own: what they come to
// must not depend on how many they are. The real programs are in tests/cli.
#include "matrix/generate.h"
#include "tests/training/tiny_policy.h"
#include "together.h"
#include "training/learning/data_parallel.h"
#include "training/learning/forward_passes.h"
#include "training/learning/learner.h"
#include "training/stages/join_processes.h"
#include "training/stages/listens.h"
#include "training/stages/text_learning.h"
#include "training/work/packed.h"

#include <QtTest>
#include <arpa/inet.h>

#include <cmath>
#include <map>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace sparserl;
using namespace sparserl::test;

namespace {

/// Texts of all lengths about three matrices: what they say does not matter.
SequenceBatch someTexts(const Policy& policy, int count)
{
    SequenceBatch batch;
    const auto csr = generate("stencil2d(n=6,points=5)");
    for (int m = 0; m < 3; ++m)
        batch.inputs.push_back(
            {std::make_shared<const MatrixTokens>(policy.matrixTokens(*csr, std::uint64_t(m))), {}});
    for (int i = 0; i < count; ++i) {
        auto text = policy.tokenizer().encode("y[" + std::to_string(i * 37) + "] = x;" +
                                              std::string(std::size_t(i % 5), 'a'));
        text.push_back(Tokenizer::eosId);
        batch.inputOf.push_back(i % 3);
        batch.targets.push_back(std::move(text));
    }
    return batch;
}

std::vector<double> flat(const std::vector<torch::Tensor>& tensors)
{
    std::vector<double> values;
    for (const auto& tensor : tensors) {
        const auto x = tensor.detach().to(torch::kFloat64).contiguous();
        values.insert(values.end(), x.const_data_ptr<double>(), x.const_data_ptr<double>() + x.numel());
    }
    return values;
}

std::vector<double> weightsOf(const NamedTensors& parameters)
{
    std::vector<torch::Tensor> tensors;
    for (const auto& [name, tensor] : parameters)
        tensors.push_back(tensor);
    return flat(tensors);
}

double distance(const std::vector<double>& a, const std::vector<double>& b)
{
    if (a.size() != b.size() || a.empty())
        return std::nan("");
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        most = std::max(most, std::abs(a[i] - b[i]));
    return most;
}

/// Gradients of the texts' cross-entropy, the loss before them.
std::vector<double> textGradient(const std::shared_ptr<ProcessGroup>& group, int texts)
{
    auto policy = tinyPolicy(1);
    const auto batch = someTexts(policy, texts);
    double tokens = 0;
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < batch.targets.size(); ++i) {
        all.push_back(std::int64_t(i));
        tokens += double(batch.targets[i].size());
    }
    const auto own = takeTurns(all, *group);
    const auto loss = addTextGradient(
        policy, own.size(), 2, tokens,
        [&](std::size_t begin, std::size_t end) {
            return selectRows(batch, std::span(own).subspan(begin, end - begin));
        },
        {}, *group);
    sumGradients(policy.parameters(), *group);
    std::vector<torch::Tensor> gradients{torch::tensor({loss->loss})};
    for (const auto& [name, tensor] : policy.parameters()) {
        if (tensor.grad().defined())
            gradients.push_back(tensor.grad());
    }
    return flat(gradients);
}

RlSettings settingsOf(const std::string& algorithm)
{
    RlSettings s;
    s.critic = algorithm == "ppo";
    s.baseline = algorithm == "grpo"   ? GroupBaseline::Grpo
                 : algorithm == "rloo" ? GroupBaseline::Rloo
                                       : GroupBaseline::ReinforcePlusPlus;
    s.aggregation = algorithm == "grpo" ? AggregationMode::SeqMeanTokenMean : AggregationMode::TokenMean;
    s.epochs = 2;
    s.valueEpochs = 2;
    s.minibatch = 5;
    s.microBatch = 2;
    s.klLossCoef = 0.02;
    s.entropyCoef = 0.01;
    // Else a first step is the sign of a gradient, also where that is nothing but rounding.
    s.adam.epsilon = 1e-3;
    return s;
}

struct Learned
{
    std::vector<double> weights;
    Metrics metrics;
};

/// One iteration on twelve responses in three groups.
Learned learn(const std::shared_ptr<ProcessGroup>& group, const std::string& algorithm)
{
    auto policy = tinyPolicy(1);
    const auto settings = settingsOf(algorithm);
    Experience experience;
    experience.batch = someTexts(policy, 12);
    ProcessGroup alone;
    const auto statistics = statisticsOf(policy, experience.batch, 1.0, 64, false, {}, alone);
    for (std::int64_t i = 0; i < 12; ++i) {
        experience.scores.push_back(std::sin(double(3 * i)));
        experience.groups.push_back(experience.batch.inputOf[std::size_t(i)]);
        std::vector<float> own;
        for (std::size_t t = 0; t < experience.batch.targets[std::size_t(i)].size(); ++t)
            own.push_back(statistics->logProbs[i][std::int64_t(t)].item<float>());
        experience.samplerLogProbs.push_back(own);
    }
    std::optional<Critic> critic;
    if (settings.critic)
        critic.emplace(Critic::fromPolicy(policy, 5));
    Learner learner(std::move(policy), tinyPolicy(2).clone(false), std::move(critic), settings, 0.05, 0.1,
                    100, {}, group);
    Learned learned;
    const auto targets = learner.prepare(experience, settings, learned.metrics);
    learned.metrics.merge(*learner.update(experience, *targets, settings, false, Rng(3), {}));
    learned.weights = weightsOf(learner.policy().parameters());
    if (learner.critic()) {
        const auto more = weightsOf(learner.critic()->parameters());
        learned.weights.insert(learned.weights.end(), more.begin(), more.end());
    }
    return learned;
}

EnvironmentReader environmentOf(const std::map<std::string, std::string>& variables)
{
    return [variables](const char* name) {
        const auto found = variables.find(name);
        return found != variables.end() ? std::optional(found->second) : std::nullopt;
    };
}

} // namespace

class TrainingProcessesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        torch::set_num_threads(1);
        allowSeveralGroups();
    }

    void sharesAreWholeAndEven()
    {
        for (const std::size_t count : {0, 1, 7, 64}) {
            for (const int size : {1, 2, 3, 8}) {
                std::size_t next = 0;
                for (int rank = 0; rank < size; ++rank) {
                    const auto share = shareOf(count, rank, size);
                    QCOMPARE(share.begin, next);
                    QVERIFY(share.size() <= count / std::size_t(size) + 1);
                    next = share.end;
                }
                QCOMPARE(next, count);
            }
        }
    }

    void packedValuesAreExact()
    {
        Packer packer;
        const std::vector<double> odd{std::nan(""), -0.0, 1e300, 0.1};
        packer.numbers(std::span(odd));
        packer.text("a\0b");
        packer.number(true);
        const auto bytes = packer.take();
        Unpacker unpacker(bytes);
        const auto back = unpacker.numbers<double>();
        QVERIFY(std::isnan(back[0]) && std::signbit(back[1]) && back[2] == 1e300 && back[3] == 0.1);
        QCOMPARE(unpacker.text(), std::string("a\0b"));
        QVERIFY(unpacker.number<bool>());
        QVERIFY_EXCEPTION_THROWN(unpacker.number<int>(), ProcessFault);
        QVERIFY_EXCEPTION_THROWN(Unpacker(std::string_view("\xff\xff\xff\xff\xff\xff\xff\x7f", 8)).text(),
                                 ProcessFault);
    }

    void environmentsOfTorchrunAndSrun()
    {
        QVERIFY(!*placeFromEnvironment(environmentOf({})));
        const auto torchrun = placeFromEnvironment(environmentOf({{"RANK", "3"},
                                                                  {"WORLD_SIZE", "4"},
                                                                  {"LOCAL_RANK", "1"},
                                                                  {"LOCAL_WORLD_SIZE", "2"},
                                                                  {"MASTER_ADDR", "node7"},
                                                                  {"MASTER_PORT", "29500"},
                                                                  {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                                                  {"TORCHELASTIC_RESTART_COUNT", "2"}}));
        QVERIFY(torchrun && *torchrun);
        QCOMPARE((*torchrun)->rank, 3);
        QCOMPARE((*torchrun)->localRank, 1);
        QCOMPARE((*torchrun)->localSize, 2);
        QCOMPARE((*torchrun)->address, std::string("node7"));
        QCOMPARE((*torchrun)->port, 29500);
        QVERIFY((*torchrun)->isHosted);
        QCOMPARE((*torchrun)->keyPrefix, std::string("/worker/attempt_2"));

        std::map<std::string, std::string> srun{{"SLURM_PROCID", "1"},          {"SLURM_STEP_NUM_TASKS", "2"},
                                                {"SLURM_LOCALID", "1"},         {"SLURM_STEP_NUM_NODES", "1"},
                                                {"SLURM_JOB_ID", "1234567890"}, {"SLURM_NTASKS", "2"}};
        srun["SLURM_JOB_ID"] = "71234";
        const auto step = placeFromEnvironment(environmentOf(srun));
        QVERIFY(step && *step);
        QCOMPARE((*step)->rank, 1);
        QCOMPARE((*step)->localSize, 2);
        QCOMPARE((*step)->address, std::string("127.0.0.1"));
        QCOMPARE((*step)->port, 31234);
        // A batch script is one process, whatever its steps will be.
        srun.erase("SLURM_STEP_NUM_TASKS");
        QVERIFY(!*placeFromEnvironment(environmentOf(srun)));
    }

    void environmentsThatMakeNoSense_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("value");
        QTest::newRow("rank too large") << "RANK"
                                        << "2";
        QTest::newRow("rank no number") << "RANK"
                                        << "one";
        QTest::newRow("no size") << "WORLD_SIZE"
                                 << "";
        QTest::newRow("no address") << "MASTER_ADDR"
                                    << "";
        QTest::newRow("no port") << "MASTER_PORT"
                                 << "";
        QTest::newRow("port too large") << "MASTER_PORT"
                                        << "65536";
    }
    void environmentsThatMakeNoSense()
    {
        QFETCH(QString, name);
        QFETCH(QString, value);
        std::map<std::string, std::string> variables{
            {"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}};
        QVERIFY(placeFromEnvironment(environmentOf(variables)));
        variables[name.toStdString()] = value.toStdString();
        const auto place = placeFromEnvironment(environmentOf(variables));
        QVERIFY(!place);
        QVERIFY(QString::fromStdString(place.error().what).contains(name));
    }

    /// Nine texts and one: shares of other sizes, and processes that have nothing at all.
    void gradientsDoNotDependOnTheNumberOfProcesses()
    {
        for (const int texts : {9, 1}) {
            const auto one = textGradient(std::make_shared<ProcessGroup>(), texts);
            for (const int size : {2, 4}) {
                const auto several = together<std::vector<double>>(
                    size, [&](const auto& group) { return textGradient(group, texts); });
                QVERIFY2(distance(one, several) < 1e-6, qPrintable(QString::number(distance(one, several))));
            }
        }
    }

    void updatesDoNotDependOnTheNumberOfProcesses_data()
    {
        QTest::addColumn<QString>("algorithm");
        for (const char* name : {"ppo", "grpo", "rloo", "reinforce++"})
            QTest::newRow(name) << name;
    }
    void updatesDoNotDependOnTheNumberOfProcesses()
    {
        QFETCH(QString, algorithm);
        const auto name = algorithm.toStdString();
        const auto one = learn(std::make_shared<ProcessGroup>(), name);
        const auto before = weightsOf(tinyPolicy(1).parameters());
        QVERIFY(distance(before, {one.weights.begin(), one.weights.begin() + std::ptrdiff_t(before.size())}) >
                1e-5); // it learns
        for (const int size : {2, 4}) {
            const auto several =
                together<Learned>(size, [&](const auto& group) { return learn(group, name); });
            QVERIFY2(distance(one.weights, several.weights) < 1e-6,
                     qPrintable(QString::number(distance(one.weights, several.weights))));
            QCOMPARE(several.metrics.size(), one.metrics.size());
            for (const auto& [metric, value] : one.metrics) {
                // The highest and lowest share of clipped tokens are over micro-batches, which are other
                // ones.
                if (metric.find("low_min") != std::string::npos ||
                    metric.find("high_max") != std::string::npos)
                    continue;
                // So is the variance of ratios, a mean over micro-batches.
                if (metric.find("variance") != std::string::npos ||
                    metric.find("ratio_var") != std::string::npos)
                    continue;
                const double other = several.metrics.at(metric);
                QVERIFY2(std::abs(other - value) <= 1e-5 * std::max(1.0, std::abs(value)) ||
                             (std::isnan(other) && std::isnan(value)),
                         (metric + " " + std::to_string(value) + " " + std::to_string(other)).c_str());
            }
        }
    }

    void weightsThatComeApartAreNoticed()
    {
        const auto said = together<std::string>(2, [&](const auto& group) -> std::string {
            auto policy = tinyPolicy(1);
            shareWeights(policy.parameters(), *group);
            requireSameWeights(policy.parameters(), *group);
            if (!group->leads()) {
                const torch::NoGradGuard guard;
                policy.parameters().back().second.add_(0.01);
            }
            try {
                requireSameWeights(policy.parameters(), *group);
                return {};
            } catch (const ProcessFault& fault) {
                return fault.what();
            }
        });
        QVERIFY2(said.find("come apart") != std::string::npos, said.c_str());
    }

    void startingWeightsAreThoseOfProcess0()
    {
        const auto weights = together<std::vector<double>>(2, [&](const auto& group) {
            auto policy = tinyPolicy(std::uint64_t(group->rank()) + 1);
            shareWeights(policy.parameters(), *group);
            requireSameWeights(policy.parameters(), *group);
            return weightsOf(policy.parameters());
        });
        QCOMPARE(weights, weightsOf(tinyPolicy(1).parameters()));
    }

    void thoseThatDoNotComeAreNamed()
    {
        ProcessPlace place;
        place.size = 3;
        const auto meeting = MeetingPlace::open(place, std::chrono::milliseconds(300));
        QVERIFY(meeting);
        const auto group = meeting->join();
        QVERIFY(!group);
        QVERIFY2(group.error().what.find("1 and 2") != std::string::npos, group.error().what.c_str());

        place.rank = 1;
        place.port = 1; // nobody listens there
        const auto other = MeetingPlace::open(place, std::chrono::milliseconds(300));
        QVERIFY(!other);
        QVERIFY2(other.error().what.find("did not reach process 0") != std::string::npos,
                 other.error().what.c_str());
    }

    /// A machine too busy to be told by the library in time is not taken for a foreign program.
    void itIsSeenWhetherSomebodyListens()
    {
        const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        QCOMPARE(::bind(listener, reinterpret_cast<const sockaddr*>(&address), size), 0);
        QCOMPARE(::listen(listener, 1), 0);
        QCOMPARE(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
        QVERIFY(listens("127.0.0.1", ntohs(address.sin_port)));
        ::close(listener);
        QVERIFY(!listens("127.0.0.1", 1));
        QVERIFY(!listens("nobody.invalid", 1));
    }

    /// torchrun's agent keeps the meeting place; a second attempt has keys of its own.
    void anAgentMayKeepTheMeetingPlace()
    {
        const auto agent = MeetingPlace::open({}, std::chrono::seconds(20));
        QVERIFY(agent);
        for (const char* attempt : {"/worker/attempt_0", "/worker/attempt_1"}) {
            std::vector<double> sums(2);
            std::vector<std::thread> threads;
            for (int rank = 0; rank < 2; ++rank) {
                threads.emplace_back([&, rank] {
                    const auto meeting =
                        MeetingPlace::open({rank, 2, rank, 2, "127.0.0.1", agent->port(), true, attempt},
                                           std::chrono::seconds(20));
                    const auto group = meeting ? meeting->join() : fail(meeting.error());
                    if (!group)
                        qFatal("%s", group.error().sentence().c_str());
                    sums[std::size_t(rank)] = sumNumbers(**group, {double(rank + 1)})[0];
                });
            }
            for (auto& thread : threads)
                thread.join();
            QCOMPARE(sums, (std::vector<double>{3, 3}));
        }
    }

    /// What one has said of its failure is what the others say; later words do not replace it.
    void aFailureIsToldToAll()
    {
        const auto said = together<std::string>(2, [&](const auto& group) -> std::string {
            if (!group->leads()) {
                group->reportFailure("Process 1 has failed: the disk is full");
                group->reportFailure("and this came of it");
                throw ProcessFault("it leaves");
            }
            try {
                for (;;)
                    group->gather("x");
            } catch (const ProcessFault& fault) {
                return fault.what();
            }
        });
        QCOMPARE(said, std::string("Process 1 has failed: the disk is full"));
    }

    void anEndIsAskedOfAll()
    {
        const bool seen = together<bool>(2, [&](const auto& group) {
            const bool before = group->endRequested() == EndRequest::None;
            group->gather({});
            if (!group->leads())
                group->requestEnd(EndRequest::Stop);
            group->gather({});
            return before && group->endRequested() == EndRequest::Stop;
        });
        QVERIFY(seen);
    }
};

QTEST_GUILESS_MAIN(TrainingProcessesTest)
#include "tst_training_processes.moc"
