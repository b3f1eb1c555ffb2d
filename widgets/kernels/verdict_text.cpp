// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/verdict_text.h"

#include "base/json.h"
#include "verdict/names.h"
#include "widgets/common/format.h"
#include "widgets/common/translate.h"

namespace sparserl {

namespace {

QString triple(const std::array<std::int64_t, 3>& v)
{
    return QStringLiteral("(%1, %2, %3)").arg(v[0]).arg(v[1]).arg(v[2]);
}

} // namespace

QString verdictText(std::optional<Verdict> verdict)
{
    if (!verdict)
        return tr("not judged");
    QString text = toQString(nameOf(*verdict));
    return text.replace(QLatin1Char('-'), QLatin1Char(' '));
}

QString originText(const CandidateRow& candidate)
{
    if (!candidate.runName.empty())
        return tr("%1, step %2")
            .arg(toQString(runLabelOf(candidate.runName, candidate.runTitle)), formatCount(candidate.step));
    return candidate.origin == sample_origin::hand ? tr("edited by hand") : tr("generated on request");
}

QString verdictHelp(std::optional<Verdict> verdict)
{
    if (!verdict)
        return tr("No verdict has arrived for this program yet.");
    switch (*verdict) {
    case Verdict::PlanError:
        return tr("The plan lines break a rule, or an expression in them fails on a matrix.");
    case Verdict::StoppedEarly:
        return tr("Sampling was stopped because the program could no longer compile.");
    case Verdict::MachineError:
        return tr("The program was not judged: this machine lacks a CUDA header that the program includes.");
    case Verdict::CompileError:
        return tr("NVRTC refused the device code.");
    case Verdict::AssembleError:
        return tr("The PTX could not be assembled.");
    case Verdict::Rejected:
        return tr("The gate refused an instruction or a directive in the PTX.");
    case Verdict::LaunchError:
        return tr("A launch or the arrays of the plan exceeded a limit, or an error stopped a kernel.");
    case Verdict::OutOfBounds:
        return tr("A thread read or wrote outside its arrays.");
    case Verdict::Uninitialised:
        return tr("A thread used unwritten memory.");
    case Verdict::Race:
        return tr("Two threads accessed the same word without synchronisation.");
    case Verdict::SyncError:
        return tr("A barrier or shuffle was not reached by all threads that it names.");
    case Verdict::Timeout:
        return tr("The program did not end within its step budget.");
    case Verdict::WrongResult:
        return tr("The result differs from the reference by more than rounding explains.");
    case Verdict::FormatError:
        return tr("A storage format of the plan does not apply to this matrix.");
    case Verdict::Correct:
        return tr("Correct on every test shape and on the matrix, before and after timing.");
    }
    return {};
}

QString flagText(const std::string& name)
{
    if (verdictFlagFromName(name) == VerdictFlag::NotFinite)
        return tr("NaN or infinite");
    return toQString(name).replace(QLatin1Char('-'), QLatin1Char(' '));
}

QString flagHelp(const std::string& name)
{
    const auto flag = verdictFlagFromName(name);
    if (!flag)
        return {};
    switch (*flag) {
    case VerdictFlag::Suspicious:
        return tr("The program's time is implausible and could not be reproduced: a suspected hack.");
    case VerdictFlag::SlowerThanBaseline:
        return tr("The program is correct, but slower than the baseline.");
    case VerdictFlag::Nondeterministic:
        return tr("Equal inputs gave results that differ by less than the bound.");
    case VerdictFlag::Copied:
        return tr("The program is nearly the reference program.");
    case VerdictFlag::NotMeasured:
        return tr("Training rewarded a predicted time; the time was not measured.");
    case VerdictFlag::VerifiedAgain:
        return tr("The verdict was made later, outside the run.");
    case VerdictFlag::OutOfMemory:
        return tr("The program failed because it asked for more memory than there is.");
    case VerdictFlag::NotFinite:
        return tr("The first wrong element is NaN or infinite, or was never written.");
    }
    return {};
}

QString outcomeText(const VerdictRecord& record)
{
    const QString verdict = verdictText(record.verdict);
    return record.speedup() > 0 ? tr("%1, %2").arg(verdict, formatRatio(record.speedup())) : verdict;
}

JudgedAgain judgedAgainText(const std::optional<VerdictRecord>& before, const VerdictRecord& now)
{
    const QString text = outcomeText(now);
    if (!before)
        return {tr("Judged: %1.").arg(text)};
    const QString was = verdictText(before->verdict);
    if (before->verdict == Verdict::StoppedEarly && !isCompiled(now.verdict))
        return {tr("Verified: %1. Sampling was stopped for this reason before the program was complete.")
                    .arg(text)};
    if (before->verdict != now.verdict)
        return {tr("The verdict differs: %1 now, %2 before.").arg(text, was), true};
    return {tr("Verified: %1; the verdict was %2 before.")
                .arg(text, before->speedup() > 0 ? formatRatio(before->speedup()) : was)};
}

namespace {

/// "S10 {"block":256,"lanes":4}" of a journal as "S10: block 256, lanes 4"; other words as they are.
QString corpusText(const std::string& corpus)
{
    const auto brace = corpus.find('{');
    const auto parameters = brace == std::string::npos ? Result<nlohmann::json>(nlohmann::json())
                                                       : parseJson(std::string_view(corpus).substr(brace));
    if (!parameters || !parameters->is_object())
        return toQString(corpus);
    QStringList words;
    for (const auto& [name, value] : parameters->items())
        words.append(toQString(name) + QLatin1Char(' ') +
                     toQString(value.is_string() ? value.get<std::string>() : value.dump()));
    const QString family = toQString(corpus.substr(0, brace)).trimmed();
    return words.isEmpty() ? family : family + QStringLiteral(": ") + words.join(QStringLiteral(", "));
}

} // namespace

QString changeText(const ProposalOrigin& proposal)
{
    QStringList words;
    if (!proposal.corpus.empty())
        words.append(corpusText(proposal.corpus));
    for (const ProposalEdit& edit : proposal.edits)
        words.append(toQString(edit.words));
    return words.join(QStringLiteral("; "));
}

Tone verdictTone(std::optional<Verdict> verdict)
{
    if (!verdict)
        return Tone::Neutral;
    if (*verdict == Verdict::Correct)
        return Tone::Good;
    if (*verdict == Verdict::FormatError || *verdict == Verdict::MachineError)
        return Tone::Neutral;
    return isCompiled(*verdict) ? Tone::Warn : Tone::Bad;
}

QString wrongElementText(const VerdictRecord& record)
{
    if (!record.wrong)
        return {};
    const WrongElement& w = *record.wrong;
    QString place = record.target.task() == Task::SpMM
                        ? tr("row %1, column %2").arg(formatCount(w.row), formatCount(w.column))
                        : tr("row %1").arg(formatCount(w.row));
    if (w.output) // Tasks with one output do not name it.
        place = tr("output %1, %2").arg(*w.output + 1).arg(place);
    const int digits = record.target.variant.type == ElementType::F64 ? 17 : 8;
    return tr("%1: expected %2, got %3 (allowed difference %4)")
        .arg(place, formatNumber(w.expected, digits), formatNumber(w.got, digits), formatNumber(w.bound, 3));
}

QString placeText(const VerdictRecord& record)
{
    QStringList parts;
    if (record.line > 0)
        parts.append(tr("line %1").arg(record.line));
    if (record.block)
        parts.append(tr("block %1").arg(triple(*record.block)));
    if (record.thread)
        parts.append(tr("thread %1").arg(triple(*record.thread)));
    if (!record.batteryCase.empty())
        parts.append(tr("test shape “%1”").arg(toQString(record.batteryCase)));
    return parts.join(QStringLiteral(", "));
}

} // namespace sparserl
