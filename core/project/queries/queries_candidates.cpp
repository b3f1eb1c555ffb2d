// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "base/json.h"
#include "project/index/verdict_row.h"
#include "project/queries/reader_impl.h"
#include "verdict/names.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace sparserl {
namespace {

constexpr const char* candidateColumns =
    "s.run, s.seq, ifnull(r.name,''), s.step, s.t, s.program, s.target, s.target_name, s.origin, s.split, "
    "s.family, "
    "s.verdict, "
    "s.flags, s.message, s.speedup, s.micros, s.reward, s.log_prob, s.tokens, a.star, a.pin, a.note, "
    "s.target_key, a.sft, ifnull(r.title,'')";
constexpr const char* candidateTables =
    "sample s LEFT JOIN run r ON r.id=s.run LEFT JOIN annotation a ON a.target='program' AND a.key=s.program";

CandidateRow rowFrom(const sql::Statement& row)
{
    CandidateRow out;
    out.id = {row.integer(0), row.integer(1)};
    out.runName = row.text(2);
    out.step = row.integer(3);
    out.t = row.real(4);
    out.programHash = row.text(5);
    out.origin = row.text(8);
    out.split = row.text(9);
    out.family = row.text(10);
    if (!row.isNull(11))
        out.verdict = verdictFromName(row.text(11));
    out.flags = flagsOf(row.text(12));
    out.message = row.text(13);
    out.speedup = row.real(14);
    out.microseconds = row.real(15);
    out.reward = row.real(16);
    out.logProb = row.real(17);
    out.tokens = row.integer(18);
    out.starred = row.integer(19) != 0;
    out.pinned = row.integer(20) != 0;
    out.note = row.text(21);
    const std::string key = row.text(22);
    out.target = TargetId::fromKey(key).value_or(TargetId{.contents = row.text(6)});
    out.target.name = row.text(7);
    out.runTitle = row.text(24);
    out.inSftSet = row.text(23).find("," + key + ",") != std::string::npos;
    return out;
}

constexpr int proposalColumn = 25; ///< Of a query for candidateColumns and then s.proposal.

} // namespace

Result<std::vector<LineageRow>> ProjectReader::lineage(CandidateId id)
{
    return m_impl->read([&] {
        constexpr std::size_t longest = 1000; // of a journal that goes in circles
        std::vector<LineageRow> way;
        auto own = m_impl->db.prepare(fmt::format("SELECT {}, s.proposal FROM {} WHERE s.run=? AND s.seq=?",
                                                  candidateColumns, candidateTables));
        auto parent = m_impl->db.prepare(
            fmt::format("SELECT {}, s.proposal FROM {} WHERE s.run=? AND s.program=? AND s.target_key=? AND "
                        "s.proposal<>'' LIMIT 1",
                        candidateColumns, candidateTables));
        own.bindAll(id.run, id.seq);
        const auto take = [&way](sql::Statement& row) {
            if (!row.step())
                return false;
            const auto json = parseJson(row.text(proposalColumn));
            if (json)
                way.push_back({rowFrom(row), proposalFromJson(*json)});
            row.reset();
            return json.has_value();
        };
        for (bool more = take(own); more && way.size() < longest;) {
            const LineageRow& last = way.back();
            if (last.proposal.parents.empty())
                break;
            parent.bindAll(id.run, last.proposal.parents.front(), last.candidate.target.key());
            more = take(parent);
        }
        std::reverse(way.begin(), way.end());
        return way;
    });
}

Result<std::vector<LineageRow>> ProjectReader::searchPrograms(CandidateId id)
{
    return m_impl->read([&] {
        std::vector<LineageRow> programs;
        auto own = m_impl->db.prepare("SELECT target_key FROM sample WHERE run=? AND seq=? AND proposal<>''");
        own.bindAll(id.run, id.seq);
        if (!own.step())
            return programs;
        auto row = m_impl->db.prepare(
            fmt::format("SELECT {}, s.proposal FROM {} WHERE s.run=? AND s.target_key=? AND s.proposal<>''",
                        candidateColumns, candidateTables));
        row.bindAll(id.run, own.text(0));
        while (row.step()) {
            if (const auto json = parseJson(row.text(proposalColumn)))
                programs.push_back({rowFrom(row), proposalFromJson(*json)});
        }
        return programs;
    });
}

Result<std::vector<CandidateRow>> ProjectReader::sampleGroup(CandidateId id)
{
    return m_impl->read([&] {
        std::vector<CandidateRow> group;
        auto own = m_impl->db.prepare(
            fmt::format("SELECT {} FROM {} WHERE s.run=? AND s.seq=?", candidateColumns, candidateTables));
        own.bindAll(id.run, id.seq);
        if (!own.step())
            return group;
        CandidateRow candidate = rowFrom(own);
        if (candidate.origin != sample_origin::policy && candidate.origin != sample_origin::evaluation) {
            group.push_back(std::move(candidate));
            return group;
        }
        auto row = m_impl->db.prepare(
            fmt::format("SELECT {} FROM {} WHERE s.run=? AND s.step=? AND s.target_key=? AND s.origin=? "
                        "ORDER BY s.seq",
                        candidateColumns, candidateTables));
        row.bindAll(id.run, candidate.step, candidate.target.key(), candidate.origin);
        while (row.step())
            group.push_back(rowFrom(row));
        return group;
    });
}

Result<std::vector<CandidateRow>> ProjectReader::candidateRows(const std::vector<CandidateId>& ids)
{
    return m_impl->read([&] {
        std::vector<CandidateRow> list;
        list.reserve(ids.size());
        auto row = m_impl->db.prepare(
            fmt::format("SELECT {} FROM {} WHERE s.run=? AND s.seq=?", candidateColumns, candidateTables));
        for (const CandidateId& id : ids) {
            row.bindAll(id.run, id.seq);
            if (row.step())
                list.push_back(rowFrom(row));
            row.reset();
        }
        return list;
    });
}

Result<CandidateRow> ProjectReader::candidate(CandidateId id)
{
    auto found = m_impl->read([&] {
        auto row = m_impl->db.prepare(
            fmt::format("SELECT {} FROM {} WHERE s.run=? AND s.seq=?", candidateColumns, candidateTables));
        row.bindAll(id.run, id.seq);
        return row.step() ? std::optional(rowFrom(row)) : std::nullopt;
    });
    if (!found)
        return fail(found.error());
    if (!*found)
        return fail("this candidate is no longer in the index", "Its run may have been resumed or removed");
    return std::move(**found);
}

Result<std::string> ProjectReader::programText(const std::string& hash)
{
    const auto blob = m_impl->read([&] {
        auto row = m_impl->db.prepare("SELECT text FROM program WHERE hash=? ORDER BY run LIMIT 1");
        row.bind(hash);
        return row.step() ? std::optional(row.blob(0)) : std::nullopt;
    });
    if (!blob)
        return fail(blob.error());
    if (!*blob)
        return fail(fmt::format("the program {} is not in the index", hash.substr(0, 12)));
    return zlibDecompress(**blob);
}

Result<std::vector<AdvantageRun>> ProjectReader::advantages(CandidateId id)
{
    const auto blob = m_impl->read([&] {
        auto row = m_impl->db.prepare("SELECT runs FROM advantage WHERE run=? AND seq=?");
        row.bindAll(id.run, id.seq);
        return row.step() ? std::optional(row.blob(0)) : std::nullopt;
    });
    if (!blob)
        return fail(blob.error());
    if (!*blob)
        return std::vector<AdvantageRun>();
    SPARSERL_TRY(const auto text, zlibDecompress(**blob));
    SPARSERL_TRY(const auto json, parseJson(text));
    return advantagesFromJson(json);
}

Result<std::optional<VerdictRecord>> ProjectReader::verdict(CandidateId id)
{
    const auto blob = m_impl->read([&] {
        auto row = m_impl->db.prepare("SELECT v.record FROM sample s JOIN verdict v ON v.run=s.run AND "
                                      "v.program=s.program AND v.target_key=s.target_key WHERE s.run=? AND "
                                      "s.seq=?");
        row.bindAll(id.run, id.seq);
        return row.step() ? std::optional(row.blob(0)) : std::nullopt;
    });
    if (!blob)
        return fail(blob.error());
    if (!*blob)
        return std::optional<VerdictRecord>();
    SPARSERL_TRY(const auto text, zlibDecompress(**blob));
    SPARSERL_TRY(const auto json, parseJson(text));
    SPARSERL_TRY(auto record, verdictRecordFromJson(json));
    return std::optional(std::move(record));
}

} // namespace sparserl
