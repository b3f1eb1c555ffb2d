// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/endpoints_dialog.h"

#include "base/json.h"
#include "endpoint/endpoint_tests.h"
#include "widgets/common/busy_bar.h"
#include "widgets/common/form_row.h"
#include "widgets/common/format.h"
#include "widgets/common/panels.h"
#include "widgets/common/plain_text.h"
#include "widgets/common/theme.h"

#include <QComboBox>
#include <QDateTime>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace sparserl {

namespace {

enum Column
{
    NameColumn,
    ModelColumn,
    AddressColumn,
    KeyColumn,
    Columns
};

enum class KeyKind
{
    None,
    Variable,
    File
};

/// Where the key is. The key itself is nowhere in the window.
QString keyText(const EndpointSettings& endpoint)
{
    if (!endpoint.keyVariable.empty())
        return EndpointsDialog::tr("in the variable %1").arg(toQString(endpoint.keyVariable));
    if (!endpoint.keyFile.empty())
        return EndpointsDialog::tr("in the file %1").arg(toQString(endpoint.keyFile));
    return EndpointsDialog::tr("none");
}

/// What the server can do, and what this is for.
QString capabilityText(EndpointCapability capability)
{
    switch (capability) {
    case EndpointCapability::Models:
        return EndpointsDialog::tr("Lists the model");
    case EndpointCapability::Chat:
        return EndpointsDialog::tr("Chat, for Generate, Search and \"evaluate\"");
    case EndpointCapability::Streaming:
        return EndpointsDialog::tr("Streaming of answers");
    case EndpointCapability::Completions:
        return EndpointsDialog::tr("Completions, for sampling in training");
    case EndpointCapability::PromptTokens:
        return EndpointsDialog::tr("Prompts as token IDs, for sampling in training");
    case EndpointCapability::TokenIds:
        return EndpointsDialog::tr("IDs of drawn tokens, for sampling in training");
    case EndpointCapability::LogProbs:
        return EndpointsDialog::tr("Log-probabilities, for sampling in training");
    case EndpointCapability::Adapters:
        break;
    }
    return EndpointsDialog::tr("Loading of adapters, for sampling in training");
}

QLabel* makeWrapped(const QString& text, QWidget* parent)
{
    auto* label = makeMuted(text, parent);
    label->setWordWrap(true);
    return label;
}

} // namespace

EndpointsDialog::EndpointsDialog(QWidget* parent)
    : QDialog(parent)
    , m_table(new QTableWidget(0, Columns, this))
    , m_capabilities(new QTableWidget(0, 2, this))
    , m_busy(makeBusyBar(this))
    , m_outcome(new QLabel(this))
    , m_testedAt(makeWrapped({}, this))
{
    setObjectName(QStringLiteral("endpoints"));
    setWindowTitle(tr("Models on servers"));
    resize(atTextSize(820), atTextSize(640));
    styleTable(m_table);
    m_table->setAccessibleName(tr("Endpoints"));
    m_table->setHorizontalHeaderLabels({tr("Name"), tr("Model"), tr("Address"), tr("Key")});
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    fitColumns(m_table,
               {QStringLiteral("a longer name"), QStringLiteral("a model with a name"),
                QStringLiteral("https://api.example.com/v1"), QStringLiteral("in the variable EXAMPLE_KEY")},
               AddressColumn);
    tellWhenEmpty(m_table, tr("There are no endpoints yet."));
    styleTable(m_capabilities);
    m_capabilities->setAccessibleName(tr("What the server can do"));
    m_capabilities->setHorizontalHeaderLabels({tr("The server"), tr("Result")});
    m_capabilities->setSelectionMode(QAbstractItemView::NoSelection);
    fitColumns(m_capabilities,
               {tr("Prompts as token IDs, for sampling in training"), QStringLiteral("no: it answers 404")},
               1);
    m_outcome->setWordWrap(true);
    m_outcome->setTextFormat(Qt::PlainText); // the words of servers
    m_outcome->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);

    auto* layout = new QVBoxLayout(this);
    layout->addWidget(makeWrapped(
        tr("An endpoint is a model on a server that speaks OpenAI's interface. Endpoints write programs in "
           "Kernels > Generate and Kernels > Search, and the \"evaluate\" stage compares them with policies. "
           "Requests hold the structure of a matrix, but neither its name nor its values."),
        this));
    layout->addWidget(m_table, 1);
    layout->addWidget(m_busy);
    layout->addWidget(m_outcome);
    layout->addWidget(m_testedAt);
    layout->addWidget(m_capabilities, 1);
    layout->addWidget(makeWrapped(tr("Endpoints are kept in %1. Edit this file to change or remove them.")
                                      .arg(toQString(endpointsFile().string())),
                                  this));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    m_add = buttons->addButton(tr("&Add…"), QDialogButtonBox::ActionRole);
    m_test = buttons->addButton(tr("&Test"), QDialogButtonBox::ActionRole);
    m_test->setToolTip(
        tr("Asks the server for the list of its models, its model for one word, and tests with a few "
           "more tokens what else the server can do. The result is kept."));
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_add, &QPushButton::clicked, this, &EndpointsDialog::add);
    connect(m_test, &QPushButton::clicked, this, &EndpointsDialog::test);
    connect(m_table, &QTableWidget::itemSelectionChanged, this, &EndpointsDialog::updateButtons);
    connect(m_table, &QTableWidget::itemSelectionChanged, this, &EndpointsDialog::showLastTest);
    connect(&m_command, &CommandJob::finished, this, &EndpointsDialog::told);
    fill({});
}

void EndpointsDialog::fill(const QString& chosen)
{
    m_table->setRowCount(0);
    const auto endpoints = readEndpoints();
    if (!endpoints)
        m_outcome->setText(sentenceOf(endpoints.error()));
    m_endpoints = endpoints ? *endpoints : std::vector<EndpointSettings>();
    for (const EndpointSettings& one : m_endpoints) {
        const int row = m_table->rowCount();
        m_table->insertRow(row);
        const QString texts[] = {toQString(one.name), toQString(one.model), toQString(one.url), keyText(one)};
        for (int column = 0; column < Columns; ++column) {
            auto* item = new QTableWidgetItem(texts[column]);
            item->setToolTip(texts[column]);
            m_table->setItem(row, column, item);
        }
        if (texts[NameColumn] == chosen || (chosen.isEmpty() && row == 0))
            m_table->selectRow(row);
    }
    updateButtons();
    showLastTest();
}

void EndpointsDialog::showLastTest()
{
    const int row = m_table->currentRow();
    const auto test = row >= 0 && row < static_cast<int>(m_endpoints.size())
                          ? lastEndpointTest(m_endpoints[static_cast<std::size_t>(row)])
                          : std::nullopt;
    if (!test)
        showCapabilities({}, row >= 0 ? tr("This endpoint has not been tested yet.") : QString());
    else
        showCapabilities(test->tested, tr("Tested on %1:")
                                           .arg(QLocale().toString(
                                               QDateTime::fromSecsSinceEpoch(static_cast<qint64>(test->time)),
                                               QLocale::ShortFormat)));
}

void EndpointsDialog::showCapabilities(const std::vector<TestedCapability>& tested, const QString& when)
{
    m_testedAt->setText(when);
    m_testedAt->setVisible(!when.isEmpty());
    m_capabilities->setVisible(!tested.empty());
    m_capabilities->setRowCount(static_cast<int>(tested.size()));
    for (int row = 0; row < m_capabilities->rowCount(); ++row) {
        const TestedCapability& one = tested[static_cast<std::size_t>(row)];
        const QString texts[] = {capabilityText(one.capability),
                                 one.available ? tr("yes")
                                 : one.reason.empty()
                                     ? tr("no")
                                     : tr("no: %1").arg(toQString(one.reason).simplified().left(300))};
        for (int column = 0; column < 2; ++column) {
            auto* item = new QTableWidgetItem(texts[column]);
            item->setToolTip(wrappedTip(texts[column]));
            m_capabilities->setItem(row, column, item);
        }
    }
}

void EndpointsDialog::updateButtons()
{
    const bool busy = m_command.running();
    m_busy->setVisible(busy);
    m_test->setText(busy ? tr("&Cancel") : tr("&Test"));
    m_test->setEnabled(busy || m_table->currentRow() >= 0);
    m_add->setEnabled(!busy);
}

void EndpointsDialog::test()
{
    if (m_command.running()) {
        m_command.cancel();
        return;
    }
    const int row = m_table->currentRow();
    if (row < 0)
        return;
    m_tested = m_table->item(row, NameColumn)->text();
    m_outcome->setText(tr("Asking %1…").arg(m_tested));
    m_command.start(endpointsFile().parent_path(),
                    {QStringLiteral("endpoint"), QStringLiteral("test"), m_tested});
    updateButtons();
}

void EndpointsDialog::told(const std::vector<nlohmann::json>& lines, const QString& problem)
{
    QStringList sentences;
    for (const nlohmann::json& line : lines) {
        if (!line.contains("offered"))
            continue;
        const auto models = jsonValue(line, "models", std::vector<std::string>());
        const QString model = toQString(jsonValue(line, "model", std::string()));
        if (line.contains("capabilities"))
            showCapabilities(testedCapabilitiesFromJson(line["capabilities"]),
                             tr("Just tested %1:").arg(m_tested));
        if (line.contains("answer"))
            sentences << tr("%1 answers: %2")
                             .arg(m_tested,
                                  toQString(jsonValue(line, "answer", std::string())).simplified().left(200));
        if (!line.contains("models"))
            sentences << tr("The server gives no list of its models.");
        else if (!jsonValue(line, "offered", false))
            sentences << tr("The server does not list the model %1. It lists: %2.").arg(model, [&] {
                QStringList names;
                for (std::size_t i = 0; i < std::min<std::size_t>(models.size(), 10); ++i)
                    names << toQString(models[i]);
                return names.isEmpty() ? tr("none") : names.join(QStringLiteral(", "));
            }());
    }
    if (!problem.isEmpty())
        sentences.prepend(asSentence(problem));
    m_outcome->setText(sentences.join(QLatin1Char('\n')));
    updateButtons();
}

void EndpointsDialog::add()
{
    auto* dialog = new NewEndpointDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog] {
        m_outcome->setText(tr("Added. \"Test\" asks whether its server answers."));
        fill(toQString(dialog->settings().name));
    });
    dialog->open();
}

NewEndpointDialog::NewEndpointDialog(QWidget* parent)
    : QDialog(parent)
    , m_name(new QLineEdit(this))
    , m_url(new QLineEdit(this))
    , m_model(new QLineEdit(this))
    , m_key(new QLineEdit(this))
    , m_keyKind(new QComboBox(this))
    , m_requests(new QSpinBox(this))
    , m_tokens(new QSpinBox(this))
    , m_concurrent(new QSpinBox(this))
    , m_problem(new QLabel(this))
{
    setObjectName(QStringLiteral("new-endpoint"));
    setWindowTitle(tr("New endpoint"));
    resize(atTextSize(560), atTextSize(380));
    m_url->setPlaceholderText(QStringLiteral("http://127.0.0.1:8000/v1"));
    m_url->setToolTip(tr("The address of the server up to and including the version"));
    m_model->setToolTip(tr("As the server names it"));
    m_keyKind->addItem(tr("none"), static_cast<int>(KeyKind::None));
    m_keyKind->addItem(tr("in an environment variable"), static_cast<int>(KeyKind::Variable));
    m_keyKind->addItem(tr("in a file that only you may read"), static_cast<int>(KeyKind::File));
    m_keyKind->setToolTip(tr("The key itself is never stored."));
    const EndpointSettings usual;
    for (QSpinBox* box : {m_requests, m_tokens, m_concurrent}) {
        box->setButtonSymbols(QAbstractSpinBox::NoButtons);
        box->setGroupSeparatorShown(true);
    }
    m_requests->setRange(1, 1'000'000);
    m_requests->setValue(static_cast<int>(usual.requestsPerMinute));
    m_tokens->setRange(1, 2'000'000'000);
    m_tokens->setValue(static_cast<int>(usual.mostTokens));
    m_tokens->setToolTip(tr("Tokens, read and written together, that one command or run may use"));
    m_concurrent->setRange(1, 256);
    m_concurrent->setValue(usual.concurrent);
    m_problem->setProperty("bad", true);
    m_problem->setWordWrap(true);
    m_problem->hide();

    auto* form = new QFormLayout;
    addFormRow(form, tr("&Name"), m_name);
    addFormRow(form, tr("A&ddress"), m_url);
    addFormRow(form, tr("&Model"), m_model);
    addFormRow(form, tr("&Key"), m_keyKind);
    addFormRow(form, tr("&Variable or file"), m_key);
    addFormRow(form, tr("&Requests per minute"), m_requests);
    addFormRow(form, tr("Most &tokens"), m_tokens);
    addFormRow(form, tr("Requests at the &same time"), m_concurrent);
    levelLabels(form);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(form);
    layout->addWidget(m_problem);
    layout->addStretch();
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    makePrimary(buttons->addButton(tr("&Add"), QDialogButtonBox::AcceptRole));
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    const auto follow = [this] {
        m_key->setEnabled(static_cast<KeyKind>(m_keyKind->currentData().toInt()) != KeyKind::None);
    };
    connect(m_keyKind, &QComboBox::currentIndexChanged, this, follow);
    follow();
}

EndpointSettings NewEndpointDialog::settings() const
{
    EndpointSettings endpoint;
    endpoint.name = m_name->text().trimmed().toStdString();
    endpoint.url = m_url->text().trimmed().toStdString();
    endpoint.model = m_model->text().trimmed().toStdString();
    const std::string place = m_key->text().trimmed().toStdString();
    const auto kind = static_cast<KeyKind>(m_keyKind->currentData().toInt());
    if (kind == KeyKind::Variable)
        endpoint.keyVariable = place;
    else if (kind == KeyKind::File)
        endpoint.keyFile = place;
    endpoint.requestsPerMinute = m_requests->value();
    endpoint.mostTokens = m_tokens->value();
    endpoint.concurrent = m_concurrent->value();
    return endpoint;
}

void NewEndpointDialog::accept()
{
    const auto kind = static_cast<KeyKind>(m_keyKind->currentData().toInt());
    QString problem;
    if (kind != KeyKind::None && m_key->text().trimmed().isEmpty())
        problem = tr("Name the variable or the file that holds the key.");
    else if (const auto added = addEndpoint(settings()); !added)
        problem = sentenceOf(added.error());
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    if (problem.isEmpty())
        QDialog::accept();
}

} // namespace sparserl
