// SPDX-License-Identifier: Apache-2.0
// Every dialog, light and dark, at one and at two pixels a point: pictures to be looked at, and what can be
// told without looking. The pages are in tst_widgets_window.
#include "base/files.h"
#include "matrix/generators.h"
#include "project/files/project.h"
#include "tests/patience.h"
#include "tests/widgets/every_dialog.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "widgets/common/panels.h"
#include "widgets/common/theme.h"
#include "widgets/kernels/export_dialog.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollArea>
#include <QSpinBox>
#include <QStyle>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

using namespace sparserl;

namespace {

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

/// Ticks that touch those of the rows above and below.
QStringList crowdedTicks(const QWidget& dialog)
{
    constexpr int tick = 15, between = 2;
    QStringList found;
    for (const QAbstractItemView* view : dialog.findChildren<QAbstractItemView*>()) {
        if (!view->isVisible())
            continue;
        for (int y = 1; y < view->viewport()->height(); y += 4) {
            const QModelIndex index = view->indexAt({view->viewport()->width() / 2, y});
            if (index.data(Qt::CheckStateRole).isValid() && view->visualRect(index).height() < tick + between)
                found << QStringLiteral("%1 has %2 pixels")
                             .arg(index.data().toString())
                             .arg(view->visualRect(index).height());
        }
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
        auto live = test::makeProject(path());
        QVERIFY2(live, live ? "" : live.error().sentence().c_str());
        m_live = std::move(*live);
        const auto opened = m_every.open(path(), m_directory.filePath(QStringLiteral("settings.ini")));
        QVERIFY2(opened, opened ? "" : opened.error().sentence().c_str());
        QVERIFY(QDir().mkpath(QStringLiteral("dialogs")));
    }

    /// Names of matrices come from project.toml of others: they lead nowhere but into the temporary folder.
    void namesOfMatricesAreNoPaths()
    {
        const std::filesystem::path place = path().string() + "-sent";
        const std::filesystem::path precious = path().string() + "-precious.mtx";
        for (const std::string& name :
             {precious.string().substr(0, precious.string().size() - 4), std::string("../../../../tmp/x"),
              std::string("a/b"), std::string("..")}) {
            std::filesystem::remove_all(place);
            QVERIFY(Project::create(place, "sent"));
            QVERIFY(writeFileAtomic(precious, "precious"));
            const auto matrix = generate("stencil2d(n=4,points=5)");
            const std::string digest = sparserl::digest(*matrix);
            QVERIFY(writeFileAtomic(place / "project.toml",
                                    "[project]\ntitle='x'\n[[matrix]]\nname='" + name +
                                        "'\ngenerator='stencil2d(n=4,points=5)'\ndigest='" + digest + "'\n"));
            auto project = Project::open(place);
            QCOMPARE(project.has_value(), name == "a/b" || name == ".."); // The others read as paths.
            if (!project)
                continue;
            QCOMPARE(project->matrices().size(), std::size_t(1));
            const auto files = writeJobFiles(*project, "text", digest);
            QVERIFY2(files, files ? "" : files.error().sentence().c_str());
            const QFileInfo written(files->matrix);
            QVERIFY(written.exists());
            QCOMPARE(written.absolutePath(), QFileInfo(files->directory->path()).absoluteFilePath());
            QCOMPARE(readFile(precious).value_or(""), std::string("precious"));
        }
        std::filesystem::remove_all(place);
        std::filesystem::remove(precious);
    }

    void everyDialog_data()
    {
        QTest::addColumn<int>("which");
        const auto& dialogs = m_every.list();
        for (std::size_t i = 0; i < dialogs.size(); ++i)
            QTest::newRow(dialogs[i].name) << static_cast<int>(i);
    }
    void everyDialog()
    {
        QFETCH(int, which);
        const auto& maker = m_every.list()[static_cast<std::size_t>(which)];
        const std::unique_ptr<QDialog> dialog(maker.make());
        for (const auto& [theme, name] :
             {std::pair(ThemeChoice::Light, "light"), {ThemeChoice::Dark, "dark"}}) {
            applyTheme(*qApp, theme);
            dialog->show();
            QVERIFY(QTest::qWaitForWindowExposed(dialog.get(), test::patience()));
            QTRY_VERIFY_WITH_TIMEOUT(!m_every.session()->busy(), patience);
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
            const QStringList crowded = crowdedTicks(*dialog);
            QVERIFY2(crowded.isEmpty(), qPrintable(crowded.join(QStringLiteral("; "))));
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

    /// Fields below each other begin at one place, and so do the rows of a list, with the focus or without.
    void textsStandBelowEachOther()
    {
        const auto begins = [](QWidget& widget, const QRect& within) {
            const QImage image = picture(widget, 1);
            const QRgb ground = image.pixel(within.left(), within.center().y());
            for (int x = within.left(); x <= within.right(); ++x)
                for (int y = within.top(); y <= within.bottom(); ++y)
                    if (std::abs(qGray(image.pixel(x, y)) - qGray(ground)) > 60)
                        return x;
            return -1;
        };
        QLineEdit line(QStringLiteral("H"));
        QComboBox choice;
        choice.addItem(QStringLiteral("H"));
        QSpinBox number;
        number.setPrefix(QStringLiteral("H"));
        for (QWidget* field : std::initializer_list<QWidget*>{&line, &choice, &number}) {
            field->resize(160, 28);
            field->ensurePolished();
            QCOMPARE(begins(*field, {4, 6, 60, 16}), begins(line, {4, 6, 60, 16}));
        }
        QVERIFY(begins(line, {4, 6, 60, 16}) > 4);

        QListWidget list;
        for (int i = 0; i < 2; ++i)
            list.addItem(QStringLiteral("H"));
        list.setSelectionMode(QAbstractItemView::NoSelection);
        list.resize(120, 80);
        list.show();
        list.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&list, patience));
        list.setFocus();
        list.setCurrentRow(0);
        const auto row = [&](int which) {
            return list.visualItemRect(list.item(which)).adjusted(3, 3, -3, -3);
        };
        QVERIFY(begins(list, row(1)) > 3);
        QCOMPARE(begins(list, row(0)), begins(list, row(1)));
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

    void cleanupTestCase() { m_every.close(); }

private:
    std::filesystem::path path() const
    {
        return m_directory.filePath(QStringLiteral("project")).toStdString();
    }

    QTemporaryDir m_directory;
    test::LiveRuns m_live;
    test::EveryDialog m_every;
};

SPARSERL_GUI_TEST_MAIN(TestDialogs)
#include "tst_widgets_dialogs.moc"
