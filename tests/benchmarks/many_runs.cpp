// SPDX-License-Identifier: Apache-2.0
// How long a project of many runs takes to open when it has no index: until its list of runs is there, and
// until all programs are. Journals are like those of supervised fine-tuning: mostly programs and verdicts.
//   bench_many_runs [RUNS] [MEGABYTES]
// The peer is reading the same bytes, and looking for the ends of their lines.
#include "base/files.h"
#include "base/hash.h"
#include "base/rng.h"
#include "base/time.h"
#include "project/files/project.h"
#include "project/index/index.h"
#include "project/queries/queries.h"
#include "project/run/run_directory.h"
#include "tests/benchmarks/bench_must.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

using namespace sparserl;

namespace {

/// About `bytes` of a journal. Returns its length.
std::uintmax_t writeRun(const std::filesystem::path& path, std::uintmax_t bytes, std::uint64_t seed)
{
    RunConfig config;
    config.stage = "sft";
    config.parameters = {{"sft.lr", 1e-3}, {"seed", static_cast<std::int64_t>(seed)}};
    auto run = must(RunDirectory::create(path, config));
    auto session = must(run.beginWork());
    Rng rng(seed);
    const std::string line = "    y[row] = sum; // " + std::string(40, 'x') + "\n";
    for (std::int64_t step = 0; static_cast<std::uintmax_t>(session.journal().length()) < bytes; ++step) {
        MetricEvent metric;
        for (int i = 0; i < 8; ++i)
            metric.values[fmt::format("part/metric_{}", i)] = rng.normal();
        metric.values["loss"] = rng.normal();
        mustDo(session.journal().append(step, metric));
        for (int i = 0; i < 3; ++i) {
            std::string text = fmt::format("//! task spmv\n// {}\n", rng.next());
            for (int lines = 0; lines < 8; ++lines)
                text += fmt::format("// {:x}\n", rng.next()) + line;
            SampleEvent sample;
            sample.programHash = sha256Hex(text);
            sample.target.contents = sha256Hex(fmt::format("m{}", rng.below(40)));
            sample.target.name = sample.target.contents.substr(0, 8);
            sample.family = fmt::format("S{}", rng.below(15));
            VerdictRecord record;
            record.programHash = sample.programHash;
            record.target.contents = sample.target.contents;
            record.message = std::string(500, 'm');
            record.verdict = rng.chance(0.9) ? Verdict::Correct : Verdict::WrongResult;
            record.baselineMicroseconds = 10;
            if (record.correct())
                record.warm = Timing{rng.uniform(3, 20), 1, 2, 9};
            mustDo(session.journal().appendProgram(step, sample.programHash, text));
            mustDo(session.journal().append(step, sample));
            mustDo(session.journal().append(step, VerdictEvent{record}));
        }
    }
    mustDo(session.journal().append(0, StateEvent{RunState::Done, {}, 0}));
    mustDo(session.journal().flush());
    return static_cast<std::uintmax_t>(session.journal().length());
}

struct Clock
{
    double wall = monotonicSeconds(), cpu = threadCpuSeconds();
    void tell(const char* what) const
    {
        fmt::print("{}: {:.2f} s, {:.2f} s of processor time\n", what, monotonicSeconds() - wall,
                   threadCpuSeconds() - cpu);
    }
};

} // namespace

int main(int argc, char** argv)
{
    const int runs = argc > 1 ? std::atoi(argv[1]) : 300;
    const double megabytes = argc > 2 ? std::atof(argv[2]) : 340;
    const auto dir = must(TempDir::create());
    const auto project = dir.path() / "p";
    must(Project::create(project));
    std::uintmax_t bytes = 0;
    for (int i = 0; i < runs; ++i)
        bytes += writeRun(project / fmt::format("runs/{:04}-sft", i + 1),
                          static_cast<std::uintmax_t>(megabytes * 1e6 / runs), static_cast<std::uint64_t>(i));
    fmt::print("{} runs, {:.0f} MB of journals\n", runs, static_cast<double>(bytes) / 1e6);
    {
        const Clock clock;
        std::size_t lines = 0;
        for (int i = 0; i < runs; ++i) {
            const std::string text =
                must(readFile(project / fmt::format("runs/{:04}-sft/journal.jsonl", i + 1)));
            lines += static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
        }
        clock.tell(fmt::format("peer: reading {} lines", lines).c_str());
    }
    const Clock opened;
    auto indexer = must(Indexer::open(project));
    // As a window does it: until something is to be shown, then the rest.
    auto update = must(indexer.updateLists());
    const auto list = must(must(ProjectReader::open(project)).runs());
    opened.tell(fmt::format("list of {} runs, their charts and logs", list.size()).c_str());
    int ticks = 0;
    while (update.unreadRuns > 0) {
        update = must(indexer.glance({}, 1.5));
        ++ticks;
    }
    opened.tell(fmt::format("all of it, in {} steps", ticks).c_str());
    const Clock whole;
    must(indexer.rebuild());
    whole.tell("rebuilt at once");
    return 0;
}
