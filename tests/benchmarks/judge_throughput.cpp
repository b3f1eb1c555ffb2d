// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"
#include "base/time.h"
#include "corpus/corpus.h"
#include "evaluation/judge/make_judge.h"
#include "matrix/generate.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <sys/resource.h>
#include <thread>

// Distinct programs of the corpus judged on one matrix, or on several in turn, each with a seed of its own,
// as in training. Prints candidates a second, the share of the wall time in measuring sections, and CPU time
// by stage. Example: judge_throughput --matrix "random(rows=5000,cols=5000,mean=10)" --programs 100 --device
// cuda

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

[[noreturn]] void giveUp(const Error& error)
{
    std::fprintf(stderr, "judge_throughput: %s\n", error.sentence().c_str());
    std::exit(1);
}

} // namespace

int main(int argc, char** argv)
{
    std::vector<std::string> specs{"random(rows=5000,cols=5000,mean=10)"};
    std::string device = "sim", task = "spmv", timing = "standard";
    std::string runner;
    int count = 100, compileRunners = 0, simRunners = 0, background = 0;
    std::int64_t columns = 8;
    std::uint64_t seed = 1;
    std::vector<int> gpus{0};
    int samples = 30;
    bool verbose = false, noCold = false, everyKind = false;
    CLI::App app("Candidates a second of the judge");
    app.add_option("--matrix", specs, "Generator texts")->capture_default_str();
    app.add_option("--programs", count)->capture_default_str();
    app.add_option("--device", device)->check(CLI::IsMember({"sim", "cuda", "auto"}))->capture_default_str();
    app.add_option("--task", task)->check(CLI::IsMember({"spmv", "spmm"}))->capture_default_str();
    app.add_option("--columns", columns, "Of spmm")->capture_default_str();
    app.add_option("--timing", timing)->capture_default_str();
    app.add_option("--runner", runner, "sparserl-runner");
    app.add_option("--compile-runners", compileRunners, "0: one for every two cores");
    app.add_option("--sim-runners", simRunners, "0: one per core");
    app.add_option("--background", background, "Threads that make inputs; 0: one for every two cores");
    app.add_flag("--every-kind", everyKind, "Settings for verdicts that count, not those for training");
    app.add_option("--gpus", gpus, "Ordinals")->delimiter(',');
    app.add_option("--seed", seed, "Of the programs");
    app.add_option("--samples", samples, "Warm samples on a GPU")->capture_default_str();
    std::int64_t fullCheck = JudgeOptions().fullCheckNnz;
    app.add_option("--full-check", fullCheck,
                   "Non-zeros times columns up to which the target has every check");
    app.add_flag("--no-cold", noCold, "No cold samples on a GPU");
    app.add_flag("--verbose", verbose, "One line for each program");
    CLI11_PARSE(app, argc, argv);

    std::vector<std::shared_ptr<const Csr>> matrices;
    std::vector<std::string> identities;
    for (const std::string& spec : specs) {
        auto generated = generate(spec);
        if (!generated)
            giveUp(generated.error());
        matrices.push_back(std::make_shared<const Csr>(std::move(*generated)));
        identities.push_back(digest(*matrices.back()));
    }
    Rng rng(seed);
    std::vector<JudgeRequest> requests;
    std::set<std::string> texts;
    while (static_cast<int>(requests.size()) < count) {
        auto program = sampleProgram(task == "spmm" ? Task::SpMM : Task::SpMV, {}, rng);
        if (!program)
            giveUp(program.error());
        if (!texts.insert(program->text).second)
            continue;
        const std::size_t at = requests.size() % matrices.size();
        JudgeRequest request;
        request.program = program->text;
        request.target.matrix = matrices[at];
        request.target.id.contents = identities[at];
        request.target.id.name = program->family;
        request.target.id.variant.columns = task == "spmm" ? columns : 1;
        request.seed = rng.next();
        requests.push_back(std::move(request));
    }
    for (std::size_t i = 0; i < specs.size(); ++i)
        std::printf("%s: %d x %d, %lld non-zeros\n", specs[i].c_str(), matrices[i]->rows, matrices[i]->cols,
                    static_cast<long long>(matrices[i]->nnz()));
    std::printf("%zu distinct programs, %u cores\n", requests.size(), std::thread::hardware_concurrency());

    const auto metrics = std::make_shared<JudgeMetrics>();
    JudgeOptions options;
    options.runnerPath = runner;
    options.compileRunners = compileRunners;
    options.simRunners = simRunners;
    options.gpus = gpus;
    options.timing = timing;
    options.gpuSamples = samples;
    options.fullCheckNnz = fullCheck;
    options.everyKind = everyKind; // False as in training.
    options.backgroundThreads = background;
    options.gpuCold = !noCold;
    options.metrics = metrics;
    options.log = [](std::string_view sentence) {
        std::fprintf(stderr, "%.*s\n", static_cast<int>(sentence.size()), sentence.data());
    };
    const double startUp = monotonicSeconds();
    auto judge = makeJudge(device, options);
    if (!judge)
        giveUp(judge.error());
    const double start = monotonicSeconds(), own = cpuSeconds(RUSAGE_SELF);
    std::vector<double> arrivals;
    const auto records = (*judge)->judge(requests, {}, [&](std::size_t, const VerdictRecord&) {
        arrivals.push_back(monotonicSeconds() - start);
    });
    if (!records)
        giveUp(records.error());
    const double wall = monotonicSeconds() - start, parent = cpuSeconds(RUSAGE_SELF) - own;
    judge->reset(); // Reaps the runners, so that their time is known.
    std::map<std::string, int> verdicts, flags;
    double fastest = 0, latency = 0;
    for (std::size_t i = 0; i < records->size(); ++i) {
        const auto& record = records->at(i);
        ++verdicts[std::string(nameOf(record.verdict))];
        for (const auto& flag : record.flags)
            ++flags[flag];
        fastest = std::max(fastest, record.speedup());
        latency += record.judgeSeconds;
        if (verbose)
            std::printf("  %-4s %-14s %9.2f us warm %9.2f us cold %6.2fx  %6.3f s  %s\n",
                        record.target.name.c_str(), std::string(nameOf(record.verdict)).c_str(),
                        record.warm ? record.warm->median : 0, record.cold ? record.cold->median : 0,
                        record.speedup(), record.judgeSeconds, record.message.c_str());
    }
    const double n = static_cast<double>(requests.size());
    // The middle half: without the start, where caches and baselines are made, and the end, where runners
    // idle.
    const std::size_t quarter = arrivals.size() / 4;
    const double steady =
        quarter > 0 ? static_cast<double>(2 * quarter) / (arrivals[3 * quarter - 1] - arrivals[quarter - 1])
                    : 0;
    std::printf(
        "%s: %.1f candidates/s over all, %.1f/s in the middle half; start-up %.2f s, mean latency %.2f s\n",
        records->front().device.c_str(), n / wall, steady, start - startUp, latency / n);
    std::printf("wall %.2f s: %.0f %% in measuring sections, %.0f %% with the GPU busy\n", wall,
                100 * metrics->measuringSeconds / wall, 100 * metrics->gpuBusySeconds / wall);
    std::printf(
        "CPU ms a candidate: judge %.2f, compile %.2f, simulate %.2f, GPU thread %.2f; all runners with "
        "their start %.2f\n",
        1e3 * parent / n, 1e3 * metrics->compileCpuSeconds / n, 1e3 * metrics->simCpuSeconds / n,
        1e3 * metrics->gpuCpuSeconds / n, 1e3 * cpuSeconds(RUSAGE_CHILDREN) / n);
    std::printf(
        "%lld compiled, %lld simulations, %lld measured, %lld quarantined, %lld baselines, %lld drifts\n",
        static_cast<long long>(metrics->compiled), static_cast<long long>(metrics->simulated),
        static_cast<long long>(metrics->measured), static_cast<long long>(metrics->quarantined),
        static_cast<long long>(metrics->baselines), static_cast<long long>(metrics->drifts));
    for (const auto& [verdict, number] : verdicts)
        std::printf("  %s %d", verdict.c_str(), number);
    for (const auto& [flag, number] : flags)
        std::printf("  [%s] %d", flag.c_str(), number);
    std::printf("; fastest %.2fx\n", fastest);
    return 0;
}
