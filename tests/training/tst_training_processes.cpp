// SPDX-License-Identifier: Apache-2.0
// Several processes that learn together, here as threads with connections of their own: what they come to
// must not depend on how many they are. The real programs are in tests/cli.
#include "tests/training/tiny_learning.h"
#include "together.h"
#include "training/stages/join_processes.h"
#include "training/stages/listens.h"
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

    void gradientsDoNotDependOnTheNumberOfProcesses_data() { addPolicyKinds(); }
    /// Nine texts and one: shares of other sizes, and processes that have nothing at all.
    void gradientsDoNotDependOnTheNumberOfProcesses()
    {
        QFETCH(QString, policy);
        const auto gradient = [&](const std::shared_ptr<ProcessGroup>& group, int texts) {
            const Policy own = tinyPolicyOf(policy.toStdString(), 1);
            return textGradient(own, someTexts(own, texts), *group);
        };
        for (const int texts : {9, 1}) {
            const auto one = gradient(std::make_shared<ProcessGroup>(), texts);
            for (const int size : {2, 4}) {
                const auto several = together<std::vector<double>>(
                    size, [&](const auto& group) { return gradient(group, texts); });
                QVERIFY2(distance(one, several) < 1e-6, qPrintable(QString::number(distance(one, several))));
            }
        }
    }

    void updatesDoNotDependOnTheNumberOfProcesses_data()
    {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<QString>("algorithm");
        for (const char* policy : policyKinds) {
            for (const char* algorithm : {"ppo", "grpo", "rloo", "reinforce++"})
                QTest::addRow("%s, %s", policy, algorithm)
                    << QString::fromLatin1(policy) << QString::fromLatin1(algorithm);
        }
    }
    void updatesDoNotDependOnTheNumberOfProcesses()
    {
        QFETCH(QString, policy);
        QFETCH(QString, algorithm);
        const auto run = [&](const std::shared_ptr<ProcessGroup>& group) {
            const Policy own = tinyPolicyOf(policy.toStdString(), 1);
            return learn(own, someExperience(own), group, settingsOf(algorithm.toStdString()));
        };
        const auto one = run(std::make_shared<ProcessGroup>());
        const auto before = weightsOf(tinyPolicyOf(policy.toStdString(), 1).parameters());
        QVERIFY(distance(before, {one.weights.begin(), one.weights.begin() + std::ptrdiff_t(before.size())}) >
                1e-5); // it learns
        for (const int size : {2, 4}) {
            compareLearned(one, together<Learned>(size, run));
            if (QTest::currentTestFailed())
                return;
        }
    }

    void weightsThatComeApartAreNoticed_data() { addPolicyKinds(); }
    void weightsThatComeApartAreNoticed()
    {
        QFETCH(QString, policy);
        const auto said = together<std::string>(2, [&](const auto& group) -> std::string {
            const Policy own = tinyPolicyOf(policy.toStdString(), 1);
            shareWeights(own.parameters(), *group);
            requireSameWeights(own.parameters(), *group);
            if (!group->leads()) {
                const torch::NoGradGuard guard;
                own.parameters().back().second.add_(0.01);
            }
            try {
                requireSameWeights(own.parameters(), *group);
                return {};
            } catch (const ProcessFault& fault) {
                return fault.what();
            }
        });
        QVERIFY2(said.find("come apart") != std::string::npos, said.c_str());
    }

    /// Adapters on other weights would learn, and to no use.
    void frozenWeightsMustBeTheSame()
    {
        const auto said = together<std::string>(2, [&](const auto& group) -> std::string {
            const Policy own = tinyPolicyOf("lora", std::uint64_t(group->rank()) + 1);
            shareWeights(own, *group); // adapters may differ
            if (!group->leads()) {
                const torch::NoGradGuard guard;
                for (const auto& [name, tensor] : own.model().weights()) {
                    if (name.ends_with("up_proj.weight"))
                        torch::Tensor(tensor).mul_(1.1);
                }
            }
            try {
                shareWeights(own, *group);
                return {};
            } catch (const ProcessFault& fault) {
                return fault.what();
            }
        });
        QVERIFY2(said.find("layers.0.mlp.up_proj.weight") != std::string::npos, said.c_str());
    }

    void startingWeightsAreThoseOfProcess0_data() { addPolicyKinds(); }
    void startingWeightsAreThoseOfProcess0()
    {
        QFETCH(QString, policy);
        const auto weights = together<std::vector<double>>(2, [&](const auto& group) {
            const Policy own = tinyPolicyOf(policy.toStdString(), std::uint64_t(group->rank()) + 1);
            shareWeights(own.parameters(), *group);
            requireSameWeights(own.parameters(), *group);
            return weightsOf(own.parameters());
        });
        QCOMPARE(weights, weightsOf(tinyPolicyOf(policy.toStdString(), 1).parameters()));
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
