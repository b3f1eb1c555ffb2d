// SPDX-License-Identifier: Apache-2.0
// How fast the index is on a large project: 200 runs, 100,000 metric points, 40,000 candidates.
// The peer of the list of runs is the query that trackers begin with: latest values out of the metric table
// itself.
//   bench_project_index [RUNS] [STEPS] [SAMPLES-PER-STEP]
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
#include <functional>
#include <sqlite3.h>

using namespace sparserl;

namespace {

void writeRun(const std::filesystem::path& path, int steps, int samples, std::uint64_t seed)
{
    RunConfig config;
    config.stage = "rl";
    auto run = must(RunDirectory::create(path, config));
    auto session = must(run.beginWork());
    Rng rng(seed);
    for (int step = 0; step < steps; ++step) {
        MetricEvent metric;
        for (const char* name :
             {"critic/rewards/mean", "actor/ppo_kl", "actor/entropy", "critic/vf_loss", "actor/lr"})
            metric.values[name] = rng.normal();
        mustDo(session.journal().append(step, metric));
        for (int i = 0; i < samples; ++i) {
            const std::string text =
                fmt::format("//! task spmv\n// {}\n{}", rng.next(), std::string(600, 'x'));
            SampleEvent sample;
            sample.programHash = sha256Hex(text);
            sample.target.contents = sha256Hex(fmt::format("m{}", rng.below(40)));
            sample.target.name = sample.target.contents.substr(0, 8);
            sample.family = fmt::format("S{}", rng.below(15));
            sample.reward = rng.normal();
            VerdictRecord record;
            record.programHash = sample.programHash;
            record.target.contents = sample.target.contents;
            record.verdict = rng.chance(0.6) ? Verdict::Correct : Verdict::WrongResult;
            record.baselineMicroseconds = 10;
            if (record.correct())
                record.warm = Timing{rng.uniform(3, 20), 1, 2, 9};
            mustDo(session.journal().appendProgram(step, sample.programHash, text));
            mustDo(session.journal().append(step, sample));
            mustDo(session.journal().append(step, VerdictEvent{record}));
        }
    }
}

/// Median of several timings, in milliseconds of this thread's processor time (the machine may be busy).
double milliseconds(int repeats, const std::function<void()>& work)
{
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) {
        const double start = threadCpuSeconds();
        work();
        times.push_back(1000 * (threadCpuSeconds() - start));
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

/// The naive list: newest value per run and metric by grouping the whole metric table.
void naiveList(const std::filesystem::path& file)
{
    sqlite3* db = nullptr;
    sqlite3_stmt* statement = nullptr;
    sqlite3_open_v2(file.c_str(), &db, SQLITE_OPEN_READONLY, nullptr);
    sqlite3_prepare_v2(
        db,
        "SELECT r.name, m.name, m.split, max(m.step), m.value FROM run r JOIN metric m ON m.run=r.id "
        "GROUP BY r.id, m.name, m.split",
        -1, &statement, nullptr);
    while (sqlite3_step(statement) == SQLITE_ROW) {
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
}

} // namespace

int main(int argc, char** argv)
{
    const int runs = argc > 1 ? std::atoi(argv[1]) : 200;
    const int steps = argc > 2 ? std::atoi(argv[2]) : 100;
    const int samples = argc > 3 ? std::atoi(argv[3]) : 2;
    const auto dir = must(TempDir::create());
    const auto project = dir.path() / "p";
    must(Project::create(project));
    double begin = threadCpuSeconds();
    for (int i = 0; i < runs; ++i)
        writeRun(project / fmt::format("runs/{:04}-rl", i), steps, samples, static_cast<std::uint64_t>(i));
    fmt::print("wrote {} runs: {:.1f} s\n", runs, threadCpuSeconds() - begin);
    auto indexer = must(Indexer::open(project));
    begin = threadCpuSeconds();
    const auto update = must(indexer.update());
    const double seconds = threadCpuSeconds() - begin;
    fmt::print("indexed {} entries: {:.2f} s ({:.0f} entries/s)\n", update.entries, seconds,
               static_cast<double>(update.entries) / seconds);
    fmt::print("update with nothing new: {:.2f} ms\n", milliseconds(9, [&] { must(indexer.update()); }));
    fmt::print("open for reading: {:.2f} ms\n", milliseconds(9, [&] { must(ProjectReader::open(project)); }));
    auto reader = must(ProjectReader::open(project));
    const double list = milliseconds(9, [&] { must(reader.runs()); });
    const double naive = milliseconds(5, [&] { naiveList(project / "project.sqlite"); });
    fmt::print("list of runs with sparklines: {:.2f} ms; peer (join with the metric table): {:.2f} ms; ratio "
               "{:.1f}\n",
               list, naive, naive / list);
    const auto id = must(reader.runs()).front().id;
    fmt::print("all points of one series: {:.2f} ms\n",
               milliseconds(9, [&] { must(reader.points(id, "actor/entropy", "train")); }));
    fmt::print("candidates: {}\n", must(reader.candidateOrder({}, CandidateSort::Time, true)).size());
    CandidateFilter correct;
    correct.verdicts = {"correct"};
    CandidateFilter text;
    text.text = "123456";
    for (const auto& [name, filter] :
         {std::pair{"all", CandidateFilter{}}, std::pair{"correct", correct}, std::pair{"text", text}}) {
        for (const auto& [sortName, sort] :
             {std::pair{"time", CandidateSort::Time}, std::pair{"speed-up", CandidateSort::Speedup},
              std::pair{"reward", CandidateSort::Reward}})
            fmt::print(
                "order, {} by {}: {:.2f} ms\n", name, sortName,
                milliseconds(5, [&, f = filter, s = sort] { must(reader.candidateOrder(f, s, true)); }));
        fmt::print("facets, {}: {:.2f} ms\n", name,
                   milliseconds(3, [&, f = filter] { must(reader.facets(f)); }));
    }
    return 0;
}
