// SPDX-License-Identifier: Apache-2.0
// Helper of tst_crash: works on a run, or indexes a project, until it is killed or done.
//   crasher work RUNDIR STEPS      crasher index PROJECT      crasher life RUNDIR
//   crasher make PROJECT (five runs)
#include "fixture.h"

#include "project/run/launch.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace fixture;

namespace {

int work(const char* directory, int steps)
{
    auto run = must(RunDirectory::open(directory));
    auto session = must(run.beginWork());
    std::int64_t step = session.checkpoint() ? session.checkpoint()->step : 0;
    mustDo(session.journal().append(step, StateEvent{RunState::Running, {}, steps}));
    for (; step < steps; ++step) {
        writeStep(session.journal(), step, 99, 3);
        if (step % 7 == 6)
            writeCheckpoint(run, session.journal(), step + 1);
        if (step % 20 == 19)
            mustDo(run.pruneCheckpoints(2));
    }
    mustDo(session.journal().append(steps, StateEvent{RunState::Done, {}, steps}));
    return 0;
}

/// What a job does with a stage: creates the run or goes on with it, to its end, or to the step that
/// SPARSERL_LIFE_ENDS says.
int life(const char* directory)
{
    constexpr int steps = 6;
    const char* const ends = std::getenv("SPARSERL_LIFE_ENDS");
    const int last = ends != nullptr ? std::atoi(ends) : steps;
    auto run = std::filesystem::exists(std::filesystem::path(directory) / "run.toml")
                   ? must(RunDirectory::open(directory))
                   : must(RunDirectory::create(directory, config("rl")));
    if (const auto state = run.lastState(); state && state->state == RunState::Done)
        return 0;
    auto session = must(run.beginWork());
    std::int64_t step = session.checkpoint() ? session.checkpoint()->step : 0;
    mustDo(session.journal().append(step, StateEvent{RunState::Running, {}, steps}));
    for (; step < steps; ++step) {
        if (step >= last) {
            mustDo(session.journal().flush());
            ::_exit(3);
        }
        writeStep(session.journal(), step, 99, 1);
        if (step % 2 == 1) {
            writeCheckpoint(run, session.journal(), step + 1);
            mustDo(run.pruneCheckpoints(1));
        }
    }
    mustDo(session.journal().append(steps, StateEvent{RunState::Done, {}, steps}));
    return 0;
}

int index(const char* project)
{
    auto indexer = must(Indexer::open(project));
    for (;;)
        must(indexer.rebuild());
}

} // namespace

int main(int argc, char** argv)
{
    if (argc == 4 && std::strcmp(argv[1], "work") == 0)
        return work(argv[2], std::atoi(argv[3]));
    if (argc == 3 && std::strcmp(argv[1], "index") == 0)
        return index(argv[2]);
    if (argc == 3 && std::strcmp(argv[1], "make") == 0) {
        const auto project = must(Project::open(argv[2]));
        for (int i = 0; i < 5; ++i)
            must(makeRun(project, config("rl")));
        return 0;
    }
    if (argc == 3 && std::strcmp(argv[1], "life") == 0)
        return life(argv[2]);
    if (argc == 4 && std::strcmp(argv[1], "import") == 0) {
        auto project = must(Project::open(argv[2]));
        return project.addMatrix(argv[3]) ? 0 : 1;
    }
    return 2;
}
