// SPDX-License-Identifier: Apache-2.0
// Models on servers in the window: how they are described, tested and chosen, and the tokens of a program
// under a policy. The command line is a script here: the real one is in tests/cli and tests/endpoint.
#include "app/workbench/endpoints_dialog.h"
#include "app/workbench/model_dialog.h"
#include "base/files.h"
#include "endpoint/endpoint_settings.h"
#include "endpoint/endpoint_tests.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "training/parameters/parameter_keys.h"
#include "widgets/common/format.h"
#include "widgets/common/parameter_form.h"
#include "widgets/common/theme.h"
#include "widgets/kernels/policy_choice.h"
#include "widgets/kernels/search_dialog.h"
#include "widgets/kernels/tokens_view.h"
#include "widgets/kernels/write_dialog.h"
#include "widgets/training/host_chooser.h"
#include "widgets/training/launch_dialog.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

using namespace sparserl;

namespace {

const QString key = QStringLiteral("sk-very-secret-0123456789");

/// All that a window says, shown or in fields and tool tips.
QString wordsOf(const QWidget& window)
{
    QStringList words;
    for (const auto* label : window.findChildren<QLabel*>())
        words << label->text() << label->toolTip();
    for (const auto* line : window.findChildren<QLineEdit*>())
        words << line->text() << line->toolTip();
    for (const auto* button : window.findChildren<QAbstractButton*>())
        words << button->text() << button->toolTip();
    for (const auto* table : window.findChildren<QTableWidget*>())
        for (int row = 0; row < table->rowCount(); ++row)
            for (int column = 0; column < table->columnCount(); ++column)
                if (const auto* item = table->item(row, column))
                    words << item->text() << item->toolTip();
    return words.join(QLatin1Char('\n'));
}

int indexOfEndpoint(const QComboBox* box, const QString& name)
{
    return box->findText(QStringLiteral("Endpoint %1").arg(name));
}

} // namespace

class TestWidgetsEndpoints : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("XDG_CONFIG_HOME", m_config.path().toUtf8());
        auto session = test::openMadeProject(path(), m_live);
        QVERIFY2(session, session ? "" : session.error().sentence().c_str());
        m_session = std::move(*session);
        const auto indexed = [this] {
            auto reader = ProjectReader::open(path());
            const auto matrices =
                reader ? reader->matrices() : Result<std::vector<MatrixRow>>(fail(reader.error()));
            return matrices && matrices->size() > 3;
        };
        QTRY_VERIFY_WITH_TIMEOUT(indexed(), patience);
        m_path = qgetenv("PATH");
        qputenv("PATH", m_bin.path().toUtf8() + ":" + m_path);
        qputenv("SPARSERL_TEST_WINDOW_KEY", key.toUtf8());
    }
    void cleanupTestCase()
    {
        qputenv("PATH", m_path);
        m_session.reset();
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    void anEndpointIsDescribed()
    {
        EndpointsDialog dialog(nullptr);
        dialog.show();
        QCOMPARE(dialog.table()->rowCount(), 0);
        QVERIFY(!dialog.testButton()->isEnabled());
        QCOMPARE(test::sharedKeys(dialog), QStringList());
        QCOMPARE(test::touchingButtons(dialog), QString());
        dialog.add();
        auto* form = dialog.findChild<NewEndpointDialog*>();
        QVERIFY(form);
        QCOMPARE(test::sharedKeys(*form), QStringList());
        const auto field = [&](const char* name) {
            for (auto* line : form->findChildren<QLineEdit*>())
                if (line->accessibleName() == QLatin1String(name))
                    return line;
            qFatal("no field %s", name);
        };
        const auto tried = [&](const char* words) {
            form->accept();
            const QString said = form->problem()->text();
            return form->problem()->isVisible() && said.contains(QLatin1String(words));
        };
        QVERIFY(tried("name of an endpoint"));
        field("Name")->setText(QStringLiteral("big"));
        QVERIFY(tried("is not the address"));
        field("Address")->setText(QStringLiteral("http://example.com/v1"));
        QVERIFY(tried("name of a model"));
        field("Model")->setText(QStringLiteral("large"));
        auto* kind = form->findChild<QComboBox*>();
        QVERIFY(kind && !field("Variable or file")->isEnabled());
        kind->setCurrentIndex(1);
        QVERIFY(field("Variable or file")->isEnabled());
        QVERIFY(tried("Name the variable or the file"));
        field("Variable or file")->setText(QStringLiteral("SPARSERL_TEST_WINDOW_KEY"));
        QVERIFY2(tried("would travel unencrypted"), qPrintable(form->problem()->text()));
        QVERIFY(readEndpoints()->empty());
        field("Address")->setText(QStringLiteral("https://example.com/v1"));
        form->accept();
        QTRY_COMPARE_WITH_TIMEOUT(dialog.table()->rowCount(), 1, patience);
        QCOMPARE(dialog.table()->item(0, 3)->text(),
                 QStringLiteral("in the variable SPARSERL_TEST_WINDOW_KEY"));
        const auto keyNeeds = [&] {
            return static_cast<const QAbstractItemView*>(dialog.table())->sizeHintForColumn(3);
        };
        QTRY_VERIFY_WITH_TIMEOUT(dialog.table()->columnWidth(3) >= keyNeeds(), patience);
        const auto kept = readEndpoints();
        QVERIFY(kept && kept->size() == 1);
        QCOMPARE(kept->front().keyVariable, std::string("SPARSERL_TEST_WINDOW_KEY"));
        QVERIFY(!wordsOf(dialog).contains(key));
        pictures(dialog, "endpoints");
    }

    void aServerIsTested()
    {
        EndpointsDialog dialog(nullptr);
        dialog.show();
        QVERIFY(dialog.testButton()->isEnabled());
        script("printf '%s ' \"$@\" > '" + file("words") +
               "'\n"
               "echo "
               "'{\"name\":\"big\",\"model\":\"large\",\"offered\":true,\"models\":[\"large\"],\"answer\":"
               "\"ready\",\"tokens\":9}'");
        dialog.test();
        QTRY_VERIFY_WITH_TIMEOUT(!dialog.testing(), patience);
        QCOMPARE(dialog.outcome()->text(), QStringLiteral("big answers: ready"));
        QCOMPARE(*readFile(file("words")), std::string("endpoint test big --json "));
        script("echo "
               "'{\"name\":\"big\",\"model\":\"large\",\"offered\":false,\"models\":[\"a\",\"<b>b</b>\"]}'\n"
               "echo '{\"error\":{\"what\":\"the endpoint \\\"big\\\" answers 404: no "
               "model\",\"remedy\":\"Check the URL and the name of the model\"}}'\n"
               "exit 1");
        dialog.test();
        QTRY_VERIFY_WITH_TIMEOUT(!dialog.testing(), patience);
        const QString said = dialog.outcome()->text();
        QVERIFY2(said.startsWith(QLatin1String("The endpoint \"big\" answers 404: no model. Check the URL")),
                 qPrintable(said));
        QVERIFY2(said.contains(QLatin1String("does not list the model large. It lists: a, <b>b</b>.")),
                 qPrintable(said));
        QCOMPARE(dialog.outcome()->textFormat(), Qt::PlainText);
        // Given up.
        script("exec sleep 30");
        dialog.test();
        QTRY_VERIFY_WITH_TIMEOUT(dialog.testing(), patience);
        QCOMPARE(dialog.testButton()->text(), QStringLiteral("&Cancel"));
        dialog.test();
        QTRY_VERIFY_WITH_TIMEOUT(!dialog.testing(), patience);
        QCOMPARE(dialog.outcome()->text(), QStringLiteral("Cancelled."));
        QCOMPARE(dialog.testButton()->text(), QStringLiteral("&Test"));
    }

    /// What a server can do is a list, which stays with its endpoint.
    void whatAServerCanDo()
    {
        EndpointsDialog dialog(nullptr);
        dialog.show();
        QVERIFY(!dialog.capabilities()->isVisible());
        QCOMPARE(dialog.tested()->text(), QStringLiteral("This endpoint has not been tested yet."));
        script(
            "echo '{\"name\":\"big\",\"model\":\"large\",\"offered\":true,\"models\":[\"large\"],"
            "\"answer\":\"ready\",\"capabilities\":[{\"capability\":\"chat\",\"available\":true,\"reason\":"
            "\"\"},{\"capability\":\"token_ids\",\"available\":false,\"reason\":\"the <b>answer</b> has no "
            "IDs of tokens\"},{\"capability\":\"telepathy\",\"available\":true,\"reason\":\"\"}]}'");
        dialog.test();
        QTRY_VERIFY_WITH_TIMEOUT(!dialog.testing(), patience);
        QVERIFY(dialog.capabilities()->isVisible());
        const auto rows = [&] {
            QStringList texts;
            for (int row = 0; row < dialog.capabilities()->rowCount(); ++row)
                texts << dialog.capabilities()->item(row, 0)->text().section(QLatin1Char(','), 0, 0) +
                             QStringLiteral(": ") + dialog.capabilities()->item(row, 1)->text();
            return texts;
        };
        QCOMPARE(
            rows(),
            (QStringList{QStringLiteral("Chat: yes"),
                         QStringLiteral("IDs of drawn tokens: no: the <b>answer</b> has no IDs of tokens")}));
        QCOMPARE(dialog.tested()->text(), QStringLiteral("Just tested big:"));
        pictures(dialog, "endpoints_tested");
        // The command keeps its result, which the next dialog shows.
        const auto endpoints = readEndpoints();
        QVERIFY(endpoints && !endpoints->empty());
        QVERIFY(
            keepEndpointTest(endpoints->front(), {1796094000, {{EndpointCapability::Streaming, true, {}}}}));
        EndpointsDialog later(nullptr);
        later.show();
        QCOMPARE(later.capabilities()->rowCount(), 1);
        QCOMPARE(later.capabilities()->item(0, 0)->text(), QStringLiteral("Streaming of answers"));
        QVERIFY2(later.tested()->text().startsWith(QLatin1String("Tested on ")),
                 qPrintable(later.tested()->text()));
        QVERIFY(!wordsOf(later).contains(key));
        QCOMPARE(test::sharedKeys(later), QStringList());
    }

    /// A file that somebody damaged is a sentence wherever endpoints are offered.
    void aDamagedFileIsASentence()
    {
        const auto good = readFile(endpointsFile());
        QVERIFY(good);
        QVERIFY(writeFileAtomic(endpointsFile(), "[[endpoint]]\nname = 'a'\nkey = 'sk'\n"));
        EndpointsDialog dialog(nullptr);
        QVERIFY2(dialog.outcome()->text().contains(QLatin1String("has no \"key\"")),
                 qPrintable(dialog.outcome()->text()));
        SearchDialog search(m_session.get(), {}, nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(search.startButton()->isEnabled(), patience);
        const int line = search.policy()->findText(QStringLiteral("Endpoints cannot be read"));
        QVERIFY(line > 0);
        QVERIFY(search.policy()
                    ->itemData(line, Qt::ToolTipRole)
                    .toString()
                    .contains(QLatin1String("has no \"key\"")));
        QVERIFY(writeFileAtomic(endpointsFile(), *good));
    }

    void aSearchAsksIt()
    {
        SearchDialog dialog(m_session.get(), {}, nullptr);
        dialog.show();
        QTRY_VERIFY_WITH_TIMEOUT(dialog.startButton()->isEnabled(), patience);
        const int line = indexOfEndpoint(dialog.policy(), QStringLiteral("big"));
        QVERIFY(line > 0);
        dialog.policy()->setCurrentIndex(line);
        const RunConfig config = dialog.config();
        QVERIFY(config.parentCheckpoint.empty());
        QCOMPARE(toText(config.parameters.at(std::string(param::search::endpoint.key))), std::string("big"));
        dialog.policy()->setCurrentIndex(0);
        QCOMPARE(toText(dialog.config().parameters.at(std::string(param::search::endpoint.key))),
                 std::string());
        QVERIFY(!wordsOf(dialog).contains(key));
    }

    void itWritesPrograms()
    {
        script("printf '%s ' \"$@\" > '" + file("words") + "'\n" +
               "echo '{\"error\":{\"what\":\"the endpoint \\\"big\\\" answers 401\",\"remedy\":\"Check the "
               "key of the endpoint\"}}'\n"
               "exit 1");
        WriteDialog dialog(m_session.get(), nullptr);
        dialog.show();
        QTRY_VERIFY_WITH_TIMEOUT(dialog.choice()->matrices()->count() > 3, patience);
        const int line = indexOfEndpoint(dialog.choice()->policies(), QStringLiteral("big"));
        QVERIFY(line > 0);
        QVERIFY(dialog.choice()->endpoint().isEmpty() && !dialog.choice()->policy().isEmpty());
        dialog.choice()->policies()->setCurrentIndex(line);
        QVERIFY(dialog.choice()->endpoint() == QLatin1String("big") && dialog.choice()->policy().isEmpty());
        dialog.start();
        QTRY_VERIFY_WITH_TIMEOUT(!dialog.running(), patience);
        const QString words = toQString(*readFile(file("words")));
        QVERIFY2(words.contains(QLatin1String("--endpoint=big ")) &&
                     !words.contains(QLatin1String("--policy")),
                 qPrintable(words));
        QVERIFY2(dialog.outcome()->text().contains(
                     QLatin1String("the endpoint \"big\" answers 401. Check the key of the endpoint")),
                 qPrintable(dialog.outcome()->text()));
    }

    void itIsEvaluated()
    {
        LaunchDialog dialog({}, path(), nullptr);
        dialog.setMatrices(3, 3);
        dialog.choose("evaluate", {}, {});
        QVERIFY(!dialog.problem().isEmpty()); // it needs a policy
        QComboBox* field = nullptr;
        for (auto* box : dialog.form()->findChildren<QComboBox*>())
            if (box->accessibleName() == toQString(param::evaluate::endpoint.key))
                field = box;
        QVERIFY(field && field->isEditable());
        QCOMPARE(field->count(), 1);
        QCOMPARE(field->itemText(0), QStringLiteral("big"));
        field->setCurrentIndex(0);
        QCOMPARE(dialog.form()->parameters()[param::evaluate::endpoint], std::string("big"));
        QCOMPARE(dialog.problem(), QString());
        dialog.form()->enter(std::string(param::evaluate::endpoint.key), QStringLiteral("bug"));
        QVERIFY2(dialog.problem().startsWith(QLatin1String("There is no endpoint \"bug\".")),
                 qPrintable(dialog.problem()));
        dialog.form()->enter(std::string(param::evaluate::endpoint.key), QStringLiteral("big"));
        auto* parents = dialog.findChildren<QComboBox*>().value(2);
        const int policy = parents->findText(QStringLiteral("Default policy"));
        QVERIFY(policy > 0);
        parents->setCurrentIndex(policy);
        QVERIFY2(dialog.problem().contains(QLatin1String("takes the place of a policy")),
                 qPrintable(dialog.problem()));
    }

    /// A model becomes a policy of the project, or one sentence says why not.
    void aModelIsImported()
    {
        ModelDialog dialog(path(), nullptr);
        dialog.show();
        QCOMPARE(test::sharedKeys(dialog), QStringList());
        QCOMPARE(test::touchingButtons(dialog), QString());
        dialog.start();
        QCOMPARE(dialog.outcome()->text(), QStringLiteral("Choose a folder or a file with a model."));
        dialog.model()->setText(QStringLiteral("models/small"));
        dialog.start();
        QVERIFY(!dialog.importing() && !dialog.outcome()->text().isEmpty()); // relative to what?
        dialog.model()->setText(QStringLiteral("/models/small-135M.Q8_0.gguf"));
        const std::filesystem::path place = path() / "policies" / "small-135M.Q8_0";
        QCOMPARE(dialog.folder()->text().toStdString(), place.string());
        script("printf '%s ' \"$@\" > '" + file("words") + "'\n" +
               "echo '{\"error\":{\"what\":\"model_type is \\\"mamba\\\", which is not "
               "known\",\"remedy\":\"Use a T5\"}}'\n"
               "exit 1");
        dialog.inWords()->setChecked(true);
        dialog.start();
        QTRY_VERIFY_WITH_TIMEOUT(!dialog.importing(), patience);
        QCOMPARE(dialog.outcome()->text(),
                 QStringLiteral("model_type is \"mamba\", which is not known. Use a T5."));
        QCOMPARE(*readFile(file("words")), "policy import /models/small-135M.Q8_0.gguf --out=" +
                                               place.string() + " --text-entries=64 --json ");
        pictures(dialog, "model");
        std::filesystem::create_directories(place);
        for (const char* name : {"config.json", "tokenizer.json", "model.safetensors"})
            QVERIFY(writeFileAtomic(place / name, "{\"sparserl\":{}}"));
        script("echo '{\"policy\":\"" + place.string() +
               "\",\"weights\":134000000,\"new_weights\":5000,\"vocabulary\":49152,\"chat\":\"chatml\"}'");
        dialog.start();
        QTRY_VERIFY_WITH_TIMEOUT(!dialog.importing(), patience);
        QVERIFY2(dialog.outcome()->text().contains(
                     QLatin1String("134,000,000 weights, 5,000 of them new, and a vocabulary of 49,152")),
                 qPrintable(dialog.outcome()->text()));
        QVERIFY(dialog.outcome()->text().contains(QLatin1String("Its chat format is chatml.")));
        LaunchDialog launch({}, path(), nullptr);
        auto* parents = launch.findChildren<QComboBox*>().value(2);
        const int line = parents->findText(QStringLiteral("Imported / small-135M.Q8_0"));
        QVERIFY(line > 0);
        parents->setCurrentIndex(line);
        QCOMPARE(launch.config().parentCheckpoint, place.string());
    }

    void tokensOfAProgram()
    {
        auto reader = ProjectReader::open(path());
        QVERIFY(reader);
        CandidateFilter filter;
        filter.verdicts = {"correct"};
        filter.splits = {std::string(split::heldOut)};
        Result<std::vector<CandidateId>> others = std::vector<CandidateId>(), ids = others;
        QTRY_VERIFY_WITH_TIMEOUT((others = reader->candidateOrder(filter, {}, true)) && !others->empty(),
                                 patience);
        filter.splits = {std::string(split::train)};
        QTRY_VERIFY_WITH_TIMEOUT((ids = reader->candidateOrder(filter, {}, true)) && !ids->empty(), patience);
        const auto rows = reader->candidateRows({ids->front(), others->front()});
        QVERIFY(rows && rows->size() == 2);
        const auto runs = reader->advantages(ids->front());
        QVERIFY(runs && runs->size() == 2);
        const QString code = QString::number(runs->front().bytes);
        const QString end = QString::number(runs->front().bytes + runs->back().bytes);
        TokensView view;
        view.resize(760, 420);
        view.setSession(m_session.get());
        view.QWidget::show();
        view.show(rows->back());
        QTRY_VERIFY_WITH_TIMEOUT(view.button()->isEnabled(), patience);
        QVERIFY(view.table()->isColumnHidden(5)); // no policy was trained on it
        view.show(rows->front());
        QTRY_VERIFY_WITH_TIMEOUT(view.button()->isEnabled(), patience);
        script("printf '%s ' \"$@\" > '" + file("words") + "'\n" +
               "cat <<'X'\n"
               "{\"token\":0,\"id\":300,\"text\":\"//"
               "!\",\"offset\":0,\"log_probability\":-0.0001,\"entropy\":0.002,\"class\":\"plan\"}\n"
               "{\"token\":1,\"id\":301,\"text\":\" "
               "task\\n\",\"offset\":3,\"log_probability\":-2.5,\"entropy\":1.25,\"class\":\"plan\"}\n"
               "{\"token\":2,\"id\":302,\"text\":\"}\",\"offset\":" +
               code.toStdString() +
               ",\"log_probability\":-7.0,\"entropy\":3.5,\"class\":"
               "\"code\"}\n"
               "{\"token\":3,\"id\":2,\"text\":\"\",\"offset\":" +
               end.toStdString() +
               ",\"log_probability\":-0.5,\"entropy\":0.5,\"class\":"
               "\"code\"}\n"
               "{\"tokens\":4,\"prompt_tokens\":3,\"temperature\":0.8,\"log_probability\":-10.0001,\"stopped_"
               "at\":2,\"stop_reason\":\"line 2: a closing bracket without an opening one\"}\n"
               "X\n");
        view.compute();
        QTRY_VERIFY_WITH_TIMEOUT(!view.busy(), patience);
        QCOMPARE(view.table()->rowCount(), 4);
        const auto cell = [&](int row, int column) { return view.table()->item(row, column)->text(); };
        QCOMPARE(cell(0, 1), QStringLiteral("//!"));
        QCOMPARE(cell(1, 1), QStringLiteral("·task↵"));
        QCOMPARE(cell(1, 2), QStringLiteral("8.21 %"));
        QCOMPARE(cell(1, 3), QStringLiteral("-2.500"));
        QCOMPARE(cell(2, 4), QStringLiteral("3.500"));
        QCOMPARE(cell(2, 6), QStringLiteral("code, stops here"));
        const auto signedText = [](double value) -> QString {
            return (value > 0 ? QStringLiteral("+") : QString()) + QLocale().toString(value, 'f', 3);
        };
        QVERIFY(runs->front().advantage != runs->back().advantage);
        for (const int row : {0, 1})
            QCOMPARE(cell(row, 5), signedText(runs->front().advantage));
        for (const int row : {2, 3})
            QCOMPARE(cell(row, 5), signedText(runs->back().advantage));
        QVERIFY(!view.table()->isColumnHidden(5));
        QCOMPARE(cell(3, 1), QStringLiteral("(end)"));
        QCOMPARE(view.table()->currentRow(), 2);
        QVERIFY2(view.note()->text().contains(QLatin1String("4 tokens with a log-probability of -10.00 at "
                                                            "temperature 0.8. The verifier stops at token 3: "
                                                            "line 2: ")),
                 qPrintable(view.note()->text()));
        const QString words = toQString(*readFile(file("words")));
        QVERIFY2(words.startsWith(QLatin1String("policy score ")) &&
                     words.contains(QLatin1String("--policy=")) &&
                     words.contains(QLatin1String("--type=f32")),
                 qPrintable(words));
        pictures(view, "tokens");
        script("echo '{\"error\":{\"what\":\"the policy has another vocabulary\",\"remedy\":\"\"}}'\n"
               "exit 1");
        view.compute();
        QTRY_VERIFY_WITH_TIMEOUT(!view.busy(), patience);
        QVERIFY(view.note()->text().contains(QLatin1String("has another vocabulary")));
        QCOMPARE(view.table()->rowCount(), 0);
        view.setSession(nullptr);
    }

private:
    static void pictures(QWidget& window, const std::string& name)
    {
        for (const bool dark : {false, true}) {
            applyTheme(*qApp, dark ? ThemeChoice::Dark : ThemeChoice::Light);
            QVERIFY(window.grab().save(toQString(name + (dark ? "-dark.png" : "-light.png"))));
        }
        applyTheme(*qApp, ThemeChoice::Light);
    }
    std::filesystem::path path() const
    {
        return m_directory.filePath(QStringLiteral("project")).toStdString();
    }
    std::string file(const char* name) const { return m_bin.filePath(QLatin1String(name)).toStdString(); }
    void script(const std::string& text) const
    {
        const QString program = m_bin.filePath(QStringLiteral("sparserl"));
        QVERIFY(writeFileAtomic(program.toStdString(), "#!/bin/sh\n" + text + "\n"));
        QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }

    QTemporaryDir m_directory, m_bin, m_config;
    test::LiveRuns m_live;
    std::unique_ptr<ProjectSession> m_session;
    QByteArray m_path;
};

SPARSERL_GUI_TEST_MAIN(TestWidgetsEndpoints)
#include "tst_widgets_endpoints.moc"
