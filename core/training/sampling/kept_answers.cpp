// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/kept_answers.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/json.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

namespace sparserl {

namespace {

constexpr std::uint64_t mostBytes = std::uint64_t(4) << 30;
constexpr std::size_t mostTokens = 1'000'000; ///< A rollout has room for as many as a file says.

} // namespace

Result<KeptAnswers> KeptAnswers::open(std::filesystem::path file)
{
    KeptAnswers kept;
    kept.m_file = std::move(file);
    if (!glance(kept.m_file).exists)
        return kept;
    SPARSERL_TRY(const std::string text, readFile(kept.m_file, mostBytes));
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        const auto json = parseJson(line);
        if (!json || !json->is_object() || !json->contains("question"))
            continue;
        GeneratedProgram program;
        program.text = jsonValue(*json, "program", std::string());
        program.tokens = std::min(jsonValue(*json, "tokens", std::size_t(0)), mostTokens);
        program.finished = jsonValue(*json, "finished", false);
        program.stopReason = jsonValue(*json, "stop_reason", std::string());
        kept.m_answers.insert_or_assign(
            {jsonValue(*json, "question", std::string()), jsonValue(*json, "number", std::size_t(0))},
            std::move(program));
    }
    if (!text.empty() && !text.ends_with('\n'))
        SPARSERL_CHECK(appendFile(kept.m_file, "\n"));
    return kept;
}

const GeneratedProgram* KeptAnswers::find(const std::string& question, std::size_t number) const
{
    const auto found = m_answers.find({question, number});
    return found != m_answers.end() ? &found->second : nullptr;
}

Status KeptAnswers::keep(const std::string& question, std::size_t number, const GeneratedProgram& program)
{
    const nlohmann::json line{{"question", question},         {"number", number},
                              {"program", program.text},      {"tokens", program.tokens},
                              {"finished", program.finished}, {"stop_reason", program.stopReason}};
    SPARSERL_CHECK(appendFile(m_file, dumpJson(line) + "\n"));
    m_answers.insert_or_assign({question, number}, program);
    return {};
}

void KeptAnswers::remove()
{
    std::error_code ignored;
    removeEntry(m_file, ignored);
    m_answers.clear();
}

} // namespace sparserl
