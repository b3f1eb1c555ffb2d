// SPDX-License-Identifier: Apache-2.0
#include "evaluation/jobs.h"

#include "base/files.h"
#include "evaluation/job_json.h"

namespace sparserl {

using namespace job_json;

Json toJson(const CompileRequest& request)
{
    return {{"type", "compile"},
            {"code", request.code},
            {"defines", request.defines},
            {"kernels", request.kernels},
            {"architecture", request.architecture},
            {"assemble", request.assemble}};
}

Result<CompileRequest> compileRequestFromJson(const Json& json)
{
    return guarded<CompileRequest>([&] {
        CompileRequest request;
        jsonExactTo(json.at("code"), request.code);
        jsonExactTo(json.at("defines"), request.defines);
        jsonExactTo(json.at("kernels"), request.kernels);
        jsonExactTo(json.at("architecture"), request.architecture);
        jsonExactTo(json.at("assemble"), request.assemble);
        return request;
    });
}

Json toJson(const AssembleRequest& request)
{
    return {{"type", "assemble"},
            {"ptx", request.ptx},
            {"kernels", request.kernels},
            {"architecture", request.architecture}};
}

Result<AssembleRequest> assembleRequestFromJson(const Json& json)
{
    return guarded<AssembleRequest>([&] {
        AssembleRequest request;
        jsonExactTo(json.at("ptx"), request.ptx);
        jsonExactTo(json.at("kernels"), request.kernels);
        jsonExactTo(json.at("architecture"), request.architecture);
        return request;
    });
}

Json toJson(const tl::expected<CompiledProgram, CompileFailure>& answer, bool withCubin)
{
    if (!answer)
        return {{"type", "refused"},
                {"kind", static_cast<int>(answer.error().kind)},
                {"line", answer.error().line},
                {"message", answer.error().message},
                {"log", answer.error().log}};
    return {{"type", "compiled"},
            {"ptx", answer->ptx},
            {"ptx_hash", answer->ptxHash},
            {"cubin", withCubin ? base64Encode(answer->cubin) : std::string()},
            {"log", answer->log},
            {"resources", resourcesJson(answer->resources)},
            {"atomics", answer->traits.atomics},
            {"shape", answer->traits.shape}};
}

Result<tl::expected<CompiledProgram, CompileFailure>> compileAnswerFromJson(const Json& json)
{
    using Answer = tl::expected<CompiledProgram, CompileFailure>;
    return guarded<Answer>([&]() -> Result<Answer> {
        const auto type = json.at("type").get<std::string>();
        if (type == "refused") {
            CompileFailure failure;
            failure.kind = readEnum(json.at("kind"), CompileFailure::Kind::AssembleError);
            jsonExactTo(json.at("line"), failure.line);
            jsonExactTo(json.at("message"), failure.message);
            jsonExactTo(json.at("log"), failure.log);
            return Answer(tl::unexpected(std::move(failure)));
        }
        if (type != "compiled")
            return fail("a runner answered with \"" + type + "\" where a compilation was asked for");
        CompiledProgram program;
        jsonExactTo(json.at("ptx"), program.ptx);
        jsonExactTo(json.at("ptx_hash"), program.ptxHash);
        jsonExactTo(json.at("log"), program.log);
        jsonExactTo(json.at("atomics"), program.traits.atomics);
        jsonExactTo(json.at("shape"), program.traits.shape);
        SPARSERL_TRY(auto cubin, base64Decode(json.at("cubin").get_ref<const std::string&>()));
        program.cubin = std::move(cubin);
        program.resources = readResources(json.at("resources"));
        return Answer(std::move(program));
    });
}

Json toJson(const SimulationJob& job)
{
    auto cases = Json::array();
    for (const auto& c : job.cases)
        cases.push_back({{"matrix", c.matrix},
                         {"inputs", rangesJson(c.inputs)},
                         {"outputs", rangesJson(c.outputs)},
                         {"seed", c.seed},
                         {"checks", static_cast<int>(c.checks)},
                         {"in_order", c.inOrder},
                         {"steps", c.stepBudget},
                         {"lines", c.lineCounters}});
    return {{"type", "simulate"},       {"program", job.program},
            {"ptx", job.ptx},           {"resources", resourcesJson(job.resources)},
            {"model", job.model},       {"columns", job.denseColumns},
            {"drop", job.drop},         {"take", job.take},
            {"cases", std::move(cases)}};
}

Result<SimulationJob> simulationJobFromJson(const Json& json)
{
    return guarded<SimulationJob>([&] {
        SimulationJob job;
        jsonExactTo(json.at("program"), job.program);
        jsonExactTo(json.at("ptx"), job.ptx);
        job.resources = readResources(json.at("resources"));
        jsonExactTo(json.at("model"), job.model);
        jsonExactTo(json.at("columns"), job.denseColumns);
        jsonExactTo(json.at("drop"), job.drop);
        jsonExactTo(json.at("take"), job.take);
        for (const auto& c : json.at("cases")) {
            SimulationCase one;
            jsonExactTo(c.at("matrix"), one.matrix);
            one.inputs = readRanges(c.at("inputs"));
            one.outputs = readRanges(c.at("outputs"));
            jsonExactTo(c.at("seed"), one.seed);
            one.checks = readEnum(c.at("checks"), Checks::All);
            jsonExactTo(c.at("in_order"), one.inOrder);
            jsonExactTo(c.at("steps"), one.stepBudget);
            jsonExactTo(c.at("lines"), one.lineCounters);
            job.cases.push_back(std::move(one));
        }
        return job;
    });
}

Json toJson(const std::vector<CaseAnswer>& answers)
{
    auto cases = Json::array();
    for (const auto& a : answers)
        cases.push_back(answerJson(a));
    return {{"type", "simulated"}, {"cases", std::move(cases)}};
}

Result<std::vector<CaseAnswer>> caseAnswersFromJson(const Json& json)
{
    return guarded<std::vector<CaseAnswer>>([&]() -> Result<std::vector<CaseAnswer>> {
        if (const auto type = json.at("type").get<std::string>(); type != "simulated")
            return fail("a runner answered with \"" + type + "\" where a simulation was asked for");
        std::vector<CaseAnswer> answers;
        for (const auto& c : json.at("cases"))
            answers.push_back(readAnswer(c));
        return answers;
    });
}

} // namespace sparserl
