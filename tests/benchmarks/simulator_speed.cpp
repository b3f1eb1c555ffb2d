// SPDX-License-Identifier: Apache-2.0
// Prints how many million warp instructions a second the simulator runs on one core: S3 (a warp per CSR row),
// random x, user time of this process. Usage: simulator_speed [ROWS] [NNZ_PER_ROW] [REPEATS] [MODE]
#include "../device/harness.h"
#include "device/simulator/lanes/lane_ops.h"

#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>

using namespace sparserl;
using namespace sparserl::harness;

namespace {

double userSeconds()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
}

} // namespace

int main(int argc, char** argv)
{
    const int rows = argc > 1 ? std::atoi(argv[1]) : 4096;
    const int length = argc > 2 ? std::atoi(argv[2]) : 1024;
    const int repeats = argc > 3 ? std::atoi(argv[3]) : 3;
    const TestMatrix m = randomMatrix(rows, 1 << 18, length, length, 7);
    std::vector<float> x(m.cols);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i % 5) - 2;
    Bench bench(fixture("csr_warp.ptx"));
    const int rowPtr = bench.matrix("csr.row_ptr", m.rowPtr), col = bench.matrix("csr.col", m.col),
              val = bench.matrix("csr.val", m.val), in = bench.x(m.cols), out = bench.y(rows);
    bench.launch("spmv", (rows * 32 + 255) / 256, 256,
                 {number(rows), array(rowPtr), array(col), array(val), array(in), array(out)});
    const std::vector<float> expected = m.multiply(x);
    std::printf("%d rows of %d non-zeros, lanes: %s\n", rows, length, sim::laneTable().name);
    struct Mode
    {
        const char* name;
        Checks checks;
        AddressLayout layout = AddressLayout::Apart;
        bool drawnBlocks = false;
        std::optional<Schedule> schedule;
    };
    for (const auto& [name, checks, layout, drawnBlocks, schedule] :
         {Mode{"bare", Checks::None}, Mode{"bare, together", Checks::None, AddressLayout::Together},
          Mode{"bare, far", Checks::None, AddressLayout::Far},
          Mode{"bare, shuffled", Checks::None, AddressLayout::Apart, false, Schedule::Shuffled},
          Mode{"bare, drawn blocks", Checks::None, AddressLayout::Apart, true},
          Mode{"counters and caches", Checks::Counters},
          Mode{"counters, drawn", Checks::Counters, AddressLayout::Apart, true},
          Mode{"every check", Checks::All}}) {
        if (argc > 4 && std::string(argv[4]) != name)
            continue;
        bench.request.layout = layout;
        bench.request.drawnBlocks = drawnBlocks;
        bench.request.schedule = schedule;
        double best = 0;
        for (int i = 0; i < repeats; ++i) {
            const double start = userSeconds();
            const ExecutionResult result = bench.run(x, 1, checks);
            const double seconds = userSeconds() - start;
            if (result.fault || floats(result.outputs.at(0)) != expected) {
                std::printf("wrong result: %s\n", result.fault ? result.fault->message.c_str() : "values");
                return 1;
            }
            best = std::max(best, static_cast<double>(result.steps) / seconds / 1e6);
        }
        std::printf("%-20s %6.1f M warp instructions/s\n", name, best);
    }
    return 0;
}
