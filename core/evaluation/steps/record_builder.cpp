// SPDX-License-Identifier: Apache-2.0
#include "evaluation/steps/record_builder.h"

#include "target/workload.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cxxabi.h>
#include <fmt/format.h>
#include <memory>
#include <string_view>

namespace sparserl {

namespace {

// Conversion on the host is modelled, not measured: the simulated device gives the same numbers anywhere. One
// pass that reads and writes at 2 GB/s, and a copy over PCIe at 25 GB/s.
constexpr double microsecondsPerCopiedByte = 1.0 / 25000;
constexpr double microsecondsPerSetupByte = 1.0 / 2000 + microsecondsPerCopiedByte;

/// Faster than this share of the floor cannot be (docs/design.md 5).
constexpr double suspiciousShare = 0.95;

/// Compilers speak of "_ZZ4spmvE1t", people of "t": every mangled name becomes the last part of what it
/// stands for.
std::string plainNames(const std::string& message)
{
    const auto isName = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    std::string out;
    for (std::size_t at = 0; at < message.size();) {
        std::size_t end = at;
        while (end < message.size() && isName(message[end]))
            ++end;
        std::string word = message.substr(at, std::max<std::size_t>(1, end - at));
        at += word.size();
        if (word.starts_with("_Z")) {
            int status = 0;
            const std::unique_ptr<char, void (*)(void*)> plain(
                abi::__cxa_demangle(word.c_str(), nullptr, nullptr, &status), std::free);
            if (status == 0 && plain) {
                std::string_view name = plain.get();
                // "spmv(int, float*)::t" gives "t", "again(float, int)" gives "again".
                if (const auto scope = name.rfind("::"); scope != std::string_view::npos)
                    name.remove_prefix(scope + 2);
                word = name.substr(0, name.find('('));
            }
        }
        out += word;
    }
    return out;
}

} // namespace

ProgramFailure programFailure(const CompileFailure& failure)
{
    // In the order of CompileFailure::Kind.
    constexpr std::array verdicts{Verdict::CompileError, Verdict::Rejected, Verdict::AssembleError,
                                  Verdict::MachineError};
    return {verdicts[static_cast<std::size_t>(failure.kind)], failure.line, failure.message, failure.log,
            failure.outOfMemory};
}

ProgramFailure compilerFailure(const JobOutcome& outcome)
{
    using Kind = JobOutcome::Kind;
    std::string message;
    if (outcome.signal == SIGXCPU)
        message = "the compiler was stopped after 10 seconds of CPU time";
    else if (outcome.kind == Kind::Hung)
        message = "the compiler did not come to an end with this program, also not in a fresh process";
    else if (outcome.kind == Kind::Crashed)
        message = "the compiler crashed or ran out of memory on this program (" + outcome.reason + ")";
    else
        message = "the compiler cannot cope with this program, also not in a fresh process (" +
                  outcome.reason + ")";
    return {Verdict::CompileError, 0, std::move(message), {}, outcome.outOfMemory};
}

Fault simulatorFailure(const JobOutcome& outcome)
{
    using Kind = JobOutcome::Kind;
    Fault fault;
    fault.kind = FaultKind::LaunchError;
    fault.outOfMemory = outcome.outOfMemory;
    if (outcome.signal == SIGXCPU) {
        fault.kind = FaultKind::Timeout;
        fault.message = "the program took many times longer on the simulated device than its steps should";
    } else if (outcome.kind == Kind::Hung) {
        fault.kind = FaultKind::Timeout;
        fault.message =
            "the simulated device did not come to an end with this program, also not in a fresh process";
    } else if (outcome.kind == Kind::Crashed) {
        fault.message = "the simulator crashed on this program (" + outcome.reason + "); please report it";
    } else {
        fault.message = "the simulator cannot cope with this program, also not in a fresh process (" +
                        outcome.reason + ")";
    }
    return fault;
}

Verdict verdictOf(FaultKind kind)
{
    switch (kind) {
    case FaultKind::LaunchError:
        return Verdict::LaunchError;
    case FaultKind::OutOfBounds:
        return Verdict::OutOfBounds;
    case FaultKind::Uninitialised:
        return Verdict::Uninitialised;
    case FaultKind::Race:
        return Verdict::Race;
    case FaultKind::SyncError:
        return Verdict::SyncError;
    case FaultKind::Timeout:
        return Verdict::Timeout;
    }
    return Verdict::LaunchError;
}

Verdict verdictOf(BindFailure::Kind kind)
{
    return kind == BindFailure::Kind::PlanError     ? Verdict::PlanError
           : kind == BindFailure::Kind::FormatError ? Verdict::FormatError
                                                    : Verdict::LaunchError;
}

void applyFailure(VerdictRecord& record, const ProgramFailure& failure)
{
    record.verdict = failure.verdict;
    record.line = failure.line;
    record.message = plainNames(failure.message);
    if (!failure.log.empty())
        record.log = failure.log;
    if (failure.outOfMemory)
        record.flags.add(VerdictFlag::OutOfMemory);
}

void applyFailure(VerdictRecord& record, const CaseFailure& failure)
{
    record.lines = failure.lines;
    record.ptxLines = failure.ptxLines;
    record.batteryCase = failure.caseName;
    if ((failure.bind && failure.bind->outOfMemory) || (failure.fault && failure.fault->outOfMemory))
        record.flags.add(VerdictFlag::OutOfMemory);
    if (failure.bind) {
        record.verdict = verdictOf(failure.bind->kind);
        record.line = failure.bind->line;
        record.message = failure.bind->reason;
    } else if (failure.fault) {
        record.verdict = verdictOf(failure.fault->kind);
        record.line = failure.fault->line;
        record.block = failure.fault->block;
        record.thread = failure.fault->thread;
        record.message = plainNames(failure.fault->message);
    } else if (failure.wrong) {
        record.verdict = Verdict::WrongResult;
        record.wrong = failure.wrong;
        const WrongElement& wrong = *failure.wrong;
        const std::string where = elementName(record.target.variant, wrong.output, wrong.row, wrong.column);
        // As many digits as tell two numbers of the type apart.
        const int digits = NumberFormat::of(record.target.variant.type).textDigits();
        // The sign of a NaN says nothing.
        const auto text = [digits](double value) {
            return std::isnan(value) ? std::string("NaN") : fmt::format("{:.{}g}", value, digits);
        };
        std::string got = text(wrong.got), expected = text(wrong.expected);
        if (got == expected && record.target.task() == Task::Operator) { // Of a longer type.
            got = fmt::format("{:.17g}", wrong.got);
            expected = fmt::format("{:.17g}", wrong.expected);
        }
        if (failure.nonLinear)
            record.message = fmt::format("{} is not linear in the input: A(2u - 3v) gives {}, 2Au - 3Av {}",
                                         where, got, expected);
        else
            record.message =
                fmt::format("{} is {}, but should be {}{}", where, got, expected,
                            wrong.bound > 0 ? fmt::format(" within {:.3g}", wrong.bound) : std::string());
        if (failure.factors)
            record.message += fmt::format(", with alpha = {} and beta = {}", text(failure.factors->alpha),
                                          text(failure.factors->beta));
        if (std::isnan(wrong.got))
            record.message += " (never written, or computed from NaN or infinities)";
    }
    if (failure.otherWork) {
        record.verdict = Verdict::WrongResult;
        const auto& [own, others] = *failure.otherWork;
        record.message = fmt::format(
            "what it does depends on the values of A: it touches {} bytes in {} warp instructions with the "
            "matrix's own, and {} bytes in {} with others. A program may choose by which values are 0, not "
            "by what the others are",
            32 * own.sectors, own.steps, 32 * others.sectors, others.steps);
    }
    if (!failure.caseName.empty())
        record.message +=
            (record.target.task() == Task::Operator ? " (in the case \"" : " (on the test matrix \"") +
            failure.caseName + "\")";
}

void applyResources(VerdictRecord& record, const std::vector<KernelResources>& resources)
{
    for (const auto& r : resources) {
        record.registers = std::max(record.registers, r.registers);
        record.staticShared = std::max(record.staticShared, r.staticShared);
        record.localBytes = std::max(record.localBytes, r.localBytes);
    }
}

void applyShared(VerdictRecord& record, const std::vector<LaunchReport>& launches)
{
    const LaunchReport* largest = nullptr;
    const auto shared = [](const LaunchReport* l) { return l->staticShared + l->dynamicShared; };
    for (const auto& launch : launches) {
        if (!launch.skipped && (!largest || shared(&launch) > shared(largest)))
            largest = &launch;
    }
    if (largest) {
        record.staticShared = largest->staticShared;
        record.dynamicShared = largest->dynamicShared;
    }
}

void applyGpuShared(VerdictRecord& record, const std::vector<LaunchReport>& launches)
{
    for (const auto& launch : launches)
        if (!launch.skipped) {
            record.staticShared = std::max(record.staticShared, launch.staticShared);
            record.dynamicShared = std::max(record.dynamicShared, launch.dynamicShared);
        }
}

double modelledSetupMicroseconds(std::int64_t bytes)
{
    return microsecondsPerSetupByte * static_cast<double>(bytes);
}

void applyTiming(VerdictRecord& record, const CaseAnswer& answer, double floorMicroseconds)
{
    const ExecutionResult& result = answer.result;
    const double warm = result.warmMicroseconds, cold = result.coldMicroseconds;
    record.warm = Timing{warm, warm, warm, 1};
    record.cold = Timing{cold, cold, cold, 1};
    record.setupMicroseconds = result.setupMicroseconds + modelledSetupMicroseconds(answer.setupBytes);
    record.lines = result.lines;
    record.ptxLines = result.ptxLines;
    applyShared(record, result.launches);
    const LaunchReport* longest = nullptr;
    for (const auto& launch : result.launches) {
        if (!launch.skipped && !launch.prepare &&
            (!longest || launch.warmMicroseconds > longest->warmMicroseconds))
            longest = &launch;
    }
    if (longest) {
        record.registers = longest->registers;
        record.localBytes = longest->localBytes;
        record.occupancy = longest->occupancy.fraction;
        record.occupancyLimiter = longest->occupancy.limiter;
    }
    record.shareOfLimit = warm > 0 ? std::clamp(floorMicroseconds / warm, 0.0, 1.0) : 0;
    if (warm < suspiciousShare * floorMicroseconds &&
        (longest || warm > 0)) { // Nothing is launched for no rows.
        record.flags.add(VerdictFlag::Suspicious);
        record.message = fmt::format("{:.3g} us is less than the device could need at all ({:.3g} us)", warm,
                                     floorMicroseconds);
    }
}

void applyMeasured(VerdictRecord& record, const GpuMeasured& measured,
                   const std::vector<LaunchReport>& launches, std::int64_t setupBytes,
                   double floorMicroseconds)
{
    record.warm = measured.warm;
    if (measured.inTurn) {
        record.warm = measured.inTurn->program;
        record.baselineMicroseconds = measured.inTurn->baseline.median;
    }
    if (measured.meanMicroseconds > 0) // The paper's protocol.
        record.warm =
            Timing{measured.meanMicroseconds, measured.meanMicroseconds, measured.meanMicroseconds, 1000};
    record.cold = measured.cold;
    record.setupMicroseconds = measured.setupMicroseconds + 1e6 * measured.conversionSeconds +
                               microsecondsPerCopiedByte * static_cast<double>(setupBytes);
    applyGpuShared(record, launches);
    // The launch that fills the device least.
    const auto least = std::min_element(measured.occupancy.begin(), measured.occupancy.end(),
                                        [](const auto& a, const auto& b) { return a.fraction < b.fraction; });
    if (least != measured.occupancy.end()) {
        record.occupancy = least->fraction;
        record.occupancyLimiter = least->limiter;
    }
    const double warm = record.warm->median;
    record.shareOfLimit = warm > 0 ? std::clamp(floorMicroseconds / warm, 0.0, 1.0) : 0;
}

void applyBaseline(VerdictRecord& record, const std::string& name, const std::string& algorithm,
                   double microseconds)
{
    record.baselineName = name;
    record.baselineAlgorithm = algorithm;
    record.baselineMicroseconds = microseconds;
    if (record.warm && microseconds > 0 && record.warm->median > microseconds)
        record.flags.add(VerdictFlag::SlowerThanBaseline);
}

} // namespace sparserl
