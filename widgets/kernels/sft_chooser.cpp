// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/sft_chooser.h"

#include "project/queries/sft_choice.h"
#include "widgets/common/format.h"

#include <algorithm>
#include <set>

namespace sparserl {

SftChooser::SftChooser(QObject* parent)
    : QObject(parent)
{
}

void SftChooser::setSession(ProjectSession* session)
{
    m_jobs.cancel();
    m_session = session;
}

void SftChooser::toggle(const std::vector<CandidateId>& candidates)
{
    if (!m_session || candidates.empty())
        return;
    m_session->query<Found>(
        m_jobs,
        [candidates](ProjectReader& reader) -> Result<Found> {
            Found found;
            SPARSERL_TRY(found.rows, reader.candidateRows(candidates));
            for (const CandidateRow& row : found.rows) {
                if (!mayJoinSftSet(row) || found.texts.contains(row.programHash))
                    continue;
                SPARSERL_TRY(found.texts[row.programHash], reader.programText(row.programHash));
            }
            return found;
        },
        [this](Result<Found> found) {
            if (found)
                apply(*found);
            else
                Q_EMIT problem(sentenceOf(found.error()));
        });
}

void SftChooser::apply(const Found& found)
{
    std::int64_t wrong = 0, heldOut = 0;
    bool all = true;
    std::set<std::pair<std::string, std::string>> pairs; // program and target: a sample may come twice
    for (const CandidateRow& row : found.rows) {
        if (row.verdict != Verdict::Correct)
            ++wrong;
        else if (!mayJoinSftSet(row))
            ++heldOut;
        else if (pairs.emplace(row.programHash, row.target.key()).second)
            all = all && row.inSftSet;
    }
    std::vector<Annotation> done;
    std::set<std::string> programs;
    for (const CandidateRow& row : found.rows) {
        const auto pair = pairs.find({row.programHash, row.target.key()});
        if (!mayJoinSftSet(row) || pair == pairs.end() || row.inSftSet != all)
            continue;
        pairs.erase(pair);
        if (!all)
            m_session->keepForSft(row.programHash, found.texts.at(row.programHash));
        Annotation annotation;
        annotation.target = Annotation::Target::Program;
        annotation.key = row.programHash;
        annotation.field = Annotation::Field::Sft;
        annotation.value = (all ? "-" : "") + row.target.key();
        done.push_back(std::move(annotation));
        programs.insert(row.programHash);
    }
    const auto count = static_cast<std::int64_t>(programs.size());
    QStringList sentences;
    if (count > 0 && all)
        sentences.append(counted(count, tr("One program was removed from the SFT set."),
                                 tr("%1 programs were removed from the SFT set.")));
    else if (count > 0)
        sentences.append(counted(
            count, tr("One program was added to the SFT set: the next run of the sft stage trains on it."),
            tr("%1 programs were added to the SFT set: the next run of the sft stage trains on them.")));
    if (wrong > 0)
        sentences.append(counted(wrong, tr("One program is not correct and was left out."),
                                 tr("%1 programs are not correct and were left out.")));
    if (heldOut > 0)
        sentences.append(counted(heldOut,
                                 tr("One program is for a held-out matrix, which is never trained on."),
                                 tr("%1 programs are for held-out matrices, which are never trained on.")));
    m_session->annotate(done, tr("the change to the SFT set"));
    m_session->onceWritten(this, [this, said = sentences.join(QLatin1Char(' '))] { Q_EMIT told(said); });
}

} // namespace sparserl
