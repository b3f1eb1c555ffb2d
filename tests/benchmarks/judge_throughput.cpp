// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"
#include "base/time.h"
#include "corpus/corpus.h"
#include "evaluation/make_judge.h"
#include "matrix/generate.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <sys/resource.h>

// judge_throughput [MATRIX-SPEC] [PROGRAMS]: distinct programs of the corpus judged on one matrix, each twice
// (the second round shows what the caches give). Peer: the same judge with one runner of each role. Example:
// judge_throughput "random(rows=5000,cols=5000,mean=10)" 60

using namespace sparserl;

namespace {

double cpuSeconds(int who)
{
    rusage usage{};
    getrusage(who, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double round(Judge& judge, const std::vector<JudgeRequest>& requests, std::map<std::string, int>& verdicts)
{
    const double start = monotonicSeconds();
    const auto records = judge.judge(requests, {});
    if (!records) {
        std::fprintf(stderr, "%s\n", records.error().sentence().c_str());
        std::exit(1);
    }
    for (const auto& record : *records)
        ++verdicts[std::string(nameOf(record.verdict))];
    return monotonicSeconds() - start;
}

} // namespace

int main(int argc, char** argv)
{
    const std::string spec = argc > 1 ? argv[1] : "random";
    const int count = argc > 2 ? std::atoi(argv[2]) : 60;
    auto generated = generate(spec);
    if (!generated) {
        std::fprintf(stderr, "%s\n", generated.error().sentence().c_str());
        return 1;
    }
    const auto matrix = std::make_shared<const Csr>(std::move(*generated));
    Rng rng(1);
    std::vector<JudgeRequest> requests;
    for (int i = 0; i < count; ++i) {
        auto program = sampleProgram(Task::SpMV, {}, rng);
        if (!program) {
            std::fprintf(stderr, "%s\n", program.error().sentence().c_str());
            return 1;
        }
        JudgeRequest request;
        request.program = program->text;
        request.matrix = matrix;
        request.matrixDigest = digest(*matrix);
        request.matrixName = spec;
        request.seed = 1;
        requests.push_back(std::move(request));
    }
    std::printf("%s: %d x %d, %lld non-zeros; %d programs\n", spec.c_str(), matrix->rows, matrix->cols,
                static_cast<long long>(matrix->nnz()), count);
    double single = 0;
    for (const int runners : {1, 0}) {
        JudgeOptions options;
        options.compileRunners = options.simRunners = runners;
        auto judge = makeSimulatorJudge(options);
        if (!judge) {
            std::fprintf(stderr, "%s\n", judge.error().sentence().c_str());
            return 1;
        }
        std::map<std::string, int> verdicts;
        const double own = cpuSeconds(RUSAGE_SELF);
        const double first = round(**judge, requests, verdicts), second = round(**judge, requests, verdicts);
        const double parent = cpuSeconds(RUSAGE_SELF) - own;
        judge->reset(); // Reaps the runners, so that their time is known.
        const double children = cpuSeconds(RUSAGE_CHILDREN) - (runners ? 0 : single);
        single = runners ? children : single;
        std::printf("%s: %.1f candidates/s, again %.1f/s; CPU: judge %.1f ms, runners %.1f ms a candidate "
                    "(both rounds)\n",
                    runners ? "one runner a role" : "one a core       ", count / first, count / second,
                    1e3 * parent / count, 1e3 * children / count);
        if (!runners) {
            for (const auto& [verdict, n] : verdicts)
                std::printf("  %s %d", verdict.c_str(), n);
            std::printf("\n");
        }
    }
    return 0;
}
