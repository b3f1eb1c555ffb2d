// SPDX-License-Identifier: Apache-2.0
#include "evaluation/audit/opcode_run.h"

#include "base/interruption.h"
#include "compile/nvjitlink.h"
#include "device/cuda/cuda_device.h"
#include "device/testing/opcode_cases.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace sparserl {

namespace {

/// k<<<blocks, threads>>>(in, out)
BoundPlan planOf(const OpcodeCase& one)
{
    BoundPlan plan;
    BoundBuffer in;
    in.name = "in";
    in.role = BufferRole::Matrix;
    in.type = ElementType::I64;
    in.count = static_cast<std::int64_t>(one.input.size());
    in.data.resize(8 * one.input.size());
    if (!one.input.empty())
        std::memcpy(in.data.data(), one.input.data(), in.data.size());
    BoundBuffer out;
    out.name = "out";
    out.role = BufferRole::Output;
    out.type = ElementType::F32;
    out.count = static_cast<std::int64_t>(one.outputBytes / 4);
    out.zero = true;
    plan.buffers = {std::move(in), std::move(out)};
    BoundCall call;
    call.kernel = "k";
    call.grid = {one.blocks, 1, 1};
    call.block = {one.threads, 1, 1};
    call.arguments = {BufferRef{0}, BufferRef{1}};
    plan.launches.push_back(std::move(call));
    return plan;
}

} // namespace

Result<OpcodeReport> runOpcodeCases(int gpu, const CancelToken& cancel)
{
    SPARSERL_TRY(auto device, CudaDevice::create(gpu));
    SPARSERL_TRY(const auto assembler, NvJitLink::load());
    OpcodeReport report;
    report.device = device->name();
    std::set<std::string> forms;
    auto cases = opcodeCases();
    // One that traps leaves the context unusable: the first of them runs at the end, the others not at all.
    std::stable_partition(cases.begin(), cases.end(), [](const OpcodeCase& one) { return !one.faults; });
    for (const OpcodeCase& one : cases) {
        if (cancel.cancelled())
            return fail(interruption());
        if (device->poisoned()) {
            if (!one.faults)
                report.wrong.push_back(one.name + ": not run, the GPU's context is unusable");
            continue;
        }
        SPARSERL_TRY(const auto assembled, assembler.assemble(one.ptx, device->info().architecture()));
        if (!assembled.ok) {
            report.wrong.push_back(one.name + ": the assembler refuses it: " + assembled.log);
            continue;
        }
        SPARSERL_TRY(const auto module, ptx::parse(one.ptx));
        const BoundPlan plan = planOf(one);
        ExecutionRequest request;
        request.plan = &plan;
        request.module = &module;
        request.inputs.resize(1);
        request.cubin = assembled.cubin;
        const auto result = device->execute(request);
        if (!result)
            return fail(one.name + ": " + result.error().sentence());
        ++report.cases;
        for (const auto& check : one.checks)
            forms.insert(check.form);
        if (one.faults != result->fault.has_value()) {
            report.wrong.push_back(one.name + ": " +
                                   (result->fault ? result->fault->message : "it should trap"));
            continue;
        }
        if (one.faults)
            continue;
        if (const auto difference = firstDifference(one, result->outputs.at(0).at(0).bytes);
            !difference.empty())
            report.wrong.push_back(one.name + ": " + difference);
    }
    report.forms = forms.size();
    return report;
}

} // namespace sparserl
