// SPDX-License-Identifier: Apache-2.0
// What people may type, paste or be sent, in every field of every dialog and page. The fields are found, not
// listed: a dialog that is new is covered once it is in every_dialog.cpp, which a test here demands.
#include "app/workbench/main_window.h"
#include "base/files.h"
#include "project/run/checkpoint_files.h"
#include "tests/drawn_share.h"
#include "tests/patience.h"
#include "tests/widgets/every_dialog.h"
#include "tests/widgets/gui_test.h"
#include "tests/widgets/hostile_inputs.h"
#include "widgets/common/format.h"
#include "widgets/common/page.h"
#include "widgets/common/plain_text.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <fstream>
#include <regex>
#include <sys/stat.h>

using namespace sparserl;
namespace fs = std::filesystem;

namespace {

/// In one dialog or page, of all pairs of a field and an input: a form may have a hundred fields.
constexpr std::size_t mostTries = 200;

/// Where text can be typed, except within a larger field.
QList<QWidget*> fieldsOf(const QWidget& window)
{
    QList<QWidget*> fields;
    for (QWidget* widget : window.findChildren<QWidget*>()) {
        const auto* box = qobject_cast<QComboBox*>(widget);
        const bool text = qobject_cast<QLineEdit*>(widget) || qobject_cast<QPlainTextEdit*>(widget) ||
                          qobject_cast<QAbstractSpinBox*>(widget) || (box && box->isEditable());
        const QWidget* around = widget->parentWidget();
        if (!text || qobject_cast<const QAbstractSpinBox*>(around) || qobject_cast<const QComboBox*>(around))
            continue;
        if (widget->isEnabled() && widget->isVisibleTo(&window))
            fields.append(widget);
    }
    return fields;
}

void type(QWidget* field, const QString& text)
{
    if (auto* line = qobject_cast<QLineEdit*>(field)) {
        line->setText(text);
    } else if (auto* plain = qobject_cast<QPlainTextEdit*>(field)) {
        if (!plain->isReadOnly())
            plain->setPlainText(text);
    } else if (auto* box = qobject_cast<QComboBox*>(field)) {
        box->setEditText(text);
    } else if (auto* number = field->findChild<QLineEdit*>()) { // of a spin box, which checks it
        number->setText(text);
        static_cast<QAbstractSpinBox*>(field)->interpretText();
    }
}

/// The text that a field has by now: a line has its greatest length.
QString textOf(QWidget* field)
{
    const auto* line = qobject_cast<QLineEdit*>(field);
    return line ? line->text() : QString();
}

/// What of a window is wrong with what it shows.
QString wrongWith(const QWidget& window, QSize most)
{
    QStringList found = test::richLabels(window);
    for (const QLabel* label : window.findChildren<QLabel*>()) {
        if (!label->isVisible() || label->textFormat() == Qt::RichText)
            continue;
        const QString text = label->text();
        if ((label->textInteractionFlags() & Qt::TextSelectableByMouse) && visibleText(text) != text)
            found << QStringLiteral("hidden characters: ") + visibleText(text).left(200);
        if (text.size() > 4000)
            found << QStringLiteral("%1 characters: ").arg(text.size()) + text.left(200);
    }
    if (window.width() > most.width() || window.height() > most.height())
        found << QStringLiteral("%1 x %2 pixels").arg(window.width()).arg(window.height());
    if (const QString title = window.windowTitle(); visibleText(title) != title || title.contains(u'\n'))
        found << QStringLiteral("a title: ") + title;
    found << test::takeWarnings();
    return found.join(QStringLiteral("; "));
}

} // namespace

class TestHostileInput : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_folder = fs::canonical(m_temporary.path().toStdString());
        for (const char* name : {"bin", "home", "here", "config"})
            fs::create_directories(m_folder / name);
        fs::current_path(m_folder / "here");
        qputenv("HOME", (m_folder / "home").c_str());
        qputenv("XDG_CONFIG_HOME", (m_folder / "config").c_str());
        // Stands for the program: what it is given, each word behind its length, and refuses all.
        const fs::path program = m_folder / "bin/sparserl";
        QVERIFY(writeFileAtomic(program,
                                "#!/bin/sh\nfor w in \"$@\"; do printf '%s\\036' \"$w\" >> '" +
                                    (m_folder / "words").string() +
                                    "'; done\necho '{\"error\":{\"what\":\"Refused\",\"remedy\":\"\"}}'\n"
                                    "exit 1\n"));
        fs::permissions(program, fs::perms(0755));
        qputenv("PATH", QByteArray((m_folder / "bin").c_str()) + ":" + qgetenv("PATH"));
        auto live = test::makeProject(project());
        QVERIFY2(live, live ? "" : live.error().sentence().c_str());
        live->sessions.clear(); // nobody works on it
        makeStrange();
        const auto opened = m_every.open(project(), toQString((m_folder / "settings.ini").string()));
        QVERIFY2(opened, opened ? "" : opened.error().sentence().c_str());
        // Native choosers would wait for somebody.
        m_closer.setInterval(20);
        connect(&m_closer, &QTimer::timeout, this, [] {
            auto* modal = qobject_cast<QDialog*>(QApplication::activeModalWidget());
            if (modal && modal->inherits("QFileDialog"))
                modal->reject();
        });
        m_closer.start();
        test::takeWarnings();
    }

    /// The list of dialogs is that of the sources.
    void noDialogIsMissing()
    {
        QStringList known;
        for (const auto& maker : m_every.list()) {
            const std::unique_ptr<QDialog> dialog(maker.make());
            known << QString::fromLatin1(dialog->metaObject()->className()).section(QStringLiteral("::"), -1);
        }
        static const QRegularExpression declared(QStringLiteral("class (\\w+)[^:;{]*: public QDialog\\b"));
        int count = 0;
        for (const char* folder : {"widgets", "app/workbench"})
            for (QDirIterator it(QStringLiteral(SPARSERL_SOURCE_DIR "/") + QLatin1String(folder),
                                 {QStringLiteral("*.h"), QStringLiteral("*.cpp")}, QDir::Files,
                                 QDirIterator::Subdirectories);
                 it.hasNext();) {
                QFile file(it.next());
                QVERIFY(file.open(QIODevice::ReadOnly));
                const auto match = declared.match(QString::fromUtf8(file.readAll()));
                if (!match.hasMatch())
                    continue;
                ++count;
                QVERIFY2(known.contains(match.captured(1)),
                         qPrintable(match.captured(1) + QStringLiteral(" is not in every_dialog.cpp")));
            }
        QVERIFY(count > 8);
    }

    void everyField_data()
    {
        QTest::addColumn<int>("which");
        const test::DrawnShare share(3);
        for (std::size_t i = 0; i < m_every.list().size(); ++i)
            if (share.has(m_every.list()[i].name))
                QTest::newRow(m_every.list()[i].name) << static_cast<int>(i);
    }
    void everyField()
    {
        QFETCH(int, which);
        m_started = m_agreed = 0;
        const auto& maker = m_every.list()[static_cast<std::size_t>(which)];
        const auto all = test::hostileInputs();
        std::unique_ptr<QDialog> dialog = opened(maker);
        const QSize most(1024, 720);
        const QString first = wrongWith(*dialog, most);
        QVERIFY2(first.isEmpty(), qPrintable(first)); // with the names of the project
        const auto fields = static_cast<std::size_t>(fieldsOf(*dialog).size());
        // Of forms with a hundred fields that one class makes, each gets some.
        const std::size_t step = std::max<std::size_t>(1, fields * all.size() / mostTries) | 1;
        for (std::size_t each = 0; each < fields * all.size(); each += step) {
            const auto number = static_cast<qsizetype>(each / all.size());
            const auto& [name, text] = all[each % all.size()];
            if (!dialog->isVisible())
                dialog = opened(maker);
            QWidget* field = fieldsOf(*dialog).value(number);
            if (!field)
                continue;
            const QString before = textOf(field);
            const std::string what = std::string(maker.name) + ", field " + std::to_string(number) + " (" +
                                     field->accessibleName().toStdString() + "), " + name;
            type(field, text);
            press(*dialog, maker, textOf(field), what);
            if (QTest::currentTestFailed())
                return;
            QCoreApplication::processEvents();
            const QString wrong = dialog->isVisible() ? wrongWith(*dialog, most) : QString();
            QVERIFY2(wrong.isEmpty(), (what + ": " + wrong.left(1500).toStdString()).c_str());
            if (qobject_cast<QLineEdit*>(field) && fieldsOf(*dialog).contains(field))
                type(field, before);
        }
        // Else nothing was tried: the forms can be agreed to, and the commands are started.
        const std::string_view called(maker.name);
        const int least = called == "specialise" || called.starts_with("export") ? 20 : 0;
        QVERIFY2(m_started >= least, qPrintable(QString::number(m_started)));
        QVERIFY2(!maker.agree || m_agreed >= 5, qPrintable(QString::number(m_agreed)));
        dialog->close();
        QTRY_VERIFY_WITH_TIMEOUT(!m_every.session()->busy(), patience);
        QVERIFY(!fs::exists(m_folder / "here/pwned") && !fs::exists(m_folder / "home/pwned"));
        QCOMPARE(test::entriesBelow(m_folder / "here"), QStringList());
    }

    /// Fields of the pages: filters, searches, notes, steering.
    void everyPage()
    {
        Settings settings(toQString((m_folder / "window.ini").string()));
        MainWindow window(settings);
        window.resize(1280, 800);
        window.show();
        QVERIFY(window.openProject(toQString(project().string())));
        QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), patience);
        int typed = 0;
        for (const char* key : {"matrices", "training", "kernels", "evaluation"}) {
            QVERIFY(window.showPage(QLatin1String(key)));
            QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), patience);
            const auto fields = fieldsOf(*window.page(QLatin1String(key)));
            const auto all = test::hostileInputs();
            const std::size_t tries = static_cast<std::size_t>(fields.size()) * all.size();
            const std::size_t step = std::max<std::size_t>(1, tries / mostTries) | 1;
            for (std::size_t each = 0; each < tries; each += step) {
                const QPointer<QWidget> field(fields[static_cast<qsizetype>(each / all.size())]);
                if (!field) // what was typed has rebuilt the page
                    continue;
                const auto& [name, text] = all[each % all.size()];
                const QString before = textOf(field);
                type(field, text);
                if (auto* line = qobject_cast<QLineEdit*>(field.data()))
                    QTest::keyClick(line, Qt::Key_Return);
                ++typed;
                if (text.size() >= 1000)
                    QTest::qWait(300); // filters wait for the end of the typing
                QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), patience);
                const QString wrong = wrongWith(window, {1280, 800}) + window.lastProblem();
                QVERIFY2(wrong.isEmpty(),
                         (std::string(key) + ", " + name + ": " + wrong.left(1500).toStdString()).c_str());
                if (field)
                    type(field, before);
            }
        }
        QVERIFY2(typed > 300, qPrintable(QString::number(typed)));
        QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), patience);
    }

    /// A project is opened on the window's thread: nothing there may make it wait.
    void whatIsOpenedAsAProject()
    {
        const fs::path folder = m_folder / "opened";
        fs::create_directories(folder);
        QCOMPARE(::mkfifo((folder / "pipe").c_str(), 0600), 0);
        for (const char* name : {"pipe", "device", "folder", "large"})
            fs::create_directories(folder / (std::string("with ") + name));
        QCOMPARE(::mkfifo((folder / "with pipe/project.toml").c_str(), 0600), 0);
        fs::create_symlink("/dev/zero", folder / "with device/project.toml");
        fs::create_directories(folder / "with folder/project.toml");
        std::ofstream(folder / "with large/project.toml").put('#');
        fs::resize_file(folder / "with large/project.toml", std::uintmax_t(1) << 34);
        Settings settings(toQString((m_folder / "opened.ini").string()));
        MainWindow window(settings);
        window.resize(1280, 800);
        window.show();
        QStringList paths{QStringLiteral("/dev/zero"),
                          QStringLiteral("/dev/null"),
                          QString(),
                          QStringLiteral("nowhere"),
                          QString(100'000, QLatin1Char('x')),
                          QStringLiteral("/proc/self/fd"),
                          QStringLiteral("/tmp/\u202e<img src=x>\n")};
        for (const auto& entry : fs::directory_iterator(folder))
            paths << toQString(entry.path().string());
        const QStringList before = test::entriesBelow(folder);
        for (const QString& path : paths) {
            QVERIFY2(!window.openProject(path), qPrintable(path));
            QCoreApplication::processEvents();
            const QString wrong = wrongWith(window, {1280, 800});
            QVERIFY2(wrong.isEmpty(), qPrintable(path.left(200) + QStringLiteral(": ") + wrong));
        }
        QCOMPARE(test::entriesBelow(folder), before);
    }

    void cleanupTestCase()
    {
        m_every.close();
        fs::current_path("/");
    }

private:
    fs::path project() const { return m_folder / "project"; }

    /// Names of the project become those that others might have given.
    void makeStrange()
    {
        const auto edit = [](const fs::path& path, const char* what, const std::string& with) {
            const std::string text = readFile(path).value();
            const std::string changed = std::regex_replace(text, std::regex(what), with);
            return changed != text && writeFileAtomic(path, changed);
        };
        const std::string odd = "<img src='/dev/zero'> \\u202egpj.exe\\u2066 ";
        QVERIFY(edit(project() / "project.toml", "\\nname = ['\"](.*)['\"]", "\nname = \"" + odd + "$1\""));
        QVERIFY(
            edit(project() / "project.toml", "(^|\\n)title = .*", "$1title = \"two\\nlines " + odd + "\""));
        int titled = 0;
        for (const auto& run : fs::directory_iterator(project() / "runs")) {
            titled += edit(run.path() / "run.toml", "\\ntitle = .*",
                           "\ntitle = \"two\\nlines " + odd + std::string(3000, 'w') + "\"")
                          ? 1
                          : 0;
        }
        QVERIFY(titled > 1);
        // A policy, as far as a list can see.
        for (const auto& run : fs::directory_iterator(project() / "runs"))
            for (const fs::path& checkpoint : entriesOf(run.path() / "checkpoints"))
                for (const char* name : policyNeeds)
                    QVERIFY(writeFileAtomic(checkpoint / name, "none"));
    }

    std::unique_ptr<QDialog> opened(const test::EveryDialog::Maker& maker)
    {
        std::unique_ptr<QDialog> dialog(maker.make());
        dialog->show();
        const bool shown = QTest::qWaitForWindowExposed(dialog.get(), patience) &&
                           QTest::qWaitFor([this] { return !m_every.session()->busy(); }, patience);
        if (!shown)
            qFatal("%s does not open", maker.name);
        QCoreApplication::processEvents();
        return dialog;
    }

    /// All that the user may press, and what came of it.
    void press(QDialog& dialog, const test::EveryDialog::Maker& maker, const QString& typed,
               const std::string& what)
    {
        QFile::remove(toQString((m_folder / "words").string()));
        for (auto* box : dialog.findChildren<QDialogButtonBox*>())
            for (QAbstractButton* button : box->buttons()) {
                const auto role = box->buttonRole(button);
                if (!button->isEnabled() || !button->isVisible() || !dialog.isVisible() ||
                    (role != QDialogButtonBox::AcceptRole && role != QDialogButtonBox::ActionRole))
                    continue;
                dialog.setResult(QDialog::Rejected);
                button->click();
                QVERIFY2(QTest::qWaitFor(
                             [this] {
                                 return !m_every.session()->busy() &&
                                        m_every.session()->tasks()->activeCount() == 0;
                             },
                             patience),
                         what.c_str());
                if (maker.agree) {
                    ++m_agreed;
                    for (const char* made : {"-launched", "-searched"})
                        fs::remove_all(project().string() + made);
                    if (const Status agreed = maker.agree(dialog); !agreed)
                        checkSentence(agreed.error().sentence(), what);
                }
            }
        checkWords(typed, what);
    }
    static void checkSentence(const std::string& said, const std::string& what)
    {
        QVERIFY2(!said.empty() && said.size() < 2500 && said.find('\n') == std::string::npos,
                 (what + ": " + said.substr(0, 1000)).c_str());
        // A run holds what was typed; anything else is a refusal, which is fine.
        QVERIFY2(said.find("something else than what was typed") == std::string::npos,
                 (what + ": " + said).c_str());
    }
    /// A program gets what was typed as the value of an option, whole, and folders as whole paths.
    void checkWords(const QString& typed, const std::string& what)
    {
        QFile file(toQString((m_folder / "words").string()));
        if (!file.open(QIODevice::ReadOnly))
            return;
        ++m_started;
        const QString all = QString::fromUtf8(file.readAll());
        for (const QString& word : all.split(QChar(0x1e), Qt::SkipEmptyParts)) {
            if (word.startsWith(QLatin1String("--out=")))
                QVERIFY2(word.startsWith(QLatin1String("--out=/")),
                         (what + ": " + word.toStdString()).c_str());
            const QString trimmed = typed.trimmed();
            if (trimmed.startsWith(u'-') && word == trimmed)
                QVERIFY2(false, (what + ": an option of its own").c_str());
        }
    }

    QTemporaryDir m_temporary;
    fs::path m_folder;
    int m_started = 0, m_agreed = 0; ///< Commands, and forms that the user agreed to.
    test::EveryDialog m_every;
    QTimer m_closer;
};

SPARSERL_GUI_TEST_MAIN(TestHostileInput)
#include "tst_widgets_hostile.moc"
