// SPDX-License-Identifier: Apache-2.0
// The worst programs there are in a batch of honest ones: each ends as its own verdict, and nobody else's
// changes.
#include "base/files.h"
#include "base/rng.h"
#include "corpus/corpus.h"
#include "evaluation/judge/make_judge.h"
#include "matrix/generate.h"

#include <QTest>
#include <nlohmann/json.hpp>
#include <set>

using namespace sparserl;

namespace {

/// Programs of tests/adversarial that stop a judge that takes their runners' failures for its own.
const std::vector<std::string> worst{"local_table_of_a_mebibyte",
                                     "local_arrays_down_a_call_chain",
                                     "calls_80_deep",
                                     "calls_400_deep",
                                     "calls_that_double",
                                     "parameter_past_the_end",
                                     "acquire_storm",
                                     "warnings_by_the_thousand",
                                     "endless_recursion",
                                     "compile_bomb_templates",
                                     "unrolled_to_a_megabyte"};

/// Programs that no compiler should be asked to swallow.
std::vector<std::pair<std::string, std::string>> monsters()
{
    const std::string plan = "//! task spmv\n//! launch k<<<1, 32>>>(rows, x, y)\n";
    const std::string kernel = "extern \"C\" __global__ void k(int rows, const float* x, float* y) { ";
    const auto repeated = [](const std::string& text, int n) {
        std::string out;
        for (int i = 0; i < n; ++i)
            out += text;
        return out;
    };
    return {
        {"parentheses",
         plan + kernel + "y[0] = " + repeated("(", 20'000) + "x[0]" + repeated(")", 20'000) + "; }\n"},
        {"blocks", plan + kernel + repeated("{", 20'000) + repeated("}", 20'000) + " }\n"},
        {"unary", plan + kernel + "y[0] = " + repeated("- ", 25'000) + "x[0]; }\n"},
        {"scopes in asm",
         plan + kernel + "asm volatile(\"" + repeated("{", 20'000) + repeated("}", 20'000) + "\"); }\n"},
        {"plan of parentheses", "//! task spmv\n//! launch k<<<" + repeated("(", 20'000) + "1" +
                                    repeated(")", 20'000) + ", 1>>>(y)\n" + kernel + "}\n"},
        {"types", plan + "template <int N> struct T { T<N - 1> t; };\ntemplate <> struct T<0> {};\n" +
                      kernel + "T<100000> t; y[0] = sizeof t; }\n"},
        {"a table of the whole memory",
         plan + kernel + "float t[1 << 28]; t[rows] = x[0]; y[0] = t[threadIdx.x]; }\n"},
        {"registers", plan + kernel + "float a = x[0]; " +
                          [&] {
                              std::string all;
                              for (int i = 0; i < 900; ++i)
                                  all += "float r" + std::to_string(i) + " = x[" + std::to_string(i) +
                                         " * rows]; ";
                              for (int i = 0; i < 900; ++i)
                                  all += "a = a * r" + std::to_string(i) + "; ";
                              return all;
                          }() +
                          "y[0] = a; }\n"},
    };
}

} // namespace

class PoisonedBatchTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void othersAreJudgedAsAlone();
};

void PoisonedBatchTest::othersAreJudgedAsAlone()
{
    auto generated = generate("random(rows=300,cols=300,mean=6)");
    QVERIFY(generated.has_value());
    const auto matrix = std::make_shared<const Csr>(std::move(*generated));
    Rng rng(5);
    const auto request = [&](const std::string& text, const std::string& name) {
        JudgeRequest one;
        one.program = text;
        one.target.matrix = matrix;
        one.target.id.contents = digest(*matrix);
        one.target.id.name = name;
        one.seed = rng.next();
        return one;
    };
    std::vector<JudgeRequest> honest, hostile;
    while (honest.size() < 20) { // As many as hostile ones, so that each has hostile neighbours.
        const auto program = sampleProgram(Task::SpMV, {}, rng);
        QVERIFY(program.has_value());
        honest.push_back(request(program->text, program->family));
    }
    for (const auto& name : worst) {
        const auto text = readFile(SPARSERL_SOURCE_DIR "/tests/adversarial/programs/" + name + ".cu");
        QVERIFY2(text.has_value(), name.c_str());
        hostile.push_back(request(*text, name));
    }
    for (const auto& [name, text] : monsters())
        hostile.push_back(request(text, name));
    std::vector<JudgeRequest> mixed = honest;
    for (std::size_t i = 0; i < hostile.size(); ++i)
        mixed.insert(mixed.begin() + static_cast<std::ptrdiff_t>(2 * i), hostile[i]);

    JudgeOptions options;
    options.everyKind = false; // As in training, where batches are.
    options.secretSeed = 1;    // Two judges are compared.
    options.runnerPath = SPARSERL_BIN_DIR "/sparserl-runner";
    const auto judgeAll =
        [&](const std::vector<JudgeRequest>& requests) -> Result<std::vector<VerdictRecord>> {
        auto judge = makeSimulatorJudge(options);
        return judge ? (*judge)->judge(requests, {}) : fail(judge.error());
    };
    const auto alone = judgeAll(honest);
    QVERIFY2(alone.has_value(), alone ? "" : alone.error().sentence().c_str());
    const auto together = judgeAll(mixed);
    QVERIFY2(together.has_value(), together ? "" : together.error().sentence().c_str());
    std::size_t next = 0;
    const std::set<std::string> correctOnes{"unrolled_to_a_megabyte", "acquire_storm"};
    for (std::size_t i = 0; i < mixed.size(); ++i) {
        const VerdictRecord& record = together->at(i);
        const bool isHonest = next < honest.size() && mixed[i].program == honest[next].program;
        if (isHonest) {
            auto expected = toJson(alone->at(next++)), found = toJson(record);
            expected.erase("judge_seconds");
            found.erase("judge_seconds");
            QCOMPARE(QString::fromStdString(found.dump()), QString::fromStdString(expected.dump()));
            continue;
        }
        qInfo("%-32s %-14s %5.1f s  %s", record.target.name.c_str(),
              std::string(nameOf(record.verdict)).c_str(), record.judgeSeconds,
              record.message.substr(0, 150).c_str());
        if (!correctOnes.contains(record.target.name))
            QVERIFY2(!record.correct(), record.target.name.c_str());
        QVERIFY2(record.correct() || !record.message.empty(), record.target.name.c_str());
    }
    QCOMPARE(next, honest.size());
}

QTEST_GUILESS_MAIN(PoisonedBatchTest)
#include "poisoned_batch_test.moc"
