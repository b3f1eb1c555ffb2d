// SPDX-License-Identifier: Apache-2.0
// Every dialog, light and dark, at one and at two pixels a point: pictures to be looked at, and what can be
// told without looking. The pages are in tst_widgets_window.
#include "app/workbench/capabilities_dialog.h"
#include "app/workbench/command_palette.h"
#include "app/workbench/settings_dialog.h"
#include "project/run_directory.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "widgets/common/panels.h"
#include "widgets/common/settings.h"
#include "widgets/common/theme.h"
#include "widgets/kernels/edit_dialog.h"
#include "widgets/kernels/export_dialog.h"
#include "widgets/kernels/specialise_dialog.h"
#include "widgets/kernels/write_dialog.h"
#include "widgets/matrices/generate_dialog.h"
#include "widgets/matrices/import_report.h"
#include "widgets/training/host_chooser.h"
#include "widgets/training/launch_dialog.h"
#include "widgets/training/run_notes_dialog.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QScrollArea>
#include <QSpinBox>
#include <QStyle>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <functional>

using namespace sparserl;

namespace {

const int patience = test::patience();

/// What is in a scroll area may be larger than what is seen of it.
bool scrolls(const QWidget* widget)
{
    for (; widget; widget = widget->parentWidget())
        if (qobject_cast<const QAbstractScrollArea*>(widget))
            return true;
    return false;
}

/// Wrapped sentences of forms that stand in more room than their lines need (or less).
QStringList looseLines(const QWidget& dialog)
{
    QStringList found;
    for (const QFormLayout* form : dialog.findChildren<QFormLayout*>())
        for (int i = 0; i < form->count(); ++i) {
            const auto* label = qobject_cast<QLabel*>(form->itemAt(i)->widget());
            if (!label || !label->isVisible() || !label->wordWrap() || label->text().isEmpty())
                continue;
            const int needed = label->heightForWidth(label->width());
            if (label->height() < needed || label->height() > needed + label->fontMetrics().height())
                found << QStringLiteral("%1 pixels for %2: %3")
                             .arg(label->height())
                             .arg(needed)
                             .arg(label->text());
        }
    return found;
}

/// Labels of forms that do not stand level with their fields of one line.
QStringList unlevel(const QWidget& dialog)
{
    QStringList found;
    for (const QFormLayout* form : dialog.findChildren<QFormLayout*>())
        for (int row = 0; row < form->rowCount(); ++row) {
            const QLayoutItem* name = form->itemAt(row, QFormLayout::LabelRole);
            const QLayoutItem* field = form->itemAt(row, QFormLayout::FieldRole);
            if (!name || !name->widget() || !field || (field->expandingDirections() & Qt::Vertical) ||
                name->geometry().bottom() < field->geometry().top())
                continue;
            const int apart = name->geometry().center().y() - field->geometry().center().y();
            if (std::abs(apart) > 1)
                found << QStringLiteral("row %1 of a form: %2 pixels").arg(row).arg(apart);
        }
    return found;
}

/// Labels, buttons and choices that have less room than they need.
QStringList cutOff(const QWidget& dialog)
{
    QStringList found;
    for (const QWidget* widget : dialog.findChildren<QWidget*>()) {
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const auto* label = qobject_cast<const QLabel*>(widget);
        const auto* box = qobject_cast<const QComboBox*>(widget);
        if (!widget->isVisible() || scrolls(widget) || (!button && !label && !box))
            continue;
        const QSize needed = widget->minimumSizeHint();
        const bool short_ = label && label->wordWrap() && label->hasHeightForWidth()
                                ? label->height() + 1 < label->heightForWidth(label->width())
                                : widget->width() < needed.width() || widget->height() < needed.height();
        const QRect place(widget->mapTo(&dialog, QPoint()), widget->size());
        if (short_ || !dialog.rect().contains(place))
            found.append(QStringLiteral("%1 '%2' has %3 x %4")
                             .arg(QLatin1String(widget->metaObject()->className()), button ? button->text()
                                                                                    : label
                                                                                        ? label->text()
                                                                                        : box->currentText())
                             .arg(widget->width())
                             .arg(widget->height()));
    }
    return found;
}

QImage picture(QWidget& dialog, int scale)
{
    QImage image(dialog.size() * scale, QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    image.fill(dialog.palette().color(QPalette::Window));
    dialog.render(&image);
    return image;
}

} // namespace

class TestDialogs : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        auto session = test::openMadeProject(path(), m_live);
        QVERIFY2(session, session ? "" : session.error().sentence().c_str());
        m_session = std::move(*session);
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->busy(), patience);
        auto reader = ProjectReader::open(path());
        QVERIFY(reader);
        CandidateFilter filter;
        filter.verdicts = {"correct"};
        const auto ids = reader->candidateOrder(filter, {}, true);
        QVERIFY(ids && ids->size() > 2);
        m_rows = reader->candidateRows({(*ids)[0], (*ids)[1]}).value_or(std::vector<CandidateRow>());
        QCOMPARE(m_rows.size(), std::size_t{2});
        m_program = {m_rows[0], reader->programText(m_rows[0].programHash).value_or(std::string()),
                     reader->verdict(m_rows[0].id).value_or(std::nullopt)};
        m_checkpoints = reader->checkpoints().value_or(std::vector<CheckpointRow>());
        const auto runs = reader->runs();
        QVERIFY(runs && !runs->empty());
        m_run = runs->front();
        const auto directory = RunDirectory::open(path() / "runs" / m_run.name);
        QVERIFY(directory);
        m_config = directory->config();
        const auto matrices = reader->matrices();
        QVERIFY(matrices && !matrices->empty());
        m_digest = matrices->front().digest;
        QVERIFY(QDir().mkpath(QStringLiteral("dialogs")));
    }

    void everyDialog_data()
    {
        QTest::addColumn<int>("which");
        for (std::size_t i = 0; i < m_dialogs.size(); ++i)
            QTest::newRow(m_dialogs[i].name) << static_cast<int>(i);
    }
    void everyDialog()
    {
        QFETCH(int, which);
        const Maker& maker = m_dialogs[static_cast<std::size_t>(which)];
        const std::unique_ptr<QDialog> dialog(maker.make());
        for (const auto& [theme, name] :
             {std::pair(ThemeChoice::Light, "light"), {ThemeChoice::Dark, "dark"}}) {
            applyTheme(*qApp, theme);
            dialog->show();
            QVERIFY(QTest::qWaitForWindowExposed(dialog.get(), test::patience()));
            QTRY_VERIFY_WITH_TIMEOUT(!m_session->busy(), patience);
            QTest::qWait(300); // editors colour their text in a moment
            for (const int scale : {1, 2}) {
                const QImage image = picture(*dialog, scale);
                QVERIFY(image.save(QStringLiteral("dialogs/%1-%2-%3x.png")
                                       .arg(QLatin1String(maker.name), QLatin1String(name))
                                       .arg(scale)));
                const QColor corner(image.pixel(3, image.height() - 3));
                QCOMPARE(corner.lightness() < 128, theme == ThemeChoice::Dark);
            }
            const QStringList cut = cutOff(*dialog);
            QVERIFY2(cut.isEmpty(), qPrintable(cut.join(QStringLiteral("; "))));
            const QStringList loose = looseLines(*dialog);
            QVERIFY2(loose.isEmpty(), qPrintable(loose.join(QStringLiteral("; "))));
            const QStringList high = unlevel(*dialog);
            QVERIFY2(high.isEmpty(), qPrintable(high.join(QStringLiteral("; "))));
            for (const QDialogButtonBox* box : dialog->findChildren<QDialogButtonBox*>())
                QVERIFY2(!box->style()->styleHint(QStyle::SH_DialogButtonBox_ButtonsHaveIcons, nullptr, box),
                         "a platform may put its own pictures on buttons");
            const QStringList shared = test::sharedKeys(*dialog);
            QVERIFY2(shared.isEmpty(), qPrintable(shared.join(u"; ")));
            const QStringList rich = test::richLabels(*dialog);
            QVERIFY2(rich.isEmpty(), qPrintable(rich.join(u"; ")));
            const QString touching = test::touchingButtons(*dialog);
            QVERIFY2(touching.isEmpty(), qPrintable(touching));
            QVERIFY(!dialog->windowTitle().isEmpty());
            QVERIFY2(dialog->width() <= 1024 && dialog->height() <= 720, "larger than a small screen");
        }
        dialog->close();
        applyTheme(*qApp, ThemeChoice::Light);
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    /// What the style sheet says of boxes and arrows holds wherever there are some, in both themes.
    void boxesAndArrowsShow()
    {
        for (const auto theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            applyTheme(*qApp, theme);
            QListWidget list;
            auto* item = new QListWidgetItem(QString(), &list);
            item->setCheckState(Qt::Unchecked);
            list.resize(80, 40);
            QSpinBox number;
            number.setValue(5);
            number.resize(120, 28);
            const auto contrast = [](QWidget& widget, const QRect& where) {
                const QImage image = picture(widget, 1);
                int low = 255, high = 0;
                for (int y = where.top(); y <= where.bottom(); ++y)
                    for (int x = where.left(); x <= where.right(); ++x) {
                        low = std::min(low, QColor(image.pixel(x, y)).lightness());
                        high = std::max(high, QColor(image.pixel(x, y)).lightness());
                    }
                return high - low;
            };
            QVERIFY2(contrast(list, {1, 1, 20, 20}) > 60, "an empty box cannot be seen");
            QVERIFY2(contrast(number, {102, 3, 14, 10}) > 60, "the arrow up cannot be seen");
            QVERIFY2(contrast(number, {102, 15, 14, 10}) > 60, "the arrow down cannot be seen");
        }
        applyTheme(*qApp, ThemeChoice::Light);
    }

    /// A title is not cut where it is longer than what stands below it.
    void columnsFitTheirTitles()
    {
        QTableWidget table(1, 3);
        styleTable(&table);
        table.setHorizontalHeaderLabels(
            {QStringLiteral("Matrix"), QStringLiteral("Rank"), QStringLiteral("Speed-up")});
        fitColumns(&table, {QString(), QStringLiteral("1"), QStringLiteral("0")}, 0);
        table.resize(600, 100);
        table.show();
        QVERIFY(QTest::qWaitForWindowExposed(&table, test::patience()));
        const auto ink = [&](int column) { // pixels of a title that differ from what is around it
            QHeaderView* header = table.horizontalHeader();
            const QImage image = picture(*header->viewport(), 1);
            const int left = header->sectionViewportPosition(column);
            int count = 0;
            for (int x = left; x < left + header->sectionSize(column) - 1; ++x)
                for (int y = 2; y < image.height() - 3; ++y)
                    count += image.pixel(x, y) != image.pixel(left + 1, 1) ? 1 : 0;
            return count;
        };
        for (const int column : {1, 2}) {
            const int fitted = ink(column), width = table.columnWidth(column);
            QVERIFY(fitted > 0 && width < 100);
            table.setColumnWidth(column, 160);
            QCOMPARE(fitted, ink(column));
            table.setColumnWidth(column, width);
        }
    }

    /// Titles begin or end where the texts of their column do, sorted or not.
    void titlesStandOverTheirCells()
    {
        QTableWidget table(1, 2);
        styleTable(&table);
        for (int column = 0; column < 2; ++column) {
            const auto side = Qt::AlignVCenter | (column == 0 ? Qt::AlignLeft : Qt::AlignRight);
            auto* title = new QTableWidgetItem(QStringLiteral("HHH"));
            title->setTextAlignment(side);
            table.setHorizontalHeaderItem(column, title);
            auto* cell = new QTableWidgetItem(QStringLiteral("HHHH"));
            cell->setTextAlignment(side);
            table.setItem(0, column, cell);
            table.setColumnWidth(column, 120);
        }
        table.resize(400, 120);
        table.show();
        QVERIFY(QTest::qWaitForWindowExposed(&table, test::patience()));
        const auto edge = [](const QImage& image, int from, int to, int top, int bottom) {
            for (int x = from; x != to; x += from < to ? 1 : -1)
                for (int y = top; y < bottom; ++y)
                    if (QColor(image.pixel(x, y)).lightness() < 160)
                        return x;
            return -1;
        };
        for (const bool sorted : {false, true}) {
            table.setSortingEnabled(sorted);
            const QImage head = picture(*table.horizontalHeader()->viewport(), 1),
                         body = picture(*table.viewport(), 1);
            const int high = head.height() - 3, rows = table.rowHeight(0) - 2;
            const int left = edge(head, 2, 118, 9, high), right = edge(head, 238, 122, 9, high);
            QVERIFY(left > 0 && right > 0);
            QVERIFY(std::abs(left - edge(body, 2, 118, 2, rows)) <= 1);
            QVERIFY(std::abs(right - edge(body, 238, 122, 2, rows)) <= 1);
        }
    }

    void bannersFollowTheTheme()
    {
        MessageBar bar;
        bar.showMessage(MessageBar::Level::Problem, QStringLiteral("Something is wrong."));
        const auto icon = [&] { return bar.findChild<QLabel*>()->pixmap().toImage(); };
        const QImage light = icon();
        applyTheme(*qApp, ThemeChoice::Dark);
        QVERIFY(icon() != light);
        applyTheme(*qApp, ThemeChoice::Light);
        QCOMPARE(icon(), light);
    }

    void emptyTablesSaySo()
    {
        QTableWidget table(0, 1);
        tellWhenEmpty(&table, QStringLiteral("Nothing yet."));
        table.resize(300, 200);
        table.show();
        const auto* label = table.viewport()->findChild<QLabel*>();
        QVERIFY(label && label->isVisible() && label->size() == table.viewport()->size());
        table.insertRow(0);
        QVERIFY(!label->isVisible());
        table.setRowCount(0);
        QVERIFY(label->isVisible());
    }

    void cleanupTestCase() { m_session.reset(); }

private:
    struct Maker
    {
        const char* name;
        std::function<QDialog*()> make;
    };

    std::filesystem::path path() const
    {
        return m_directory.filePath(QStringLiteral("project")).toStdString();
    }

    QTemporaryDir m_directory;
    test::LiveRuns m_live;
    std::unique_ptr<ProjectSession> m_session;
    Settings m_settings{m_directory.filePath(QStringLiteral("settings.ini"))};
    std::vector<CandidateRow> m_rows;
    ComparedProgram m_program;
    std::vector<CheckpointRow> m_checkpoints;
    RunSummary m_run;
    RunConfig m_config;
    std::string m_digest;
    const std::vector<Maker> m_dialogs = {
        {"launch", [this] { return new LaunchDialog(m_checkpoints, path(), nullptr); }},
        {"fork",
         [this] {
             auto* dialog = new LaunchDialog(m_checkpoints, path(), nullptr);
             dialog->setRuns({{m_run.name, QStringLiteral("PPO, the second one"), m_config}});
             dialog->takeOver(m_run.name, {{"rl.entropy_coef", "0.02"}});
             dialog->setTitle(QStringLiteral("Fork of PPO, the second one"));
             for (const CheckpointRow& checkpoint : m_checkpoints)
                 if (checkpoint.present && checkpoint.runName == m_run.name)
                     dialog->choose(m_run.stage, {}, checkpoint.path);
             return dialog;
         }},
        {"elsewhere",
         [this] {
             auto* dialog = new LaunchDialog(m_checkpoints, path(), nullptr);
             const RemoteHost host{"gpu-7"};
             dialog->where()->choose(host);
             dialog->where()->showAnswer(
                 host, RemoteMachine{"1.0",
                                     {{"gpu", "GPU", "good", "One NVIDIA H100 80GB HBM3, driver 580.159."},
                                      {"cpu", "Processor", "good", "16 cores with AVX-512."}}});
             return dialog;
         }},
        {"notes",
         [this] {
             return new RunNotesDialog(m_run, {QStringLiteral("baseline"), QStringLiteral("paper")}, nullptr);
         }},
        {"generate", [] { return new GenerateDialog(nullptr); }},
        {"import-report",
         [] {
             return new ImportReport(
                 {{QStringLiteral("damaged.mtx"), QStringLiteral("line 17: a column is missing")},
                  {QStringLiteral("folder/very-long-name-of-a-matrix-of-a-collection.mtx.gz"),
                   QStringLiteral("the file ends in the middle of the entry 1,204,311 of 2,000,000")}},
                 nullptr);
         }},
        {"specialise", [this] { return new SpecialiseDialog(m_session.get(), {m_digest}, nullptr); }},
        {"edit", [this] { return new EditDialog(m_session.get(), m_program, {}, nullptr); }},
        {"write", [this] { return new WriteDialog(m_session.get(), nullptr); }},
        {"export", [this] { return new ExportDialog(m_session.get(), m_rows, nullptr); }},
        {"export-one", [this] { return new ExportDialog(m_session.get(), {m_rows[0]}, nullptr); }},
        {"about", [this] { return new CapabilitiesDialog(path(), nullptr); }},
        {"palette",
         [] {
             return new CommandPalette(
                 {{QStringLiteral("File"), QStringLiteral("Open project…"), QStringLiteral("Ctrl+O"), {}},
                  {QStringLiteral("Run"), QStringLiteral("0003-rl, the second one"), {}, {}},
                  {QStringLiteral("Kernels"), QStringLiteral("Verify again"), QStringLiteral("V"), {}}},
                 nullptr);
         }},
        {"settings", [this] { return new SettingsDialog(m_settings, nullptr); }},
    };
};

SPARSERL_GUI_TEST_MAIN(TestDialogs)
#include "tst_widgets_dialogs.moc"
