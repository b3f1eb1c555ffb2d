// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/line_counts.h"

#include "base/beneath.h"
#include "base/files.h"
#include "base/json.h"
#include "base/seal.h"

#include <fmt/format.h>

namespace sparserl {

namespace {

constexpr int dwellMilliseconds = 400; // who walks through the list starts nothing

/// The counts of one program and target are no others'.
std::string sealOf(const std::filesystem::path& file)
{
    return "lines " + file.filename().string();
}

Result<VerdictRecord> readRecord(const std::filesystem::path& file)
{
    SPARSERL_TRY(const auto json, readSealedJson(file, sealOf(file)));
    return verdictRecordFromJson(json);
}

} // namespace

LineCounts::LineCounts(QObject* parent)
    : QObject(parent)
{
    m_dwell.setSingleShot(true);
    m_dwell.setInterval(dwellMilliseconds);
    connect(&m_dwell, &QTimer::timeout, this, &LineCounts::begin);
    connect(&m_judge, &ProgramJudge::judged, this, &LineCounts::found);
    connect(&m_judge, &ProgramJudge::failed, this, [this](const QString& sentence) {
        m_counting = false;
        Q_EMIT failed(sentence);
    });
}

void LineCounts::drop()
{
    m_dwell.stop();
    m_reading.cancel();
    m_judge.drop();
    m_counting = false;
}

bool LineCounts::ran(const VerdictRecord& record)
{
    return isCompiled(record.verdict) && record.verdict != Verdict::LaunchError &&
           record.verdict != Verdict::FormatError;
}

void LineCounts::ask(ProjectSession* session, const VerdictRecord& record, JudgeQuestion question)
{
    drop();
    if (!record.ptxLines.empty() || !ran(record) || !session->trusted())
        return;
    m_session = session;
    m_question = std::move(question);
    m_question.device = "sim"; // what counts
    m_question.ptxLines = true;
    m_question.runners = 1; // the user's machine has other things to do
    m_file = session->path() / "cache" / "lines" /
             fileNameFor(fmt::format("{}-{}-{}.json", record.programHash.substr(0, 32),
                                     record.target.contents.substr(0, 32), record.target.variant.columns));
    m_counting = true;
    session->look<VerdictRecord>(
        m_reading, [file = m_file](const std::filesystem::path&) { return readRecord(file); },
        [this](const Result<VerdictRecord>& kept) {
            if (kept && !kept->ptxLines.empty()) // of an older version: counted anew
                found(*kept);
            else
                m_dwell.start();
        });
}

void LineCounts::begin()
{
    if (!m_session->preferences().countInBackground) {
        m_counting = false;
        Q_EMIT failed(
            tr("Counting in the background is switched off in the settings; “Verify again” computes the "
               "counters."));
        return;
    }
    m_judge.ask(m_session, m_question);
}

void LineCounts::found(const VerdictRecord& record)
{
    m_counting = false;
    if (record.lines.empty()) {
        Q_EMIT failed(tr("None of the program's lines was counted."));
        return;
    }
    // Of use the next time; where it cannot be kept, it is counted again then.
    m_session->look<bool>(
        m_writing,
        [file = m_file, record](const std::filesystem::path&) -> Result<bool> {
            SPARSERL_CHECK(makeDirectories(file.parent_path()));
            SPARSERL_CHECK(writeSealedJson(file, sealOf(file), toJson(record)));
            return true;
        },
        [](const Result<bool>&) {});
    Q_EMIT counted(record);
}

} // namespace sparserl
