// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/kernel_detail.h"

#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/target_text.h"
#include "widgets/kernels/code_pane.h"
#include "widgets/kernels/compile_log_view.h"
#include "widgets/kernels/edit_dialog.h"
#include "widgets/kernels/export_dialog.h"
#include "widgets/kernels/kernel_header.h"
#include "widgets/kernels/kernel_tabs.h"
#include "widgets/kernels/sass_bar.h"
#include "widgets/kernels/source_pair.h"
#include "widgets/kernels/source_view.h"
#include "widgets/kernels/verdict_text.h"

#include <QInputDialog>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRandomGenerator>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace sparserl {

namespace {

struct Details
{
    std::string text;
    std::optional<VerdictRecord> record;
    std::map<std::string, ParameterValue> settings;
    std::string source;
    std::int64_t nnz = 0;
    std::vector<LineageRow> lineage; ///< Of a search's program.
};

/// Whether the index holds the verdict that was made here. Each verification has inputs of its own.
bool isSameVerdict(const std::optional<VerdictRecord>& indexed, const VerdictRecord& now)
{
    return indexed && indexed->verdict == now.verdict && indexed->seed == now.seed;
}

} // namespace

KernelDetail::KernelDetail(QWidget* parent)
    : QWidget(parent)
    , m_stack(new QStackedWidget(this))
    , m_header(new KernelHeader(this))
    , m_message(new MessageBar(this))
    , m_code(new CodePane(this))
    , m_tabs(new KernelTabs(this))
{
    auto* nothing = makeMuted(tr("Select a program to see its source and its profile."), this);
    nothing->setAlignment(Qt::AlignCenter);
    m_stack->addWidget(nothing);
    auto* content = new QWidget(this);
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 2, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(m_header);
    layout->addWidget(m_message);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->setObjectName(QStringLiteral("kernels.detail"));
    splitter->setHandleWidth(10);
    splitter->setChildrenCollapsible(false);
    const auto addCard = [&](QWidget* widget, int top) {
        auto* card = makeCard(content);
        auto* inside = new QVBoxLayout(card);
        inside->setContentsMargins(1, top, 1, 1);
        inside->addWidget(widget);
        splitter->addWidget(card);
    };
    addCard(m_code, 1);
    addCard(m_tabs, 2);
    splitter->setSizes({400, 330});
    layout->addWidget(splitter, 1);
    m_stack->addWidget(content);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_stack);
    connectActions();
    connect(m_tabs, &QTabWidget::currentChanged, this, [this] { showOptions(); });
    connect(m_code, &CodePane::compiled, this, [this] { showOptions(); });
    connect(m_code, &CodePane::failed, this, [this](const QString& sentence) {
        showOptions(sentence);
        QToolButton* const listed[] = {m_header->button(KernelAction::Ptx),
                                       m_header->button(KernelAction::Sass)};
        if (!listed[0]->isChecked() && !listed[1]->isChecked())
            return;
        m_message->showMessage(MessageBar::Level::Problem,
                               tr("There is no PTX to show. %1").arg(asSentence(sentence)));
        for (QToolButton* button : listed)
            button->setChecked(false);
    });
    connect(m_code, &CodePane::kindChosen, this, [this](CodeKind kind) {
        QToolButton *ptx = m_header->button(KernelAction::Ptx), *sass = m_header->button(KernelAction::Sass);
        for (QToolButton* other : {ptx, sass})
            if (other != (kind == CodeKind::Ptx ? ptx : kind == CodeKind::Sass ? sass : nullptr))
                other->setChecked(false);
        if (kind != CodeKind::Program)
            (kind == CodeKind::Ptx ? ptx : sass)->setChecked(true);
    });
    connect(m_code, &CodePane::architectureFailed, this, [this](const QString& sentence) {
        m_message->showMessage(MessageBar::Level::Problem, sentence);
    });
    connect(m_code, &CodePane::sassFailed, this, [this](const QString& sentence) {
        m_message->showMessage(MessageBar::Level::Info, tr("There is no SASS to show: %1").arg(sentence));
        m_header->button(KernelAction::Sass)->setChecked(false);
    });
    connect(m_tabs, &KernelTabs::compareAsked, this, &KernelDetail::compareWith);
    connect(m_tabs, &KernelTabs::openAsked, this,
            [this](const CandidateRow& row) { Q_EMIT openAsked(toQString(row.programHash)); });
    connect(m_tabs, &KernelTabs::lineChosen, source(), &SourceView::goToLine);
    connect(&m_judge, &ProgramJudge::judged, this, &KernelDetail::verified);
    connect(&m_judge, &ProgramJudge::failed, this, [this](const QString& sentence) {
        enableActions();
        m_message->showMessage(MessageBar::Level::Problem, sentence);
    });
    connect(&m_counts, &LineCounts::counted, this, [this](const VerdictRecord& record) {
        if (!m_record)
            return;
        m_countedLater = m_countedLater || m_record->lines.empty();
        m_record->lines = record.lines; // of one run with those of the PTX
        m_record->ptxLines = record.ptxLines;
        m_counting.clear();
        showRecord();
    });
    connect(&m_counts, &LineCounts::failed, this, [this](const QString& sentence) {
        m_counting = tr("not counted: %1").arg(sentence);
        source()->setCountState(m_counting);
    });
}

QSize KernelDetail::minimumSizeHint() const
{
    constexpr int halfOfSmallWindows = 450; // what 1,024 pixels leave for list and detail is 902
    return QWidget::minimumSizeHint().expandedTo({halfOfSmallWindows, 0});
}

void KernelDetail::connectActions()
{
    const auto on = [this](KernelAction action, void (KernelDetail::*slot)()) {
        connect(m_header->button(action), &QToolButton::clicked, this, slot);
    };
    on(KernelAction::Pin, &KernelDetail::togglePin);
    on(KernelAction::Edit, &KernelDetail::editCopy);
    on(KernelAction::Star, &KernelDetail::toggleStar);
    on(KernelAction::Note, &KernelDetail::editNote);
    on(KernelAction::Verify, &KernelDetail::verifyAgain);
    on(KernelAction::Compare, &KernelDetail::toggleBaseline);
    on(KernelAction::Export, &KernelDetail::exportAsked);
    connect(m_header->button(KernelAction::Sft), &QToolButton::clicked, this, [this] {
        m_header->showAnnotations(*m_candidate); // what is so, until the index says otherwise
        Q_EMIT sftAsked();
    });
    for (const KernelAction action : {KernelAction::Ptx, KernelAction::Sass})
        connect(m_header->button(action), &QToolButton::toggled, this, [this](bool on) {
            if (on && m_arrived)
                countLines(); // of the listing, where only those of the program are known
        });
    connect(m_header->button(KernelAction::Ptx), &QToolButton::toggled, m_code, &CodePane::setPtxShown);
    connect(m_header->button(KernelAction::Sass), &QToolButton::toggled, m_code, &CodePane::setSassShown);
}

void KernelDetail::enableActions()
{
    m_header->button(KernelAction::Verify)->setEnabled(m_arrived && !m_judge.running());
    m_header->button(KernelAction::Edit)->setEnabled(m_arrived);
    m_header->button(KernelAction::Compare)->setEnabled(m_arrived);
}

void KernelDetail::setSession(ProjectSession* session)
{
    m_session = session;
    m_baseline.reset();
    m_code->setSession(session);
    m_tabs->setSession(session);
    clear();
}

void KernelDetail::clear()
{
    m_jobs.cancel();
    m_baselineJobs.cancel();
    m_judge.drop();
    m_counts.drop();
    m_candidate.reset();
    m_record.reset();
    m_arrived = false;
    enableActions();
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
        m_candidate->inSftSet = candidate.inSftSet;
        m_candidate->note = candidate.note;
        m_header->showAnnotations(candidate);
        return;
    }
    const bool ahead = same && m_aheadOfIndex; // The list may have the verdict before the index has it.
    const bool judgedMeanwhile = ahead || (same && m_candidate->verdict != candidate.verdict);
    m_aheadOfIndex = ahead;
    m_candidate = candidate;
    m_header->showAnnotations(candidate);
    if (same && !judgedMeanwhile)
        return;
    if (!same) {
        m_message->hide();
        m_arrived = false;
        enableActions();
    }
    m_counts.drop();
    m_session->query<Details>(
        m_jobs,
        [project = m_session->path(), id = candidate.id, hash = candidate.programHash,
         digest = candidate.target.contents](ProjectReader& reader) -> Result<Details> {
            SPARSERL_TRY(auto text, reader.programText(hash));
            SPARSERL_TRY(auto record, reader.verdict(id));
            std::map<std::string, ParameterValue> settings;
            std::string source;
            if (id.run == writtenPrograms) {
                if (auto written = readWrittenProgram(project, id.seq)) {
                    settings = std::move(written->settings);
                    source = std::move(written->source);
                }
            } else if (auto config = reader.runConfig(id.run)) { // a run whose folder went has none
                settings = std::move(config->parameters);
            }
            std::int64_t nnz = -1;
            if (const auto matrices = reader.matrices())
                for (const MatrixRow& matrix : *matrices)
                    if (matrix.digest == digest)
                        nnz = matrix.nnz;
            SPARSERL_TRY(auto lineage, reader.lineage(id));
            return Details{std::move(text),   std::move(record), std::move(settings), std::move(source), nnz,
                           std::move(lineage)};
        },
        [this, ahead](Result<Details> details) {
            if (!details) {
                Q_EMIT problem(sentenceOf(details.error()));
                return;
            }
            if (ahead && m_record && !isSameVerdict(details->record, *m_record)) {
                countLines();
                showRecord();
                return;
            }
            m_aheadOfIndex = false;
            m_text = details->text;
            m_record = details->record;
            m_settings = details->settings;
            m_candidate->source = details->source;
            m_nnz = details->nnz;
            m_lineage = std::move(details->lineage);
            m_arrived = true;
            enableActions();
            m_countedLater = false;
            countLines();
            showRecord();
            m_stack->setCurrentIndex(1);
        });
}

void KernelDetail::showRecord()
{
    m_header->showVerdict(*m_candidate, m_record);
    showComparison();
    source()->setCountState(m_counting);
    m_tabs->show(*m_candidate, m_record, m_countedLater, m_lineage);
    showOptions();
}

SourceView* KernelDetail::source() const
{
    return m_code->source();
}

SourcePair* KernelDetail::sources() const
{
    return m_code->sources();
}

void KernelDetail::toggleBaseline()
{
    if (!m_arrived)
        return;
    if (m_baseline)
        m_baseline.reset();
    else
        m_baseline = ComparedProgram{*m_candidate, m_text, m_record};
    showComparison();
}

void KernelDetail::compareWith(const CandidateRow& baseline)
{
    m_session->query<ComparedProgram>(
        m_baselineJobs,
        [baseline](ProjectReader& reader) -> Result<ComparedProgram> {
            SPARSERL_TRY(auto text, reader.programText(baseline.programHash));
            SPARSERL_TRY(auto record, reader.verdict(baseline.id));
            return ComparedProgram{baseline, std::move(text), std::move(record)};
        },
        [this](Result<ComparedProgram> program) {
            if (!program) {
                Q_EMIT problem(sentenceOf(program.error()));
                return;
            }
            m_baseline = std::move(*program);
            showComparison();
        });
}

void KernelDetail::showComparison()
{
    if (!m_arrived)
        return;
    const bool itself = m_baseline && m_candidate && m_baseline->candidate.id == m_candidate->id;
    if (itself)
        m_baseline->record = m_record; // with what was counted since
    const bool other = m_baseline && !itself;
    QString name;
    if (m_baseline)
        name =
            tr("%1 on %2")
                .arg(shortHash(m_baseline->candidate.programHash), targetText(m_baseline->candidate.target));
    QToolButton* compare = m_header->button(KernelAction::Compare);
    compare->setChecked(m_baseline.has_value());
    compare->setToolTip(
        !m_baseline ? tr("Compare every other program with this one")
        : itself    ? tr("Baseline set. Choose a program to compare, or press again to stop comparing.")
                    : tr("End the comparison with %1").arg(name));
    m_code->show({*m_candidate, m_text, m_record}, other ? m_baseline : std::nullopt, name);
    m_tabs->compare(m_record, other ? m_baseline->record : std::nullopt, m_nnz);
}

void KernelDetail::showOptions(const QString& problem)
{
    if (!m_arrived)
        return;
    const QString options = m_code->options();
    m_tabs->log()->setOptions(options, problem);
    const bool compilable = !m_record || !neverCompiled(*m_record);
    if (options.isEmpty() && problem.isEmpty() && compilable && m_tabs->currentWidget() == m_tabs->log())
        m_code->askOptions();
}

void KernelDetail::togglePtx()
{
    m_header->button(KernelAction::Ptx)->toggle();
}

void KernelDetail::toggleSass()
{
    m_header->button(KernelAction::Sass)->toggle();
}

void KernelDetail::toggleControls()
{
    const bool on = !m_code->sassBar()->controlsShown();
    m_code->sassBar()->setControlsShown(on);
    if (QToolButton* sass = m_header->button(KernelAction::Sass); on && !sass->isChecked())
        sass->toggle();
}

void KernelDetail::explainInstruction()
{
    if (!m_arrived || m_code->explain())
        return;
    if (m_code->comparing()) {
        tell(tr("Compare the PTX or the SASS of both programs: their instructions can be explained."));
        return;
    }
    m_code->explainLater();
    m_header->button(KernelAction::Ptx)->setChecked(true);
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

void KernelDetail::tell(const QString& sentence)
{
    m_message->showMessage(MessageBar::Level::Info, sentence);
}

void KernelDetail::editCopy()
{
    if (!m_arrived)
        return;
    auto* dialog = new EditDialog(m_session, {*m_candidate, m_text, m_record}, m_settings, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void KernelDetail::editNote()
{
    if (!m_candidate)
        return;
    QInputDialog dialog(this);
    dialog.setOption(QInputDialog::UsePlainTextEditForTextInput);
    dialog.setWindowTitle(tr("Note"));
    dialog.setLabelText(tr("About this program:"));
    dialog.setTextValue(toQString(m_candidate->note));
    if (auto* note = dialog.findChild<QPlainTextEdit*>()) // Tab leads to the buttons, as in every form
        note->setTabChangesFocus(true);
    if (dialog.exec() == QDialog::Accepted)
        annotate(Annotation::Field::Note, dialog.textValue().trimmed().toStdString());
}

void KernelDetail::verifyAgain()
{
    if (!m_arrived || m_judge.running())
        return;
    m_message->showMessage(MessageBar::Level::Info,
                           tr("Judging the program on %1 again…").arg(targetText(m_candidate->target)));
    connect(m_message->addAction(tr("Cancel")), &QPushButton::clicked, &m_judge, &ProgramJudge::cancel);
    // As its run did, but with other inputs than ever before: the same ones would find the same again.
    JudgeQuestion question = questionOf(m_text, *m_candidate, m_record, m_settings);
    question.seed = QRandomGenerator::global()->generate();
    m_verdictBefore = m_record ? std::string(nameOf(m_record->verdict)) : std::string();
    m_counts.drop();
    m_judge.ask(m_session, question);
    enableActions();
}

void KernelDetail::countLines()
{
    if (m_counts.counting())
        return;
    const bool listings =
        m_header->button(KernelAction::Ptx)->isChecked() || m_header->button(KernelAction::Sass)->isChecked();
    m_counting.clear();
    if (!m_record || (!m_record->lines.empty() && (!listings || !m_record->ptxLines.empty())))
        return;
    m_counts.ask(m_session, *m_record, questionOf(m_text, *m_candidate, m_record, m_settings));
    if (!m_record->lines.empty())
        return; // what is counted now is for the listings alone
    m_counting = m_counts.counting()           ? tr("counting in the background…")
                 : !LineCounts::ran(*m_record) ? tr("no part of it ran")
                                               : tr("not counted: the project is read-only");
}

void KernelDetail::verified(const VerdictRecord& now)
{
    enableActions();
    // Written down whatever is shown by now.
    m_session->recordVerification({{}, 0, m_verdictBefore, now});
    Q_EMIT judgedAgain(now);
    if (!m_candidate || now.programHash != m_candidate->programHash ||
        now.target.key() != m_candidate->target.key())
        return;
    const JudgedAgain said = judgedAgainText(m_record, now);
    m_message->showMessage(said.differs ? MessageBar::Level::Warning : MessageBar::Level::Info,
                           said.sentence);
    // One verdict on the page: the newest. The list says it at once, the index follows.
    m_candidate->verdict = now.verdict;
    m_candidate->flags = listedFlags(now);
    m_candidate->flags.add(VerdictFlag::VerifiedAgain);
    m_aheadOfIndex = true;
    m_record = now;
    m_countedLater = false;
    countLines();
    showRecord();
}

void KernelDetail::exportKernel()
{
    if (!m_candidate)
        return;
    if (m_candidate->verdict != Verdict::Correct) {
        m_message->showMessage(MessageBar::Level::Info,
                               tr("Only a program that was found correct can be exported."));
        return;
    }
    auto* dialog = new ExportDialog(m_session, {*m_candidate}, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

} // namespace sparserl
