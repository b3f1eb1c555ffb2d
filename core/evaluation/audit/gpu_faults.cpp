// SPDX-License-Identifier: Apache-2.0
#include "evaluation/audit/gpu_check.h"

#include "base/subprocess.h"
#include "evaluation/bench/own_programs.h"

#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace sparserl {

namespace {

struct BadProgram
{
    const char* name;
    const char* body; ///< Of a kernel that one block of 32 threads runs, with rows = 32.
    const char* expected;
    bool poisons = false; ///< Leaves its process without a usable GPU.
};

constexpr std::array<BadProgram, 7> badPrograms{{
    {"good", "y[threadIdx.x] = x[threadIdx.x];", "good"},
    {"store after y", "y[rows + threadIdx.x] = 1.0f;", "out-of-bounds"},
    {"store before y", "y[-1 - (int)threadIdx.x] = 1.0f;", "out-of-bounds"},
    {"store to x", "((float*)x)[threadIdx.x] = 2.0f; y[threadIdx.x] = 1.0f;", "out-of-bounds"},
    {"store far away", "y[((long long)rows << 40) + threadIdx.x] = 1.0f;", "out-of-bounds", true},
    {"endless loop", "volatile float* p = y; p[threadIdx.x] = 1.0f; while (p[threadIdx.x] > 0.0f) { }",
     "timeout", true},
    {"trap", "if (threadIdx.x == 3) asm volatile(\"trap;\"); y[threadIdx.x] = x[threadIdx.x];",
     "launch-error", true},
}};

/// Not bad, but CUPTI may be: whatever it does, it does in a process of its own.
constexpr BadProgram counters{"hardware counters", "", "counters: "};

std::string nameOf(FaultKind kind)
{
    switch (kind) {
    case FaultKind::OutOfBounds:
        return "out-of-bounds";
    case FaultKind::Timeout:
        return "timeout";
    case FaultKind::LaunchError:
        return "launch-error";
    default:
        return "another fault";
    }
}

[[noreturn]] void end(const std::string& line)
{
    std::fputs((line + "\n").c_str(), stdout);
    std::fflush(stdout);
    _exit(0);
}

} // namespace

void runFault(const std::string& name, int ordinal)
{
    if (name == counters.name) {
        auto device = CudaDevice::create(ordinal);
        end(device ? countOnce(**device) : device.error().sentence());
    }
    const BadProgram* bad = nullptr;
    for (const BadProgram& one : badPrograms) {
        if (one.name == name)
            bad = &one;
    }
    if (!bad)
        end("there is no such program");
    const auto device = CudaDevice::create(ordinal);
    if (!device)
        end(device.error().sentence());
    const auto programs = OwnPrograms::create((*device)->info().architecture());
    if (!programs)
        end(programs.error().sentence());
    const std::string text =
        fmt::format("//! task spmv\n"
                    "//! launch bad<<<1, 32>>>(rows, x, y)\n"
                    "extern \"C\" __global__ void bad(int rows, const float* x, float* y)\n"
                    "{{\n    {}\n}}\n",
                    bad->body);
    const auto compiled = (*programs)->get(text);
    if (!compiled)
        end(compiled.error().sentence());
    Csr matrix;
    matrix.rows = matrix.cols = 32;
    matrix.rowPtr.assign(33, 0);
    const auto plan = bindPlan((*compiled)->program.plan, {matrix, {1}}, (*device)->info().limits());
    if (!plan)
        end(plan.error().reason);
    const std::vector<float> x(32, 1.0f);
    ExecutionRequest request;
    request.plan = &*plan;
    request.module = &(*compiled)->module;
    request.cubin = (*compiled)->compiled.cubin;
    request.inputs = {denseInput(Task::SpMV, x)};
    request.limitSeconds = 0.5;
    const auto result = (*device)->execute(request);
    if (!result)
        end(result.error().sentence());
    const char* after = (*device)->poisoned() ? " (poisoned)" : "";
    if (result->fault)
        end(fmt::format("{}: {}{}", nameOf(result->fault->kind), result->fault->message, after));
    const bool same = std::ranges::equal(denseOutput(Task::SpMV, result->outputs[0]), x);
    end(same ? std::string("good") + after : "no fault, but wrong results");
}

bool checkFaults(const std::string& executable, int ordinal, const TellLine& tell)
{
    bool good = true;
    const auto attempt = [&](const BadProgram& bad) {
        SpawnOptions options;
        options.argv = {executable, "device", "info", "--ordinal", std::to_string(ordinal),
                        "--fault",  bad.name};
        const auto run = runToEnd(options, {}, 60);
        std::string said = run ? run->output.substr(0, run->output.find('\n')) : run.error().sentence();
        if (run && run->timedOut)
            said = "the process did not end and was killed";
        else if (run && !run->status.ok())
            said = "the process " + run->status.sentence() + ": " + run->error;
        const bool right = said.starts_with(bad.expected);
        good = good && right;
        tell(fmt::format("{:<6} {:<34} {}", right ? "ok" : "FAILED", bad.name, said));
    };
    attempt(counters);
    for (const BadProgram& bad : badPrograms) {
        attempt(bad);
        if (bad.poisons)
            attempt(badPrograms[0]); // the next process finds the GPU in order
    }
    return good;
}

} // namespace sparserl
