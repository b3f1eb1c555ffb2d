// SPDX-License-Identifier: Apache-2.0
// What a very long run costs: writes a journal of so many metric points, then reads, indexes (interrupted and
// repeated), resumes and lists it. Prints seconds of wall time and the largest resident memory so far.
//   bench_project_journal [POINTS] [POINTS-PER-STEP]
#include "base/files.h"
#include "base/rng.h"
#include "base/time.h"
#include "project/files/project.h"
#include "project/index/index.h"
#include "project/run/run_directory.h"
#include "tests/benchmarks/bench_must.h"

#include <cstdlib>
#include <fmt/format.h>
#include <sys/resource.h>

using namespace sparserl;

namespace {

class Report
{
public:
    void operator()(std::string_view what)
    {
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        const double now = monotonicSeconds();
        fmt::print("{:<60} {:8.1f} s {:8} MiB\n", what, now - m_begin, usage.ru_maxrss / 1024);
        std::fflush(stdout);
        m_begin = monotonicSeconds();
    }

private:
    double m_begin = monotonicSeconds();
};

} // namespace

int main(int argc, char** argv)
{
    const std::int64_t points = argc > 1 ? std::atoll(argv[1]) : 10'000'000;
    const std::int64_t perStep = argc > 2 ? std::atoll(argv[2]) : 10;
    const auto dir = must(TempDir::create());
    const auto project = dir.path() / "p";
    must(Project::create(project));
    RunConfig config;
    config.stage = "rl";
    auto run = must(RunDirectory::create(project / "runs/long", config));
    Report report;
    const std::int64_t steps = points / perStep;
    {
        auto session = must(run.beginWork());
        Rng rng(1);
        for (std::int64_t step = 0; step < steps; ++step) {
            MetricEvent metric;
            for (std::int64_t i = 0; i < perStep; ++i)
                metric.values[fmt::format("actor/metric_{}", i)] = rng.normal();
            mustDo(session.journal().append(step, metric));
        }
        must(must(run.beginCheckpoint(steps)).commit(session.journal()));
    }
    const auto bytes = std::filesystem::file_size(run.path() / "journal.jsonl");
    report(fmt::format("write {} points in {} lines, {} MB", points, steps, bytes / 1000000));
    std::int64_t entries = 0;
    mustDo(visitJournal(run.path(), [&](JournalEntry&&) { ++entries; }));
    report(fmt::format("visit {} entries", entries));
    must(run.beginWork());
    report("begin work: resume from the checkpoint");
    auto indexer = must(Indexer::open(project));
    auto update = must(indexer.update());
    report(fmt::format("index {} entries", update.entries));
    must(indexer.update());
    report("update with nothing new");
    update = must(indexer.rebuild());
    report(fmt::format("reindex {} entries", update.entries));
    // What there is besides the steps: queued, checkpoint.
    return entries == steps + 2 && update.entries == entries ? 0 : 1;
}
