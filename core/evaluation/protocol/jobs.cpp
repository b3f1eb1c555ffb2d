// SPDX-License-Identifier: Apache-2.0
#include "evaluation/protocol/jobs.h"

#include "evaluation/protocol/message_fields.h"

namespace sparserl {

using Json = nlohmann::json;

Json toJson(const CompileRequest& request)
{
    return messageToJson("compile", request);
}

Result<CompileRequest> compileRequestFromJson(const Json& json)
{
    return messageFromJson<CompileRequest>(json);
}

Json toJson(const AssembleRequest& request)
{
    return messageToJson("assemble", request);
}

Result<AssembleRequest> assembleRequestFromJson(const Json& json)
{
    return messageFromJson<AssembleRequest>(json);
}

Json toJson(const tl::expected<CompiledProgram, CompileFailure>& answer, bool withCubin)
{
    if (!answer)
        return messageToJson("refused", answer.error());
    auto json = messageToJson("compiled", *answer);
    if (!withCubin)
        json["cubin"] = "";
    return json;
}

Result<tl::expected<CompiledProgram, CompileFailure>> compileAnswerFromJson(const Json& json)
{
    using Answer = tl::expected<CompiledProgram, CompileFailure>;
    return guardedMessage<Answer>([&]() -> Result<Answer> {
        const auto type = json.at("type").get<std::string>();
        if (type == "refused") {
            SPARSERL_TRY(auto failure, messageFromJson<CompileFailure>(json));
            return Answer(tl::unexpected(std::move(failure)));
        }
        if (type != "compiled")
            return fail("a runner answered with \"" + type + "\" where a compilation was asked for");
        SPARSERL_TRY(auto program, messageFromJson<CompiledProgram>(json));
        return Answer(std::move(program));
    });
}

Json toJson(const SimulationJob& job)
{
    return messageToJson("simulate", job);
}

Result<SimulationJob> simulationJobFromJson(const Json& json)
{
    return messageFromJson<SimulationJob>(json);
}

Json toJson(const std::vector<CaseAnswer>& answers)
{
    return {{"type", "simulated"}, {"cases", fieldToJson(answers)}};
}

Result<std::vector<CaseAnswer>> caseAnswersFromJson(const Json& json)
{
    return guardedMessage<std::vector<CaseAnswer>>([&]() -> Result<std::vector<CaseAnswer>> {
        if (const auto type = json.at("type").get<std::string>(); type != "simulated")
            return fail("a runner answered with \"" + type + "\" where a simulation was asked for");
        std::vector<CaseAnswer> answers;
        FieldCodec<std::vector<CaseAnswer>>::read(json.at("cases"), answers, readMessage);
        return answers;
    });
}

} // namespace sparserl
