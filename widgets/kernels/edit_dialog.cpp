// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/edit_dialog.h"

#include "base/hash.h"
#include "verdict/names.h"
#include "widgets/common/delegates.h"
#include "widgets/common/format.h"
#include "widgets/common/new_file.h"
#include "widgets/common/panels.h"
#include "widgets/common/target_text.h"
#include "widgets/common/theme.h"
#include "widgets/common/typed_path.h"
#include "widgets/kernels/copy_code.h"
#include "widgets/kernels/profile_view.h"
#include "widgets/kernels/source_pair.h"
#include "widgets/kernels/source_view.h"
#include "widgets/kernels/verdict_text.h"

#include "widgets/kernels/scintilla.h"
#include <QDialogButtonBox>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QShortcut>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>
#include <utility>

namespace sparserl {

EditDialog::EditDialog(ProjectSession* session, ComparedProgram original,
                       const std::map<std::string, ParameterValue>& settings, QWidget* parent)
    : QDialog(parent)
    , m_session(session)
    , m_original(std::move(original))
    , m_settings(settings)
    , m_sources(new SourcePair(this))
    , m_profile(new ProfileView(this))
    , m_badge(new BadgeLabel(this))
    , m_outcome(new QLabel(tr("Not judged yet."), this))
    , m_typing(new QTimer(this))
{
    setWindowTitle(
        tr("A copy of %1 for %2")
            .arg(shortHash(m_original.candidate.programHash), targetText(m_original.candidate.target)));
    resize(atTextSize(1000), atTextSize(700));
    m_outcome->setWordWrap(true);
    m_outcome->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_badge->hide();
    auto* layout = new QVBoxLayout(this);
    auto* splitter = new QSplitter(Qt::Vertical, this);
    splitter->setChildrenCollapsible(false);
    auto* lower = new QWidget(splitter);
    auto* lowerLayout = new QVBoxLayout(lower);
    lowerLayout->setContentsMargins(0, 4, 0, 0);
    auto* across = new QHBoxLayout;
    across->addWidget(m_badge);
    across->addWidget(m_outcome, 1);
    lowerLayout->addLayout(across);
    lowerLayout->addWidget(m_profile, 1);
    auto* upper = new QWidget(splitter);
    auto* upperLayout = new QVBoxLayout(upper);
    upperLayout->setContentsMargins(0, 0, 0, 0);
    const auto compare = [this] { m_sources->compare(true, tr("the original")); };
    m_code = new CopyCode(
        m_session, m_sources, [this] { return text().toStdString(); },
        [this, compare] {
            m_sources->baseline()->showProgram(toQString(m_original.text), m_original.record);
            compare();
        },
        upper);
    upperLayout->addWidget(m_code);
    upperLayout->addWidget(m_sources, 1);
    splitter->addWidget(upper);
    splitter->addWidget(lower);
    splitter->setSizes({470, 230});
    layout->addWidget(splitter, 1);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_evaluate = buttons->addButton(tr("&Evaluate"), QDialogButtonBox::ActionRole);
    makePrimary(m_evaluate);
    m_evaluate->setToolTip(
        tr("Judge this text on the matrix with the settings of the original's run (Ctrl+Return)"));
    m_evaluate->setAutoDefault(false);
    auto* save = buttons->addButton(tr("&Save as…"), QDialogButtonBox::ActionRole);
    save->setAutoDefault(false);
    buttons->button(QDialogButtonBox::Close)->setAutoDefault(false);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_evaluate, &QPushButton::clicked, this, &EditDialog::evaluate);
    connect(save, &QPushButton::clicked, this, &EditDialog::save);
    connect(new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_Return), this), &QShortcut::activated, this,
            &EditDialog::evaluate);
    connect(new QShortcut(QKeySequence(Qt::Key_F7), this), &QShortcut::activated, m_sources,
            &SourcePair::nextDifference);
    connect(new QShortcut(QKeySequence(Qt::SHIFT | Qt::Key_F7), this), &QShortcut::activated, m_sources,
            &SourcePair::previousDifference);

    m_sources->source()->showProgram(toQString(m_original.text), {});
    m_code->refresh();
    QsciScintilla* editor = m_sources->source()->editor();
    editor->setReadOnly(false);
    editor->setAutoIndent(true);
    editor->setIndentationsUseTabs(false);
    editor->setAccessibleName(tr("The copy, for editing"));
    editor->setFocus();
    m_typing->setSingleShot(true);
    m_typing->setInterval(250);
    connect(editor, &QsciScintilla::textChanged, m_typing, qOverload<>(&QTimer::start));
    connect(m_typing, &QTimer::timeout, m_code, &CopyCode::refresh);
    connect(&m_judge, &ProgramJudge::judged, this, &EditDialog::judged);
    connect(&m_judge, &ProgramJudge::failed, this, [this](const QString& sentence) {
        setRunning(false);
        m_outcome->setText(sentence);
    });
}

QString EditDialog::text() const
{
    return m_sources->source()->editor()->text();
}

void EditDialog::setRunning(bool running)
{
    m_evaluate->setText(running ? tr("&Cancel") : tr("&Evaluate"));
    m_sources->source()->editor()->setReadOnly(running); // the verdict is about what stands there
}

void EditDialog::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Cancel) && m_judge.running())
        m_judge.cancel();
    else
        QDialog::keyPressEvent(event);
}

void EditDialog::evaluate()
{
    if (m_judge.running()) {
        m_judge.cancel();
        return;
    }
    setRunning(true);
    m_badge->hide();
    JudgeQuestion question =
        questionOf(text().toStdString(), m_original.candidate, m_original.record, m_settings);
    question.taskOfPlan = question.text != m_original.text; // the plan may have been edited, too
    m_outcome->setText(tr("Judging the copy on %1…").arg(toQString(question.target.name)));
    m_judge.ask(m_session, std::move(question));
}

void EditDialog::judged(const VerdictRecord& record)
{
    setRunning(false);
    m_badge->setBadge(verdictText(record.verdict), verdictTone(record.verdict));
    m_badge->show();
    QStringList sentences;
    if (record.correct() && record.speedup() > 0)
        sentences.append(
            m_original.record && m_original.record->speedup() > 0
                ? tr("%1 over the baseline; the original has %2.")
                      .arg(formatRatio(record.speedup()), formatRatio(m_original.record->speedup()))
                : tr("%1 over the baseline; the original was not timed.").arg(formatRatio(record.speedup())));
    if (!record.message.empty())
        sentences.append(toQString(record.message));
    if (const QString wrong = wrongElementText(record); !wrong.isEmpty())
        sentences.append(tr("First wrong element: %1.").arg(wrong));
    if (const QString place = placeText(record); !place.isEmpty())
        sentences.append(tr("Where: %1.").arg(place));
    m_outcome->setText(sentences.isEmpty() ? verdictHelp(record.verdict) : sentences.join(QLatin1Char('\n')));
    m_sources->source()->showProgram(text(), record);
    m_code->refresh();
    m_profile->show(record, m_original.record);
    keep(record, [this](const Status& kept) {
        if (!kept)
            m_outcome->setText(m_outcome->text() + QLatin1Char('\n') + keptProblem(kept.error()));
    });
}

void EditDialog::keep(const std::optional<VerdictRecord>& record, std::function<void(const Status&)> then)
{
    WrittenProgram program;
    program.text = text().toStdString();
    const std::string hash = sha256Hex(program.text);
    const auto known = m_kept.find(hash);
    if (hash == m_original.candidate.programHash || (known != m_kept.end() && (known->second || !record))) {
        // A program that the list has: that it was judged again is what is new.
        if (record)
            m_session->recordVerification({{}, 0, {}, *record});
        then({});
        return;
    }
    program.origin = sample_origin::hand;
    program.source = m_original.candidate.programHash;
    program.target = record ? record->target : m_original.candidate.target;
    program.target.name = m_original.candidate.target.name;
    if (record)
        program.family = m_judge.family();
    program.settings = m_settings;
    program.record = record;
    m_kept[hash] = record.has_value();
    m_session->keepProgram(std::move(program), this,
                           [this, hash, then = std::move(then)](const Status& kept) {
                               if (!kept)
                                   m_kept.erase(hash);
                               then(kept);
                           });
}

QString EditDialog::keptProblem(const Error& error)
{
    return tr("The copy could not be kept: %1").arg(sentenceOf(error));
}

void EditDialog::done(int result)
{
    if (m_closing)
        return;
    const std::string now = text().toStdString();
    if (now == m_original.text || text().trimmed().isEmpty() || now == m_lost) {
        QDialog::done(result);
        return;
    }
    m_closing = result;
    // A verdict that is being written may fail to be: then the text is not kept yet.
    m_session->afterWrites(this, [this, now] {
        keep({}, [this, now](const Status& kept) {
            const int with = *std::exchange(m_closing, {});
            if (kept) {
                QDialog::done(with);
                return;
            }
            m_lost = now;
            m_outcome->setText(keptProblem(kept.error()) + QLatin1Char('\n') +
                               tr("Save the copy as a file, or close the window again to discard the copy."));
        });
    });
}

void EditDialog::save()
{
    const QString file =
        chooseNewFile(this, tr("Save the copy"), QStringLiteral("program.cu"), tr("Kernel programs (*.cu)"));
    if (file.isEmpty())
        return;
    const Status saved = saveFile(file, text().toUtf8());
    m_outcome->setText(saved ? tr("The copy is in %1.").arg(file)
                             : tr("The copy could not be saved: %1").arg(sentenceOf(saved.error())));
}

} // namespace sparserl
