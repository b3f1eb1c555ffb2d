// SPDX-License-Identifier: Apache-2.0
// Models that cannot be used, in the window's import dialog: the sentence of the terminal, and nothing left
// behind. The real command runs.
#include "app/workbench/model_dialog.h"
#include "base/trust.h"
#include "tests/cli/broken_models.h"
#include "tests/cli/programs.h"
#include "tests/patience.h"
#include "tests/widgets/gui_test.h"
#include "widgets/common/format.h"

#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QTemporaryDir>

using namespace sparserl;
using test::brokenModels;
using test::makeBroken;
using test::modelFixtures;
using test::shell;
namespace fs = std::filesystem;

class TestWidgetsBrokenModels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!QFile::exists(QStringLiteral(SPARSERL_BIN_DIR "/sparserl")))
            QSKIP("sparserl is not built here");
        QVERIFY(m_dir.isValid());
        m_path = qgetenv("PATH");
        qputenv("PATH", QByteArray(SPARSERL_BIN_DIR ":") + m_path);
        qputenv("XDG_CONFIG_HOME", (folder() / "config").c_str());
    }
    void cleanupTestCase()
    {
        qputenv("PATH", m_path);
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    void theSameSentence_data()
    {
        QTest::addColumn<QString>("name");
        QVERIFY(brokenModels().size() >= 30);
        for (const auto& [name, broken] : brokenModels())
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }
    void theSameSentence()
    {
        QFETCH(QString, name);
        const test::Broken& broken = brokenModels().at(name.toStdString());
        const fs::path model = makeBroken(broken, folder() / "model");
        const auto said = shell(folder(), "$SPARSERL policy import " + model.string() + " --out " +
                                              (folder() / "made").string());
        const QString prefix = QStringLiteral("sparserl: ");
        const QString terminal = QString::fromStdString(said.error).trimmed();
        QVERIFY2(terminal.startsWith(prefix) && !terminal.contains(QLatin1Char('\n')), qPrintable(terminal));

        ModelDialog dialog(folder(), nullptr);
        dialog.show();
        dialog.model()->setText(toQString(model.string()));
        dialog.folder()->setText(toQString((folder() / "made").string()));
        dialog.start();
        QTRY_VERIFY_WITH_TIMEOUT(!dialog.importing(), patience);
        const QString shown = dialog.outcome()->text();
        if (name != u"too little memory") // how much is free changes
            QCOMPARE(shown, asSentence(terminal.mid(prefix.size())));
        QVERIFY2(shown.contains(QLatin1String(broken.says)), qPrintable(shown));
        QVERIFY(!fs::exists(folder() / "made"));
        // It can be tried again, with a model that is whole.
        if (name == u"activation") {
            fs::remove_all(folder() / "model");
            dialog.model()->setText(toQString((modelFixtures / broken.from).string()));
            dialog.start();
            QTRY_VERIFY_WITH_TIMEOUT(!dialog.importing(), patience);
            QVERIFY2(dialog.outcome()->text().startsWith(QLatin1String("The policy is in ")),
                     qPrintable(dialog.outcome()->text()));
            fs::remove_all(folder() / "made");
        }
    }

private:
    fs::path folder() const { return m_dir.path().toStdString(); }

    QTemporaryDir m_dir;
    QByteArray m_path;
};

SPARSERL_GUI_TEST_MAIN(TestWidgetsBrokenModels)
#include "tst_widgets_broken_models.moc"
