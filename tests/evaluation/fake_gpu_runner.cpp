// SPDX-License-Identifier: Apache-2.0
// sparserl-runner with another GPU behind the role cuda: one that computes with the simulator and takes the
// times that the test asks for.
#include "base/subprocess.h"
#include "evaluation/cases/oracle.h"
#include "fake_gpu.h"
#include "runner/runner_main.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <thread>

using namespace sparserl;
using namespace sparserl::tests;

namespace {

/// What of all that the lock forbids can be done all the same.
int tryToEscape(const std::string& folder)
{
    int escapes = 0;
    const auto opened = [&](const char* path, int flags) {
        const int fd = ::open(path, flags | O_CLOEXEC, 0600);
        if (fd >= 0)
            ::close(fd);
        return fd >= 0;
    };
    escapes += opened((folder + "/escaped").c_str(), O_CREAT | O_WRONLY);
    escapes += opened("/etc/hostname", O_RDONLY) || opened("/etc/passwd", O_RDONLY);
    escapes += opened(("/proc/" + std::to_string(::getppid()) + "/environ").c_str(), O_RDONLY);
    escapes +=
        ::syscall(SYS_tgkill, ::getppid(), ::getppid(), 0) == 0 || ::syscall(SYS_tkill, ::getppid(), 0) == 0;
    escapes += opened((folder + "/fake_gpu_runner").c_str(), O_RDWR);
    escapes += ::ioctl(2, TIOCSTI, "x") == 0;
    escapes += ::mkdir((folder + "/escaped-folder").c_str(), 0700) == 0;
    escapes += ::socket(AF_INET, SOCK_STREAM, 0) >= 0 || ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0;
    escapes += ::kill(::getppid(), 0) == 0;
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(0);
    escapes += child > 0;
    char* const arguments[] = {const_cast<char*>("/bin/true"), nullptr};
    ::execv("/bin/true", arguments); // Does not come back where it works, and then the runner is gone.
    escapes += ::unlink((folder + "/fake_gpu_runner.control").c_str()) == 0;
    return escapes;
}

/// The first or the last element of what a call wrote, by its last bit.
/// Is no element zero?
bool isDense(const CallInputs& inputs)
{
    return std::none_of(inputs.begin(), inputs.end(), [](const TensorView& tensor) {
        const auto size = sizeOf(tensor.type);
        for (std::size_t at = 0; at + size <= tensor.bytes.size(); at += size)
            if (std::ranges::all_of(tensor.bytes.subspan(at, size - 1),
                                    [](std::byte byte) { return byte == std::byte(0); }) &&
                (tensor.bytes[at + size - 1] & std::byte(0x7f)) == std::byte(0))
                return true; // Of either sign.
        return false;
    });
}

void raise(CallOutputs& outputs, bool first)
{
    for (Tensor& tensor : outputs) {
        if (tensor.bytes.empty())
            continue;
        const auto change = [&]<typename T>(T value) {
            std::byte* const at = tensor.bytes.data() + (first ? 0 : tensor.bytes.size() - sizeof value);
            std::memcpy(&value, at, sizeof value);
            value = std::nextafter(value, T(1000));
            std::memcpy(at, &value, sizeof value);
        };
        if (tensor.type == ElementType::F64)
            change(0.0);
        else
            change(0.0f);
    }
}

/// What a GPU compares of the calls that it times: here each input of the ring once.
ComparedCalls compared(const CompareRequest& request, const std::vector<CallInputs>& ring,
                       const ExecutionResult& result)
{
    const Task task = request.columns > 1 ? Task::SpMM : Task::SpMV;
    ComparedCalls found;
    for (std::size_t i = 0; i < result.outputs.size(); ++i) {
        const TensorView& input = ring[i].front();
        const ElementType type = input.type;
        const auto numbers = [&]<typename T>(std::vector<T> x) {
            x.resize(input.bytes.size() / sizeof(T));
            if (!x.empty())
                std::memcpy(x.data(), input.bytes.data(), input.bytes.size());
            return Numbers(std::move(x));
        };
        const Numbers x =
            type == ElementType::F64 ? numbers(std::vector<double>()) : numbers(std::vector<float>());
        const auto right = reference(*request.matrix, x, request.columns);
        const auto one = compare(denseOutput(task, type, result.outputs[i]), right, Tolerance::Bound);
        ++found.calls;
        found.elements += static_cast<std::int64_t>(right.values.size());
        found.boundShare = std::max(found.boundShare, one.boundShare);
        if (!found.wrong)
            found.wrong = one.wrong;
    }
    return found;
}

class FakeGpu : public RunnerGpu
{
public:
    explicit FakeGpu(FakeControl& control)
        : m_control(control)
    {
        m_info.name = "Fake GPU";
        m_info.driver = "1.0";
        m_info.major = 9;
        m_info.smCount = 132;
        m_info.memoryBytes = std::int64_t(64) << 30;
        m_info.l2Bytes = 50 << 20;
        m_info.sharedPerSm = 233472;
        m_info.maxSharedPerBlock = 48 << 10;
        m_info.maxSharedOptinPerBlock = 227 << 10;
        m_info.registersPerSm = 65536;
        m_info.maxThreadsPerSm = 2048;
        m_info.maxBlocksPerSm = 32;
        m_info.clockGHz = 1.7;
        m_info.memoryClockGHz = 2.6;
        m_info.memoryBusBits = 6144;
        ++m_control.processes;
        m_control.newest = ::getpid();
    }
    const GpuInfo& info() const override { return m_info; }
    bool poisoned() const override { return m_poisoned; }

    Result<ExecutionResult> execute(const ExecutionRequest& request) override
    {
        if (m_poisoned)
            return fail("the context is poisoned");
        if (m_control.broken)
            return fail("the device fell off the bus");
        if (request.cubin.substr(1, 3) != "ELF")
            return fail("there is no cubin");
        const std::string name = request.plan->launches.at(0).kernel;
        const auto does = [&](const char* what) { return name.find(what) != std::string::npos; };
        if (does("escape"))
            m_control.escapes += 1000 + tryToEscape(executableFolder);
        if (does("hang") && FakeControl::take(m_control.hangs))
            std::this_thread::sleep_for(std::chrono::hours(1));
        if (does("crash") && FakeControl::take(m_control.crashes))
            std::abort();
        if (does("fail") && FakeControl::take(m_control.failures))
            return fail("out of memory");
        if (does("poison") && FakeControl::take(m_control.poisons)) {
            m_poisoned = true;
            ExecutionResult result;
            result.fault = Fault{FaultKind::OutOfBounds, "an illegal address was used", name, 0, {}, {}};
            return result;
        }
        ++m_control.runs;
        auto simulated = request;
        simulated.checks = Checks::None;
        if (does("forgets"))
            for (ScaledCall& one : simulated.scaled)
                one.by.beta = 0;
        auto result = m_simulator.execute(simulated);
        if (result && does("differs"))
            for (std::size_t i = 1; i < result->outputs.size(); ++i)
                if (isDense(request.inputs.at(i))) // A single product is the same in any order.
                    raise(result->outputs[i], true);
        if (result && !result->fault && m_control.lastBits)
            for (CallOutputs& outputs : result->outputs)
                raise(outputs, false);
        return result;
    }

    Result<Measurement> measure(const MeasureRequest& request) override
    {
        // As a driver that must open something which the lock forbids.
        const int fd = ::open("/etc/passwd", O_RDONLY | O_CLOEXEC);
        if (fd >= 0)
            ::close(fd);
        else if (FakeControl::take(m_control.lockedTrouble))
            return fail("the driver cannot open what it needs");
        const int timer = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
        if (timer >= 0)
            ::close(timer);
        else if (m_control.needsTimer)
            return fail("the driver cannot have a timer");
        if (m_control.broken)
            return fail("the device fell off the bus");
        const std::string name = request.plan->launches.at(0).kernel;
        Measurement measured;
        double time = name == "nothing" ? 0.5 + 0.5 * static_cast<double>(request.plan->launches.size()) : 8;
        if (name.starts_with('t'))
            if (const double given = std::atof(name.c_str() + 1); given > 0)
                time = given / 1000;
        if (name.find("lucky") != std::string::npos && FakeControl::take(m_control.lucky))
            time /= 4;
        measured.warm = {time, 0.99 * time, 1.01 * time, request.samples};
        if (request.dropAbove > 0 && time > request.dropAbove) {
            measured.dropped = true;
            measured.warm = {time, time, time, 1};
            return measured;
        }
        if (request.cold)
            measured.cold = Timing{2 * time, 2 * time, 2 * time, request.samples};
        measured.wallMicroseconds = time;
        measured.measuringSeconds = 0.001;
        measured.occupancy = {{16, 0.75, "registers"}, {8, 0.5, "shared memory"}};
        measured.setupMicroseconds = 3;
        ExecutionRequest run;
        run.plan = request.plan;
        run.module = request.module;
        run.cubin = request.cubin;
        run.checks = Checks::None;
        run.inputs = request.ring;
        if (name != "nothing") {
            auto result = m_simulator.execute(run);
            if (!result)
                return fail(result.error());
            if (name.find("ring") != std::string::npos)
                result->outputs.back() = result->outputs.front(); // A replay of an earlier call.
            if (request.compare)
                measured.compared = compared(*request.compare, request.ring, *result);
        }
        return measured;
    }

    Result<HeadToHead> headToHead(const MeasureRequest& request, const Csr&, std::int64_t,
                                  const BaselineTiming& against) override
    {
        auto measured = measure(request);
        if (!measured)
            return fail(measured.error());
        HeadToHead both;
        both.program = measured->warm;
        both.program.median *= 1.1; // As if the neighbour warmed the chip.
        const double time =
            against.algorithm == "CSR_ALG2, preprocessed" ? 1.05 * m_control.baselineMicroseconds : 0;
        both.baseline = {time, time, time, request.samples};
        both.compared = measured->compared;
        return both;
    }

    Result<std::vector<BaselineTiming>> measureBaselines(const Csr& matrix, std::int64_t,
                                                         const BaselineOptions& options) override
    {
        if (matrix.nnz() == 0)
            return fail("a library has nothing to do for an empty matrix");
        ++m_control.baselines;
        const double time = m_control.baselineMicroseconds;
        std::vector<BaselineTiming> timings;
        const auto add = [&](const char* algorithm, bool csr, double t) {
            BaselineTiming one;
            one.library = "fake cuSPARSE 12";
            one.algorithm = algorithm;
            one.csr = csr;
            one.warm = {t, t, t, options.samples};
            timings.push_back(std::move(one));
        };
        if (options.set == BaselineSet::AllFormats)
            add("SELL", false, 0.5 * time);
        add("CSR_ALG2, preprocessed", true, time);
        add("CSR_ALG1", true, 1.2 * time);
        if (options.set == BaselineSet::AllFormats)
            add("DEFAULT, without preprocess", false, 1.5 * time);
        return timings;
    }

private:
    const std::string executableFolder = executablePath().parent_path().string();
    FakeControl& m_control;
    GpuInfo m_info;
    SimulatedDevice m_simulator;
    bool m_poisoned = false;
};

} // namespace

int main(int argc, char** argv)
{
    // Before the lock, which lets nobody write to it.
    auto* const control = FakeControl::map(executablePath().string());
    return runnerMain(argc, argv, [control](int) -> Result<std::unique_ptr<RunnerGpu>> {
        if (!control)
            return fail("the control file of the fake GPU cannot be mapped");
        if (control->absent)
            return fail("this machine has no GPU", "use the simulated device");
        return std::unique_ptr<RunnerGpu>(std::make_unique<FakeGpu>(*control));
    });
}
