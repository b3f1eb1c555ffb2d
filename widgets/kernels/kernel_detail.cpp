// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/kernel_detail.h"

#include "widgets/common/delegates.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/panels.h"
#include "widgets/kernels/edit_dialog.h"
#include "widgets/kernels/evidence_view.h"
#include "widgets/kernels/export_dialog.h"
#include "widgets/kernels/findings_view.h"
#include "widgets/kernels/profile_view.h"
#include "widgets/kernels/roofline_view.h"
#include "widgets/kernels/shared_memory_view.h"
#include "widgets/kernels/source_pair.h"
#include "widgets/kernels/source_view.h"
#include "widgets/kernels/verdict_text.h"

#include <QFontDatabase>
#include <QInputDialog>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRandomGenerator>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace sparserl {

namespace {

struct Details
{
    std::string text;
    std::optional<VerdictRecord> record;
    std::map<std::string, ParameterValue> settings;
    std::int64_t nnz = 0;
};

} // namespace

KernelDetail::KernelDetail(QWidget* parent)
    : QWidget(parent)
    , m_stack(new QStackedWidget(this))
    , m_title(makeHeading({}, this, 1.2))
    , m_facts(makeMuted({}, this))
    , m_speedup(makeHeading({}, this, 1.45))
    , m_failure(new QLabel(this))
    , m_badge(new BadgeLabel(this))
    , m_message(new MessageBar(this))
    , m_star(makeToolButton(QStringLiteral("star"), {}, tr("Star this program"), this))
    , m_note(makeToolButton(QStringLiteral("note"), {}, tr("Write a note about this program"), this))
    , m_verify(makeToolButton(QStringLiteral("verify"), tr("Verify again"),
                              tr("Judge this program on its matrix again, with counters for every line"),
                              this))
    , m_compare(makeToolButton(QStringLiteral("compare"), {}, tr("Compare every other program with this one"),
                               this))
    , m_edit(makeToolButton(QStringLiteral("tune"), {},
                            tr("Change a copy of this program and judge it at once"), this))
    , m_pin(makeToolButton(QStringLiteral("checkpoint"), {}, tr("Pin this program"), this))
    , m_ptxButton(makeToolButton(QStringLiteral("columns"), {}, tr("Show the PTX (Ctrl+P)"), this))
    , m_export(
          makeToolButton(QStringLiteral("export"), tr("Export…"), tr("Write a stand-alone bundle"), this))
    , m_tabs(new QTabWidget(this))
    , m_sources(new SourcePair(this))
    , m_source(m_sources->source())
    , m_profile(new ProfileView(this))
    , m_findings(new FindingsView(this))
    , m_roofline(new RooflineView(this))
    , m_sharedMemory(new SharedMemoryView(this))
    , m_options(makeMuted({}, this))
    , m_log(new QPlainTextEdit(this))
    , m_evidence(new EvidenceView(this))
{
    letShrink(m_title);
    letShrink(m_facts);
    auto* nothing = makeMuted(tr("Select a program to see its source and its profile."), this);
    nothing->setAlignment(Qt::AlignCenter);
    m_stack->addWidget(nothing);
    auto* content = new QWidget(this);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 2, 0, 0);
    layout->setSpacing(6);
    auto* top = new QHBoxLayout;
    top->setSpacing(8);
    top->addWidget(m_title);
    top->addWidget(m_badge);
    top->addWidget(m_speedup);
    top->addStretch();
    for (QToolButton* button : {m_verify, m_export})
        top->addWidget(button);
    layout->addLayout(top);
    auto* second = new QHBoxLayout;
    second->setSpacing(4);
    second->addWidget(m_facts, 1);
    for (QToolButton* button : {m_star, m_pin, m_note, m_ptxButton, m_compare, m_edit})
        second->addWidget(button);
    layout->addLayout(second);
    m_failure->setWordWrap(true);
    m_failure->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    layout->addWidget(m_failure);
    layout->addWidget(m_message);

    m_log->setReadOnly(true);
    m_log->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_log->setPlaceholderText(tr("The compiler had nothing to say."));
    m_log->setAccessibleName(tr("Compile log"));
    auto* sourceCard = makeCard(content);
    auto* sourceLayout = new QVBoxLayout(sourceCard);
    sourceLayout->setContentsMargins(1, 1, 1, 1);
    sourceLayout->addWidget(m_sources);
    auto* lower = makeCard(content);
    auto* lowerLayout = new QVBoxLayout(lower);
    lowerLayout->setContentsMargins(1, 2, 1, 1);
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_profile, tr("Profile"));
    m_tabs->addTab(m_findings, tr("Findings"));
    m_tabs->addTab(m_roofline, tr("Roofline"));
    m_tabs->addTab(m_sharedMemory, tr("Shared memory"));
    m_tabs->setTabToolTip(m_tabs->indexOf(m_sharedMemory),
                          tr("Speed against shared memory over all listed programs"));
    m_options->setWordWrap(true);
    m_options->setContentsMargins(12, 6, 12, 0);
    m_options->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* compileTab = new QWidget(this);
    auto* compileLayout = new QVBoxLayout(compileTab);
    compileLayout->setContentsMargins(0, 0, 0, 0);
    compileLayout->addWidget(m_options);
    compileLayout->addWidget(m_log, 1);
    m_tabs->addTab(compileTab, tr("Compile log"));
    m_tabs->addTab(m_evidence, tr("Evidence"));
    lowerLayout->addWidget(m_tabs);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->setObjectName(QStringLiteral("kernels.detail"));
    splitter->setHandleWidth(10);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(sourceCard);
    splitter->addWidget(lower);
    splitter->setSizes({400, 330});
    layout->addWidget(splitter, 1);
    m_stack->addWidget(content);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_stack);

    m_ptxButton->setCheckable(true);
    connect(m_ptxButton, &QToolButton::toggled, this, &KernelDetail::showComparison);
    connect(m_tabs, &QTabWidget::currentChanged, this, [this] { showOptions(); });
    connect(&m_ptx, &ProgramPtx::ready, this, [this] {
        showOptions();
        if (m_ptxButton->isChecked())
            showComparison();
    });
    connect(&m_ptx, &ProgramPtx::failed, this, [this](const std::string& hash, const QString& sentence) {
        if (!m_candidate || m_candidate->programHash != hash)
            return;
        showOptions(sentence);
        if (!m_ptxButton->isChecked())
            return;
        m_message->showMessage(MessageBar::Level::Problem, tr("There is no PTX to show. %1").arg(sentence));
        m_ptxButton->setChecked(false);
    });
    m_pin->setCheckable(true);
    connect(m_pin, &QToolButton::clicked, this, &KernelDetail::togglePin);
    connect(m_edit, &QToolButton::clicked, this, &KernelDetail::editCopy);
    connect(m_star, &QToolButton::clicked, this, &KernelDetail::toggleStar);
    connect(m_note, &QToolButton::clicked, this, &KernelDetail::editNote);
    connect(m_verify, &QToolButton::clicked, this, &KernelDetail::verifyAgain);
    m_compare->setCheckable(true);
    connect(m_compare, &QToolButton::clicked, this, &KernelDetail::toggleBaseline);
    connect(m_findings, &FindingsView::lineChosen, m_source, &SourceView::goToLine);
    connect(m_export, &QToolButton::clicked, this, &KernelDetail::exportAsked);
    connect(&m_judge, &ProgramJudge::judged, this, &KernelDetail::verified);
    connect(&m_judge, &ProgramJudge::failed, this, [this](const QString& sentence) {
        m_verify->setEnabled(true);
        m_message->showMessage(MessageBar::Level::Problem, sentence);
    });
    connect(&m_counts, &LineCounts::counted, this, [this](const std::vector<LineCounters>& lines) {
        if (!m_record)
            return;
        m_record->lines = lines;
        m_countedLater = true;
        m_counting.clear();
        showRecord();
    });
    connect(&m_counts, &LineCounts::failed, this, [this](const QString& sentence) {
        m_counting = tr("not counted: %1").arg(sentence);
        m_source->setCountState(m_counting);
    });
}

void KernelDetail::setSession(ProjectSession* session)
{
    m_session = session;
    m_baseline.reset();
    m_sharedMemory->setSession(session);
    clear();
}

void KernelDetail::clear()
{
    m_jobs.cancel();
    m_judge.drop();
    m_counts.drop();
    m_verify->setEnabled(true);
    m_candidate.reset();
    m_record.reset();
    m_message->hide();
    m_stack->setCurrentIndex(0);
}

void KernelDetail::show(const CandidateRow& candidate)
{
    const bool same = m_candidate && m_candidate->id == candidate.id;
    const bool verifiedAgain = candidate.flags.has(VerdictFlag::VerifiedAgain);
    if (same && m_aheadOfIndex && !verifiedAgain) {
        m_candidate->starred = candidate.starred;
        m_candidate->pinned = candidate.pinned;
        m_candidate->note = candidate.note;
        return;
    }
    const bool judgedMeanwhile = same && (m_aheadOfIndex || m_candidate->verdict != candidate.verdict);
    m_aheadOfIndex = false;
    m_candidate = candidate;
    m_star->setIcon(themedIcon(candidate.starred ? QStringLiteral("star-filled") : QStringLiteral("star")));
    m_pin->setChecked(candidate.pinned);
    m_note->setText(candidate.note.empty() ? QString() : QStringLiteral("●"));
    m_note->setToolButtonStyle(candidate.note.empty() ? Qt::ToolButtonIconOnly
                                                      : Qt::ToolButtonTextBesideIcon);
    if (same && !judgedMeanwhile)
        return;
    if (!same) {
        m_message->hide();
    }
    m_counts.drop();
    m_session->query<Details>(
        m_jobs,
        [id = candidate.id, hash = candidate.programHash,
         digest = candidate.target.digest](ProjectReader& reader) -> Result<Details> {
            SPARSERL_TRY(auto text, reader.programText(hash));
            SPARSERL_TRY(auto record, reader.verdict(id));
            std::map<std::string, ParameterValue> settings;
            if (auto config = reader.runConfig(id.run)) // a run whose folder went has none
                settings = std::move(config->parameters);
            std::int64_t nnz = 0;
            if (const auto matrices = reader.matrices())
                for (const MatrixRow& matrix : *matrices)
                    if (matrix.digest == digest)
                        nnz = matrix.nnz;
            return Details{std::move(text), std::move(record), std::move(settings), nnz};
        },
        [this](Result<Details> details) {
            if (!details) {
                Q_EMIT problem(sentenceOf(details.error()));
                return;
            }
            m_text = details->text;
            m_record = details->record;
            m_settings = details->settings;
            m_nnz = details->nnz;
            m_countedLater = false;
            countLines();
            showRecord();
            m_stack->setCurrentIndex(1);
        });
}

void KernelDetail::showRecord()
{
    const CandidateRow& c = *m_candidate;
    m_title->setText(targetText(c.target));
    m_badge->setBadge(verdictText(c.verdict), verdictTone(c.verdict));
    m_badge->setToolTip(verdictHelp(c.verdict));
    const double speedup = m_record ? m_record->speedup() : c.speedup;
    m_speedup->setText(speedup > 0 ? formatRatio(speedup) : QString());
    m_speedup->setToolTip(
        m_record ? tr("Faster than %1 by this factor.").arg(toQString(m_record->baselineName)) : QString());
    QStringList facts{shortHash(c.programHash)};
    if (!c.family.empty())
        facts.append(tr("family %1").arg(toQString(c.family)));
    facts.append(tr("%1, step %2").arg(toQString(c.runName), formatCount(c.step)));
    if (m_record && !m_record->device.empty())
        facts.append(toQString(m_record->device));
    for (const std::string& flag : c.flags)
        facts.append(tr("⚑ %1").arg(toQString(flag)));
    m_facts->setText(facts.join(QStringLiteral("  ·  ")));

    QStringList failure;
    if (m_record && !m_record->correct()) {
        if (!m_record->message.empty())
            failure.append(toQString(m_record->message));
        if (const QString wrong = wrongElementText(*m_record); !wrong.isEmpty())
            failure.append(tr("First wrong element: %1.").arg(wrong));
        if (const QString place = placeText(*m_record); !place.isEmpty())
            failure.append(tr("Where: %1.").arg(place));
    }
    m_failure->setText(failure.join(QLatin1Char('\n')));
    m_failure->setVisible(!failure.isEmpty());

    showComparison();
    m_source->setCountState(m_counting);
    showOptions();
    m_log->setPlainText(m_record ? toQString(m_record->log) : QString());
    m_evidence->show(c, m_record, m_countedLater);
    m_export->setEnabled(c.verdict == Verdict::Correct);
    m_export->setToolTip(m_export->isEnabled() ? tr("Write a stand-alone bundle")
                                               : tr("Only correct programs can be exported."));
}

SourceView* KernelDetail::source() const
{
    return m_source;
}

void KernelDetail::toggleBaseline()
{
    if (!m_candidate)
        return;
    if (m_baseline)
        m_baseline.reset();
    else
        m_baseline = ComparedProgram{*m_candidate, m_text, m_record};
    showComparison();
}

void KernelDetail::showComparison()
{
    if (!m_candidate)
        return;
    const bool itself = m_baseline && m_candidate && m_baseline->candidate.id == m_candidate->id;
    if (itself)
        m_baseline->record = m_record; // with what was counted since
    const bool other = m_baseline && !itself;
    QString name;
    if (m_baseline)
        name = tr("%1 on %2")
                   .arg(shortHash(m_baseline->candidate.programHash),
                        toQString(m_baseline->candidate.target.name));
    m_compare->setChecked(m_baseline.has_value());

    m_compare->setToolTip(!m_baseline ? tr("Compare every other program with this one")
                          : itself    ? tr("This is the baseline now: choose another program. Again: end it")
                                      : tr("End the comparison with %1").arg(name));
    showCode(other, name);
    const auto& record = other ? m_baseline->record : std::nullopt;
    m_profile->show(m_record, record);
    const int findings = m_findings->show(m_record);
    m_tabs->setTabText(m_tabs->indexOf(m_findings),
                       findings > 0 ? tr("Findings (%1)").arg(findings) : tr("Findings"));
    m_roofline->show(m_record, record, m_nnz);
}

void KernelDetail::showOptions(const QString& problem)
{
    if (!m_candidate)
        return;
    const QString options = m_ptx.options(m_candidate->programHash);
    if (!options.isEmpty())
        m_options->setText(tr("NVRTC: %1").arg(options));
    else
        m_options->setText(
            problem.isEmpty() ? tr("The options appear when the program has been compiled here.") : problem);
    if (options.isEmpty() && problem.isEmpty() && m_tabs->currentWidget() == m_log->parentWidget())
        m_ptx.ask(m_session, m_candidate->programHash, m_text);
}

void KernelDetail::togglePtx()
{
    m_ptxButton->toggle();
}

void KernelDetail::showCode(bool comparing, const QString& baselineName)
{
    std::string own, others;
    if (m_ptxButton->isChecked() && m_candidate) {
        own = m_ptx.known(m_candidate->programHash);
        if (own.empty())
            m_ptx.ask(m_session, m_candidate->programHash, m_text);
        if (comparing) {
            others = m_ptx.known(m_baseline->candidate.programHash);
            if (others.empty())
                m_ptx.ask(m_session, m_baseline->candidate.programHash, m_baseline->text);
        }
    }
    if (comparing && !own.empty() && !others.empty()) {
        m_source->show(toQString(own), {}); // counters are of lines of the program
        m_sources->baseline()->show(toQString(others), {});
        m_sources->compare(true, tr("the PTX of %1").arg(baselineName));
        return;
    }
    m_source->show(toQString(m_text), m_record);
    if (comparing)
        m_sources->baseline()->show(toQString(m_baseline->text), m_baseline->record);
    if (!comparing && !own.empty())
        m_sources->showPtx(toQString(own), programLines(own));
    else
        m_sources->compare(comparing, baselineName);
}

void KernelDetail::annotate(Annotation::Field field, const std::string& value)
{
    if (!m_candidate)
        return;
    Annotation annotation;
    annotation.target = Annotation::Target::Program;
    annotation.key = m_candidate->programHash;
    annotation.field = field;
    annotation.value = value;
    m_session->annotate(annotation);
}

void KernelDetail::toggleStar()
{
    if (m_candidate)
        annotate(Annotation::Field::Star, m_candidate->starred ? "0" : "1");
}

void KernelDetail::togglePin()
{
    if (m_candidate)
        annotate(Annotation::Field::Pin, m_candidate->pinned ? "0" : "1");
}

void KernelDetail::editCopy()
{
    if (!m_candidate)
        return;
    auto* dialog = new EditDialog(m_session, {*m_candidate, m_text, m_record}, m_settings, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void KernelDetail::editNote()
{
    if (!m_candidate)
        return;
    bool ok = false;
    const QString text = QInputDialog::getMultiLineText(this, tr("Note"), tr("About this program:"),
                                                        toQString(m_candidate->note), &ok);
    if (ok)
        annotate(Annotation::Field::Note, text.trimmed().toStdString());
}

void KernelDetail::verifyAgain()
{
    if (!m_candidate || m_judge.running())
        return;
    m_verify->setEnabled(false);
    m_message->showMessage(MessageBar::Level::Info,
                           tr("Judging the program on %1 again…").arg(toQString(m_candidate->target.name)));
    connect(m_message->addAction(tr("Cancel")), &QPushButton::clicked, &m_judge, &ProgramJudge::cancel);
    // As its run did, but with other inputs than ever before: the same ones would find the same again.
    JudgeQuestion question = questionOf(m_text, *m_candidate, m_record, m_settings);
    question.seed = QRandomGenerator::global()->generate();
    m_verdictBefore = m_record ? std::string(nameOf(m_record->verdict)) : std::string();
    m_counts.drop();
    m_judge.ask(m_session, question);
}

void KernelDetail::countLines()
{
    m_counting.clear();
    if (!m_record || !m_record->lines.empty())
        return;
    m_counts.ask(m_session, *m_record, questionOf(m_text, *m_candidate, m_record, m_settings));
    m_counting = m_counts.counting() ? tr("counting in the background…") : tr("nothing of it ran");
}

void KernelDetail::verified(const VerdictRecord& now)
{
    m_verify->setEnabled(true);
    // Written down whatever is shown by now.
    m_session->recordVerification({{}, 0, m_verdictBefore, now});
    Q_EMIT judgedAgain(now);
    if (!m_candidate || now.programHash != m_candidate->programHash ||
        now.target.digest != m_candidate->target.digest)
        return;
    const bool agrees = m_record && now.verdict == m_record->verdict;
    const QString text = now.speedup() > 0
                             ? tr("%1, %2").arg(verdictText(now.verdict), formatRatio(now.speedup()))
                             : verdictText(now.verdict);
    if (!m_record)
        m_message->showMessage(MessageBar::Level::Info, tr("Judged: %1.").arg(text));
    else if (agrees)
        m_message->showMessage(MessageBar::Level::Info,
                               tr("Verified: %1; it was %2 before.")
                                   .arg(text, m_record->speedup() > 0 ? formatRatio(m_record->speedup())
                                                                      : verdictText(m_record->verdict)));
    else
        m_message->showMessage(
            MessageBar::Level::Warning,
            tr("The verdict differs: %1 now, %2 before.").arg(text, verdictText(m_record->verdict)));
    // One verdict on the page: the newest. The list says it at once, the index follows.
    m_candidate->verdict = now.verdict;
    m_candidate->flags = now.flags;
    m_candidate->flags.add(VerdictFlag::VerifiedAgain);
    m_aheadOfIndex = true;
    m_record = now;
    m_countedLater = false;
    countLines();
    showRecord();
}

void KernelDetail::exportKernel()
{
    if (!m_candidate || m_candidate->verdict != Verdict::Correct)
        return;
    auto* dialog = new ExportDialog(m_session, {*m_candidate}, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

} // namespace sparserl
