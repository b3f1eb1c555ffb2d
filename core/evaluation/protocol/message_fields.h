// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/files.h"
#include "evaluation/protocol/gpu_jobs.h"
#include "evaluation/protocol/jobs.h"
#include "verdict/record_fields.h"

#include <array>
#include <bit>

/// The fields of the messages between judge and runners. All fields are required, and numbers must be finite
/// (readMessage).
namespace sparserl {

constexpr FaultKind lastOf(FaultKind)
{
    return FaultKind::Timeout;
}
constexpr BindFailure::Kind lastOf(BindFailure::Kind)
{
    return BindFailure::Kind::LaunchError;
}
constexpr CompileFailure::Kind lastOf(CompileFailure::Kind)
{
    return CompileFailure::Kind::NotInstalled;
}
constexpr Checks lastOf(Checks)
{
    return Checks::All;
}
constexpr IfSpent lastOf(IfSpent)
{
    return IfSpent::LeftOut;
}
constexpr Schedule lastOf(Schedule)
{
    return Schedule::Shuffled;
}
constexpr AddressLayout lastOf(AddressLayout)
{
    return AddressLayout::Far;
}
constexpr BaselineSet lastOf(BaselineSet)
{
    return BaselineSet::AllFormats;
}

/// Represents bytes as base64.
template <typename T>
struct AsBase64
{
    T& value;
};
template <typename T>
AsBase64(T&) -> AsBase64<T>;

template <typename T>
struct FieldCodec<AsBase64<T>>
{
    static nlohmann::json write(AsBase64<T> bytes) { return base64Encode(bytes.value); }
    static void read(const nlohmann::json& json, AsBase64<T> bytes, Reading)
    {
        auto decoded = base64Decode(json.get_ref<const std::string&>());
        if (!decoded)
            refuseField(decoded.error().what, json);
        bytes.value = std::move(*decoded);
    }
};

/// Represents a wrong element, or null, with the bits of its numbers, because these may be NaN or infinite
/// but messages allow only finite numbers.
template <typename T>
struct AsBits
{
    T& value;
};
template <typename T>
AsBits(T&) -> AsBits<T>;

template <typename T>
struct FieldCodec<AsBits<T>>
{
    /// The last two numbers say whether the element names an output, and which.
    using Row = std::array<std::int64_t, 7>;
    static nlohmann::json write(AsBits<T> wrong)
    {
        if (!wrong.value)
            return nullptr;
        const WrongElement& w = *wrong.value;
        const auto bits = [](double number) { return std::bit_cast<std::int64_t>(number); };
        return FieldCodec<Row>::write(Row{w.row, w.column, bits(w.expected), bits(w.got), bits(w.bound),
                                          w.output.has_value(), w.output.value_or(0)});
    }
    static void read(const nlohmann::json& json, AsBits<T> wrong, Reading reading)
    {
        wrong.value.reset();
        if (json.is_null())
            return;
        Row row{};
        FieldCodec<Row>::read(json, row, reading);
        const auto number = [&](std::size_t i) { return std::bit_cast<double>(row[i]); };
        wrong.value = WrongElement{row[0], row[1], number(2), number(3), number(4)};
        if (row[5] != 0)
            wrong.value->output = row[6];
    }
};

template <>
struct Fields<KernelResources>
{
    static void of(auto& r, auto& field)
    {
        field("kernel", r.kernel);
        field("registers", r.registers);
        field("shared", r.staticShared);
        field("local", r.localBytes);
        field("constant", r.constantBytes);
    }
};

template <>
struct Fields<NumberRange>
{
    static void of(auto& r, auto& field)
    {
        field("at", r.at);
        field("count", r.count);
        field("type", r.type);
    }
};

template <>
struct Fields<CallRanges>
{
    static void of(auto& c, auto& field)
    {
        field("inputs", AsRow{c.inputs});
        field("outputs", AsRow{c.outputs});
        field("alpha", c.by.alpha);
        field("beta", c.by.beta);
        field("before", AsRow{c.before});
    }
};

template <>
struct Fields<Fault>
{
    static void of(auto& f, auto& field)
    {
        field("kind", f.kind);
        field("message", f.message);
        field("kernel", f.kernel);
        field("line", f.line);
        field("block", f.block);
        field("thread", f.thread);
        field("out_of_memory", f.outOfMemory);
    }
};

template <>
struct Fields<BindFailure>
{
    static void of(auto& f, auto& field)
    {
        field("kind", f.kind);
        field("line", f.line);
        field("reason", f.reason);
        field("out_of_memory", f.outOfMemory);
    }
};

template <>
struct Fields<Occupancy>
{
    static void of(auto& o, auto& field)
    {
        field("blocks", o.blocksPerSm);
        field("fraction", o.fraction);
        field("limiter", o.limiter);
    }
};

template <>
struct Fields<LaunchReport>
{
    static void of(auto& l, auto& field)
    {
        field("kernel", l.kernel);
        field("plan_line", l.planLine);
        field("prepare", l.prepare);
        field("skipped", l.skipped);
        field("blocks", l.blocks);
        field("threads", l.threadsPerBlock);
        field("total", AsRow{l.total});
        field("distinct_sectors", l.distinctSectors);
        field("registers", l.registers);
        field("static_shared", l.staticShared);
        field("dynamic_shared", l.dynamicShared);
        field("local", l.localBytes);
        field("occupancy", l.occupancy.fraction);
        field("occupancy_blocks", l.occupancy.blocksPerSm);
        field("limiter", l.occupancy.limiter);
        field("warm", l.warmMicroseconds);
        field("cold", l.coldMicroseconds);
        field("bound_by", l.boundBy);
        field("imbalance", l.imbalance);
    }
};

/// All fields except the outputs, which are in shared memory, and the profile.
template <>
struct Fields<CaseAnswer>
{
    static void of(auto& a, auto& field)
    {
        field("warm", a.result.warmMicroseconds);
        field("cold", a.result.coldMicroseconds);
        field("setup", a.result.setupMicroseconds);
        field("setup_bytes", a.setupBytes);
        field("steps", a.result.steps);
        field("prepare_steps", a.result.prepareSteps);
        field("failed_swaps", a.result.failedSwaps);
        field("atomic_floats", a.result.atomicFloats);
        field("bind", a.bind);
        field("fault", a.fault);
        field("launches", a.result.launches);
        field("lines", AsRow{a.result.lines});
        field("ptx_lines", AsRow{a.result.ptxLines});
        field("observed", a.result.observed);
        field("left_out", a.leftOut);
        field("unchecked", a.unchecked);
    }
};

template <>
struct Fields<CompileRequest>
{
    static void of(auto& r, auto& field)
    {
        field("code", r.code);
        field("defines", r.defines);
        field("kernels", r.kernels);
        field("architecture", r.architecture);
        field("assemble", r.assemble);
    }
};

template <>
struct Fields<AssembleRequest>
{
    static void of(auto& r, auto& field)
    {
        field("ptx", r.ptx);
        field("kernels", r.kernels);
        field("architecture", r.architecture);
    }
};

template <>
struct Fields<CompiledProgram>
{
    static void of(auto& p, auto& field)
    {
        field("ptx", p.ptx);
        field("ptx_hash", p.ptxHash);
        field("cubin", AsBase64{p.cubin});
        field("log", p.log);
        field("resources", p.resources);
        field("atomics", p.traits.atomics);
        field("flushes", p.traits.flushes);
        field("shape", p.traits.shape);
    }
};

template <>
struct Fields<CompileFailure>
{
    static void of(auto& f, auto& field)
    {
        field("kind", f.kind);
        field("line", f.line);
        field("message", f.message);
        field("log", f.log);
        field("out_of_memory", f.outOfMemory);
    }
};

template <>
struct Fields<SimulationCase>
{
    static void of(auto& c, auto& field)
    {
        field("contents", c.contents);
        field("calls", AsRow{c.calls});
        field("seed", c.seed);
        field("checks", c.checks);
        field("if_spent", c.ifSpent);
        field("counters", c.counters);
        field("drawn", c.drawnBlocks);
        field("launches", c.launches);
        field("schedule", c.schedule);
        field("layout", c.layout);
        field("steps", c.stepBudget);
        field("lines", c.lineCounters);
        field("observe", c.observe);
        field("mark", c.mark);
    }
};

template <>
struct Fields<SimulationJob>
{
    static void of(auto& j, auto& field)
    {
        field("program", j.program);
        field("ptx", j.ptx);
        field("resources", j.resources);
        field("model", j.model);
        field("columns", j.variant.columns);
        field("element_type", j.variant.type);
        field("kind", j.variant.kind);
        field("drop", j.drop);
        field("take", j.take);
        field("cases", j.cases);
        field("further_steps", j.furtherSteps);
        field("further_prepare_steps", j.furtherPrepareSteps);
    }
};

template <>
struct Fields<GpuCase>
{
    static void of(auto& c, auto& field)
    {
        field("contents", c.contents);
        field("from", c.inputsKey);
        field("calls", AsRow{c.calls});
        field("seed", c.seed);
        field("may_not_bind", c.mayNotBind);
    }
};

template <>
struct Fields<GpuTiming>
{
    static void of(auto& t, auto& field)
    {
        field("contents", t.contents);
        field("from", t.inputsKey);
        field("ring", AsRow{t.ring});
        field("samples", t.samples);
        field("sample_us", t.sampleMicroseconds);
        field("cold", t.cold);
        field("counters", t.counters);
        field("drop_us", t.dropAbove);
        field("against", t.against);
        field("mean_calls", t.meanCalls);
        field("underflow", t.underflow);
        field("seed", t.seed);
    }
};

template <>
struct Fields<GpuJob>
{
    static void of(auto& j, auto& field)
    {
        field("program", j.program);
        field("ptx", j.ptx);
        field("cubin", AsBase64{j.cubin});
        field("columns", j.variant.columns);
        field("element_type", j.variant.type);
        field("kind", j.variant.kind);
        field("drop", j.drop);
        field("take", j.take);
        field("before", j.before);
        field("after", j.after);
        field("timing", j.timing);
        field("limit_us", j.limitMicroseconds);
    }
};

template <>
struct Fields<GpuMeasured::InTurn>
{
    static void of(auto& t, auto& field)
    {
        field("program", AsRow{t.program});
        field("baseline", AsRow{t.baseline});
    }
};

template <>
struct Fields<ComparedCalls>
{
    static void of(auto& c, auto& field)
    {
        field("calls", c.calls);
        field("elements", c.elements);
        field("bound_share", c.boundShare);
        field("wrong", AsBits{c.wrong});
    }
};

template <>
struct Fields<GpuMeasured>
{
    static void of(auto& m, auto& field)
    {
        field("fault", m.fault);
        field("warm", AsRow{m.warm});
        field("cold", AsRow{m.cold});
        field("mean", m.meanMicroseconds);
        field("setup", m.setupMicroseconds);
        field("wall", m.wallMicroseconds);
        field("measuring", m.measuringSeconds);
        field("conversion", m.conversionSeconds);
        field("clocks_agree", m.clocksAgree);
        field("dropped", m.dropped);
        field("compared", m.compared);
        field("in_turn", AsRow{m.inTurn});
        field("occupancy", AsRow{m.occupancy});
    }
};

template <>
struct Fields<GpuAnswer>
{
    static void of(auto& a, auto& field)
    {
        field("before", a.before);
        field("after", a.after);
        field("timing", a.timing);
        field("poisoned", a.poisoned);
        field("busy", a.busySeconds);
    }
};

template <>
struct Fields<BaselineJob>
{
    static void of(auto& j, auto& field)
    {
        field("contents", j.contents);
        field("columns", j.variant.columns);
        field("element_type", j.variant.type);
        field("kind", j.variant.kind);
        field("set", j.set);
        field("cold", j.cold);
        field("mean_calls", j.meanCalls);
        field("seed", j.seed);
        field("drop", j.drop);
        field("take", j.take);
    }
};

template <>
struct Fields<BaselineTiming>
{
    static void of(auto& t, auto& field)
    {
        field("library", t.library);
        field("algorithm", t.algorithm);
        field("csr", t.csr);
        field("warm", AsRow{t.warm});
        field("cold", AsRow{t.cold});
        field("setup", t.setupMicroseconds);
    }
};

template <>
struct Fields<BaselineAnswer>
{
    static void of(auto& a, auto& field)
    {
        field("timings", a.timings);
        field("busy", a.busySeconds);
    }
};

template <>
struct Fields<GpuInfo>
{
    static void of(auto& i, auto& field)
    {
        field("ordinal", i.ordinal);
        field("name", i.name);
        field("driver", i.driver);
        field("cuda", i.cudaVersion);
        field("major", i.major);
        field("minor", i.minor);
        field("sms", i.smCount);
        field("memory", i.memoryBytes);
        field("l2", i.l2Bytes);
        field("shared_sm", i.sharedPerSm);
        field("shared_block", i.maxSharedPerBlock);
        field("shared_optin", i.maxSharedOptinPerBlock);
        field("registers_sm", i.registersPerSm);
        field("threads_sm", i.maxThreadsPerSm);
        field("blocks_sm", i.maxBlocksPerSm);
        field("clock", i.clockGHz);
        field("memory_clock", i.memoryClockGHz);
        field("bus_bits", i.memoryBusBits);
    }
};

/// Returns a message as JSON with its type.
template <Described Message>
nlohmann::json messageToJson(const char* type, const Message& message)
{
    auto json = writeFields(message);
    json["type"] = type;
    return json;
}

/// Runs `read`, which reads a message, and turns JSON exceptions into errors.
template <typename T, typename Read>
Result<T> guardedMessage(Read&& read)
{
    try {
        return read();
    } catch (const nlohmann::json::exception& e) {
        return fail(std::string("a message of a runner cannot be read: ") + e.what());
    }
}

template <Described Message>
Result<Message> messageFromJson(const nlohmann::json& json)
{
    return guardedMessage<Message>([&] {
        Message message;
        readFields(json, message, readMessage);
        return message;
    });
}

/// The same as messageFromJson() for an answer, which must have this type. `what` names the request.
template <Described Message>
Result<Message> answerFromJson(const nlohmann::json& json, std::string_view type, const std::string& what)
{
    return guardedMessage<Message>([&]() -> Result<Message> {
        if (const auto found = json.at("type").get<std::string>(); found != type)
            return fail("a cuda runner answered with \"" + found + "\" where " + what + " asked for");
        return messageFromJson<Message>(json);
    });
}

} // namespace sparserl
