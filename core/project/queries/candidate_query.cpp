// SPDX-License-Identifier: Apache-2.0
#include "project/queries/candidate_query.h"

#include "target/family_names.h"

#include <algorithm>

namespace sparserl {
namespace {

std::string placeholders(std::size_t count)
{
    std::string out;
    for (std::size_t i = 0; i < count; ++i)
        out += i == 0 ? "?" : ",?";
    return out;
}

/// The pattern of LIKE for a text that is meant literally; escape character '\'.
std::string likePattern(const std::string& text)
{
    std::string out = "%";
    for (const char c : text) {
        if (c == '%' || c == '_' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + "%";
}

/// The sample is of one of the programs whose hashes are so. Lists read numbers only.
std::string numberIn(const std::string& condition)
{
    return "s.program_number IN (SELECT number FROM program_number WHERE program" + condition + ")";
}

} // namespace

void CandidateQuery::add(const std::string& condition)
{
    where += " AND " + condition;
}

void CandidateQuery::addAny(const std::string& expression, const std::vector<std::string>& wanted)
{
    if (wanted.empty())
        return;
    add(expression + " IN (" + placeholders(wanted.size()) + ")");
    values.insert(values.end(), wanted.begin(), wanted.end());
}

CandidateQuery CandidateQuery::of(const CandidateFilter& filter, Facet without)
{
    CandidateQuery query;
    if (without != Facet::Run && !filter.runs.empty()) {
        query.add("s.run IN (" + placeholders(filter.runs.size()) + ")");
        query.values.insert(query.values.end(), filter.runs.begin(), filter.runs.end());
    }
    if (without != Facet::Verdict)
        query.addAny("ifnull(s.verdict,'unjudged')", filter.verdicts);
    if (without != Facet::Matrix)
        query.addAny("s.target", filter.matrices);
    if (without != Facet::Task)
        query.addAny("s.task", filter.tasks);
    if (without != Facet::Family)
        query.addAny("s.family", filter.families);
    if (without != Facet::Origin)
        query.addAny("s.origin", filter.origins);
    if (without != Facet::Split)
        query.addAny("s.split", filter.splits);
    if (without != Facet::Flag && !filter.flags.empty()) {
        std::string any;
        for (const std::string& flag : filter.flags) {
            any += any.empty() ? "instr(s.flags,?)" : " OR instr(s.flags,?)";
            query.values.emplace_back("," + flag + ",");
        }
        query.add("(" + any + ")");
    }
    if (without != Facet::Speedup && !filter.speedups.empty()) {
        std::string any = "0";
        for (const SpeedupRange& range : speedupRanges) {
            if (std::find(filter.speedups.begin(), filter.speedups.end(), range.name) ==
                filter.speedups.end())
                continue;
            any += " OR (s.speedup>0 AND s.speedup>=? AND s.speedup<?)";
            query.values.emplace_back(range.from);
            query.values.emplace_back(range.to);
        }
        query.add("(" + any + ")");
    }
    constexpr std::size_t digits = 64; // of SHA-256
    if (filter.programHash.size() >= digits) {
        query.add(numberIn("=?"));
        query.values.emplace_back(filter.programHash);
    } else if (!filter.programHash.empty()) { // a range, which the index of hashes finds at once
        query.add(numberIn(">=? AND program<?"));
        query.values.emplace_back(filter.programHash);
        query.values.emplace_back(filter.programHash + "~"); // after every digit
    }
    constexpr std::size_t longestPattern = 50'000; // of SQLite, which fails beyond it
    const std::string pattern = likePattern(filter.text);
    if (pattern.size() > longestPattern) {
        query.add("0"); // nothing has such a text
    } else if (!filter.text.empty()) {
        const std::vector<std::string> families = familiesNamed(filter.text); // what lists call them
        // The inner query runs once and looks into each program once, however many samples share it.
        query.add("(s.target_name LIKE ? ESCAPE '\\' OR s.family LIKE ? ESCAPE '\\' OR s.message LIKE ? "
                  "ESCAPE '\\' OR s.family IN (" +
                  placeholders(families.size()) + ") OR " +
                  numberIn(" IN (SELECT hash FROM program WHERE inflate(text) LIKE ? ESCAPE '\\')") + ")");
        for (int i = 0; i < 3; ++i)
            query.values.emplace_back(pattern);
        query.values.insert(query.values.end(), families.begin(), families.end());
        query.values.emplace_back(pattern);
    }
    if (filter.starredOnly)
        query.add(numberIn(" IN (SELECT key FROM annotation WHERE target='program' AND star=1)"));
    if (filter.pinnedOnly)
        query.add(numberIn(" IN (SELECT key FROM annotation WHERE target='program' AND pin=1)"));
    if (filter.sftOnly)
        query.add(inSftSet);
    if (!filter.includeArchived)
        query.add(
            "s.run NOT IN (SELECT r.id FROM run r JOIN annotation a ON a.target='run' AND a.key=r.name WHERE "
            "a.archive=1)");
    if (filter.firstSamples || filter.distinctPrograms)
        query.add("s.repeated=0");
    return query;
}

void CandidateQuery::bindTo(sql::Statement& statement) const
{
    for (const auto& value : values)
        std::visit([&](const auto& plain) { statement.bind(plain); }, value);
}

} // namespace sparserl
