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

/// One of the values that the filter asks for.
void CandidateQuery::addAny(const CandidateFacet& facet, const CandidateFilter& filter)
{
    const auto wanted = facet.wantedBy(filter);
    if (wanted.empty())
        return;
    const std::string column = facet.column;
    std::string any;
    switch (facet.form) {
    case CandidateFacet::Form::Text:
        if (const auto* runs = std::get_if<std::vector<RunId> CandidateFilter::*>(&facet.wanted))
            values.insert(values.end(), (filter.**runs).begin(), (filter.**runs).end());
        else
            values.insert(values.end(), wanted.begin(), wanted.end());
        add(column + " IN (" + placeholders(wanted.size()) + ")");
        return;
    case CandidateFacet::Form::Flags:
        for (const std::string& flag : wanted) {
            any += (any.empty() ? "instr(" : " OR instr(") + column + ",?)";
            values.emplace_back("," + flag + ",");
        }
        break;
    case CandidateFacet::Form::Range:
        any = "0";
        for (const SpeedupRange& range : speedupRanges) {
            if (std::find(wanted.begin(), wanted.end(), range.name) == wanted.end())
                continue;
            any += " OR (" + column + ">0 AND " + column + ">=? AND " + column + "<?)";
            values.emplace_back(range.from);
            values.emplace_back(range.to);
        }
        break;
    }
    add("(" + any + ")");
}

CandidateQuery CandidateQuery::of(const CandidateFilter& filter, const CandidateFacet* without)
{
    CandidateQuery query;
    for (const CandidateFacet& facet : candidateFacets)
        if (&facet != without)
            query.addAny(facet, filter);
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
