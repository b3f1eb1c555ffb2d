// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/model_dialog.h"

#include "base/json.h"
#include "widgets/common/busy_bar.h"
#include "widgets/common/form_row.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/policy_box.h"
#include "widgets/common/theme.h"
#include "widgets/common/typed_path.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

namespace sparserl {

ModelDialog::ModelDialog(std::filesystem::path project, QWidget* parent)
    : QDialog(parent)
    , m_project(std::move(project))
    , m_model(new QLineEdit(this))
    , m_folder(new QLineEdit(this))
    , m_inWords(new QCheckBox(tr("&Describe matrices to it in words"), this))
    , m_entries(new QSpinBox(this))
    , m_busy(makeBusyBar(this))
    , m_outcome(new QLabel(this))
{
    setObjectName(QStringLiteral("model"));
    setWindowTitle(tr("Import a model"));
    resize(atTextSize(620), atTextSize(380));
    auto* about = makeMuted(
        tr("Makes a policy from a pretrained model (T5, llama, qwen2, qwen3 or glm4), which is a folder with "
           "config.json, model.safetensors and the tokenizer's files, or a GGUF file. The new policy needs "
           "fine-tuning before it can write programs; Training > New run offers it."),
        this);
    about->setWordWrap(true);
    m_inWords->setToolTip(tr("The policy then reads entries of a matrix as text, in place of the matrix "
                             "embedding. Other servers, such as vLLM, can then sample for its training. A T5 "
                             "cannot be imported in this way."));
    m_entries->setButtonSymbols(QAbstractSpinBox::NoButtons);
    m_entries->setRange(1, 4096);
    m_entries->setValue(64);
    m_entries->setEnabled(false);
    m_outcome->setWordWrap(true);
    m_outcome->setTextFormat(Qt::PlainText); // names of files and of a model's parts
    m_outcome->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);

    auto* form = new QFormLayout;
    auto* folder = makeToolButton(QStringLiteral("open"), {}, tr("Choose a folder with a model"), this);
    auto* file = makeToolButton(QStringLiteral("import"), {}, tr("Choose a GGUF file to import"), this);
    auto* from = new QHBoxLayout;
    from->addWidget(m_model, 1);
    from->addWidget(folder);
    from->addWidget(file);
    addFormRow(form, tr("&Model"), m_model, from);
    addFormRow(form, tr("&New policy"), m_folder);
    form->addRow(QString(), m_inWords);
    addFormRow(form, tr("&Entries in words"), m_entries);
    levelLabels(form);
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(about);
    layout->addLayout(form);
    layout->addWidget(m_busy);
    layout->addWidget(m_outcome);
    layout->addStretch();
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_start = buttons->addButton(tr("&Import"), QDialogButtonBox::ActionRole);
    makePrimary(m_start);
    m_start->setDefault(true);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_start, &QPushButton::clicked, this, &ModelDialog::start);
    connect(m_inWords, &QCheckBox::toggled, m_entries, &QSpinBox::setEnabled);
    connect(m_model, &QLineEdit::textChanged, this, &ModelDialog::propose);
    connect(folder, &QToolButton::clicked, this, [this] {
        const QString path = QFileDialog::getExistingDirectory(this, tr("Folder of the model"));
        if (!path.isEmpty())
            m_model->setText(path);
    });
    connect(file, &QToolButton::clicked, this, [this] {
        const QString path = QFileDialog::getOpenFileName(this, tr("GGUF file"), {}, tr("GGUF (*.gguf)"));
        if (!path.isEmpty())
            m_model->setText(path);
    });
    connect(&m_command, &CommandJob::finished, this, &ModelDialog::ended);
    propose();
}

/// A folder named as the model, unless the user has entered another one.
void ModelDialog::propose()
{
    if (m_folder->text() != m_proposed)
        return;
    const std::filesystem::path model = QDir::cleanPath(m_model->text().trimmed()).toStdString();
    std::string name = model.filename().string();
    if (model.extension() == ".gguf")
        name = model.stem().string();
    if (name.empty() || name == ".")
        name = "model";
    const std::filesystem::path place =
        m_project.empty() ? std::filesystem::path(QDir::homePath().toStdString()) : m_project;
    m_proposed = toQString((place / policiesFolder / name).string());
    m_folder->setText(m_proposed);
}

void ModelDialog::setRunning(bool running)
{
    m_busy->setVisible(running);
    for (QWidget* field :
         {static_cast<QWidget*>(m_model), static_cast<QWidget*>(m_folder), static_cast<QWidget*>(m_inWords)})
        field->setEnabled(!running);
    m_entries->setEnabled(!running && m_inWords->isChecked());
    m_start->setText(running ? tr("&Cancel") : tr("&Import"));
}

void ModelDialog::start()
{
    if (m_command.running()) {
        m_command.cancel();
        return;
    }
    if (m_model->text().trimmed().isEmpty()) {
        m_outcome->setText(tr("Choose a folder or a file with a model."));
        return;
    }
    const auto from = typedPath(m_model->text()), to = typedPath(m_folder->text());
    if (!from || !to) {
        m_outcome->setText(sentenceOf(from ? to.error() : from.error()));
        return;
    }
    m_outcome->setText(tr("The weights are read and written…"));
    QStringList arguments{QStringLiteral("policy"), QStringLiteral("import"), toQString(from->string())};
    arguments << CommandJob::options({{"out", toQString(to->string())}});
    if (m_inWords->isChecked())
        arguments << CommandJob::options({{"text-entries", QString::number(m_entries->value())}});
    m_command.start(to->parent_path(), arguments);
    setRunning(m_command.running());
}

void ModelDialog::ended(const std::vector<nlohmann::json>& lines, const QString& problem)
{
    setRunning(false);
    if (!problem.isEmpty()) {
        m_outcome->setText(asSentence(problem));
        return;
    }
    QStringList sentences;
    for (const nlohmann::json& line : lines) {
        if (!line.contains("new_weights"))
            continue;
        sentences << tr("The policy is in %1: %2 weights, %3 of them new, and a vocabulary of %4 tokens.")
                         .arg(toQString(jsonValue(line, "policy", std::string())),
                              formatCount(jsonValue(line, "weights", std::int64_t(0))),
                              formatCount(jsonValue(line, "new_weights", std::int64_t(0))),
                              formatCount(jsonValue(line, "vocabulary", std::int64_t(0))));
        if (const auto chat = jsonValue(line, "chat", std::string()); !chat.empty())
            sentences << tr("Its chat format is %1.").arg(toQString(chat));
        sentences << tr("Training > New run offers it in \"Start from\".");
    }
    m_outcome->setText(sentences.join(QLatin1Char(' ')));
}

} // namespace sparserl
