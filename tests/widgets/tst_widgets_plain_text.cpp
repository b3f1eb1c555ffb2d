// SPDX-License-Identifier: Apache-2.0
// Texts of projects and of models that look like HTML: a project has an <img> in every field, every page and
// tab is opened with all tool tips, and the file that it names is watched.
#include "app/workbench/main_window.h"
#include "base/files.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "widgets/common/chart_data.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/format.h"
#include "widgets/common/page.h"
#include "widgets/common/panels.h"
#include "widgets/common/plain_text.h"
#include "widgets/common/settings.h"

#include <QGraphicsItem>
#include <QGraphicsScene>
#include <QGraphicsTextItem>
#include <QGraphicsView>
#include <QHeaderView>
#include <QHelpEvent>
#include <QImage>
#include <QInputDialog>
#include <QLabel>
#include <QMessageBox>
#include <QProgressDialog>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTextDocument>
#include <QToolTip>
#include <QVBoxLayout>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <sys/inotify.h>
#include <unistd.h>

using namespace sparserl;
namespace fs = std::filesystem;

namespace {

/// Counts how often a file was opened.
class Bait
{
public:
    explicit Bait(const QString& file)
        : m_watch(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC))
    {
        ::inotify_add_watch(m_watch, file.toUtf8().constData(), IN_OPEN);
    }
    Bait(const Bait&) = delete;
    Bait& operator=(const Bait&) = delete;
    ~Bait() { ::close(m_watch); }
    /// Since the last call.
    bool taken() const
    {
        char events[4096];
        bool any = false;
        while (::read(m_watch, events, sizeof events) > 0)
            any = true;
        return any;
    }

private:
    int m_watch;
};

/// What names and numbers other things of the journal; all other texts are for people.
const std::set<std::string> kept = {"kind",  "hash",  "program", "matrix", "ptx",    "verdict",   "task",
                                    "split", "state", "name",    "flags",  "origin", "text_zlib", "id",
                                    "key",   "value", "command", "level",  "target", "parent"};

void makeHostile(nlohmann::json& value, const std::string& text, int& changed)
{
    for (auto it = value.begin(); it != value.end(); ++it) {
        const std::string key = value.is_object() ? it.key() : std::string();
        if (kept.count(key) > 0)
            continue;
        if (it->is_structured())
            makeHostile(*it, text, changed);
        else if (it->is_string() && it->get<std::string>().find("nan") != 0 && ++changed > 0)
            *it = text + " " + it->get<std::string>();
    }
}

QLabel* tipLabel()
{
    for (QWidget* widget : QApplication::topLevelWidgets())
        if (widget->inherits("QTipLabel"))
            return qobject_cast<QLabel*>(widget);
    return nullptr;
}

} // namespace

class TestPlainText : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const QString file = m_folder.filePath(QStringLiteral("bait.png"));
        QImage image(20, 20, QImage::Format_RGB32);
        image.fill(Qt::red);
        QVERIFY(image.save(file));
        m_text = QStringLiteral("<img src=\"%1\">").arg(file);
        m_bait.emplace(file);
        m_project = m_folder.filePath(QStringLiteral("project")).toStdString();
        {
            auto made = test::makeProject(m_project);
            QVERIFY2(made, made ? "" : made.error().sentence().c_str());
        }
        const std::string hostile = m_text.toStdString();
        const auto edit = [](const fs::path& path, auto&& change) {
            std::string text = readFile(path, 64 << 20).value();
            change(text);
            QVERIFY(writeFileAtomic(path, text));
        };
        edit(m_project / "project.toml", [&](std::string& text) {
            text =
                std::regex_replace(text, std::regex("(^|\\n)(title|class) = .*"), "$1$2 = '" + hostile + "'");
            text = std::regex_replace(text, std::regex("\\nname = ['\"](.*)['\"]"),
                                      "\nname = '" + hostile + " $1'\nattribution = '" + hostile + "'");
        });
        int changed = 0;
        for (const auto& run : fs::directory_iterator(m_project / "runs")) {
            edit(run.path() / "run.toml", [&](std::string& text) {
                text = std::regex_replace(text, std::regex("\\n(title|preset) = .*"),
                                          "\n$1 = '" + hostile + "'");
            });
            edit(run.path() / "journal.jsonl", [&](std::string& text) {
                std::istringstream in(text);
                std::string line, all;
                while (std::getline(in, line)) {
                    auto entry = nlohmann::json::parse(line);
                    if (entry.value("kind", std::string()) != "program")
                        makeHostile(entry, hostile, changed);
                    all += entry.dump() + "\n";
                }
                text = all;
            });
        }
        QVERIFY2(changed > 1000, qPrintable(QString::number(changed)));
        m_bait->taken(); // what happened so far does not count
    }

    void cleanup()
    {
        QToolTip::hideText();
        QVERIFY2(!m_bait->taken(), "a text made the window open a file");
    }

    /// Otherwise nothing here would mean anything: mark-up that is meant does open the file.
    void theBaitIsSeen()
    {
        QLabel label;
        label.setTextFormat(Qt::RichText);
        label.setProperty("sparserlRichText", true);
        label.setText(m_text);
        label.show();
        QVERIFY(QTest::qWaitForWindowExposed(&label, test::patience()));
        label.grab();
        QVERIFY(m_bait->taken());
        QCOMPARE(test::richLabels(label), QStringList()); // it is marked
    }

    /// Nor would it without the guard: that is what Qt does by itself.
    void withoutTheGuard()
    {
        auto* guard = qApp->findChild<QObject*>(QStringLiteral("TextGuard"));
        QVERIFY(guard);
        qApp->removeEventFilter(guard);
        QLabel label(m_text);
        label.show();
        const bool exposed = QTest::qWaitForWindowExposed(&label, test::patience());
        label.grab();
        qApp->installEventFilter(guard);
        QVERIFY(exposed && m_bait->taken());
        QCOMPARE(test::richLabels(label), QStringList(m_text));
    }

    void labelsAndBoxes()
    {
        QWidget window;
        QLabel label(m_text, &window);
        MessageBar bar(&window);
        bar.showMessage(MessageBar::Level::Warning, m_text);
        EmptyState empty(QStringLiteral("info"), m_text, m_text, &window);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window, test::patience()));
        window.grab();
        QCOMPARE(label.textFormat(), Qt::PlainText);
        QCOMPARE(label.text(), m_text);
        QCOMPARE(test::richLabels(window), QStringList());
        // Wrapped and asked for its height before it is shown.
        QLabel wrapped(m_text);
        wrapped.setWordWrap(true);
        wrapped.sizeHint();
        wrapped.grab();

        QMessageBox box(QMessageBox::Warning, m_text, m_text);
        box.setInformativeText(m_text);
        box.setDetailedText(m_text);
        box.show();
        box.grab();
        QCOMPARE(test::richLabels(box), QStringList());
        QInputDialog input;
        input.setLabelText(m_text);
        input.show();
        input.grab();
        QCOMPARE(test::richLabels(input), QStringList());
        QProgressDialog progress(m_text, m_text, 0, 10);
        progress.show();
        progress.grab();
        QCOMPARE(test::richLabels(progress), QStringList());
    }

    /// What no window can hold is shortened, and what hides is seen also where the style does not paint it.
    void longAndHiddenTexts()
    {
        QWidget window;
        auto* layout = new QVBoxLayout(&window);
        auto* label = new QLabel(&window);
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        layout->addWidget(label);
        window.resize(300, 200);
        const QString path = QStringLiteral("/") + QString(2000, QLatin1Char('p')) + QStringLiteral("/end");
        label->hide();
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window, test::patience()));
        label->setText(QStringLiteral("It is in ") + path);
        label->show(); // which lays out at once
        QCoreApplication::processEvents();
        QCOMPARE(window.width(), 300);
        QVERIFY(label->text().startsWith(QLatin1String("It is in /ppp")));
        QVERIFY(label->text().endsWith(QLatin1String("p/end")) && label->text().size() < 200);
        QCOMPARE(label->toolTip(), QStringLiteral("It is in ") + path);
        label->setText(QStringLiteral("Done: \u202egpj"));
        QCoreApplication::processEvents();
        QCOMPARE(label->text(), QStringLiteral("Done: \\u202egpj"));
        label->setText(QStringLiteral("Done."));
        QCoreApplication::processEvents();
        QCOMPARE(label->text(), QStringLiteral("Done."));
        QCOMPARE(label->toolTip(), QString());
        window.setWindowTitle(QStringLiteral("one\ntwo \u202egpj"));
        QCOMPARE(window.windowTitle(), QStringLiteral("one two \\u202egpj"));
    }

    void toolTips()
    {
        QWidget widget;
        widget.resize(100, 100);
        widget.setToolTip(m_text);
        widget.show();
        QVERIFY(QTest::qWaitForWindowExposed(&widget, test::patience()));
        QHelpEvent event(QEvent::ToolTip, {5, 5}, widget.mapToGlobal(QPoint(5, 5)));
        QApplication::sendEvent(&widget, &event);
        QVERIFY(tipLabel());
        QCOMPARE(tipLabel()->textFormat(), Qt::PlainText);
        QCOMPARE(tipLabel()->text(), m_text);
        tipLabel()->grab();
        QToolTip::showText(widget.mapToGlobal(QPoint(50, 50)), QStringLiteral("<b>%1</b>").arg(m_text));
        QCOMPARE(tipLabel()->textFormat(), Qt::PlainText);
        tipLabel()->grab();
    }

    /// Names, titles and categories of Qt Charts are HTML.
    void charts()
    {
        const auto curve = std::make_shared<Curve>();
        curve->append(0, 1);
        curve->append(1, 2);
        for (const bool bars : {false, true}) {
            ChartData data;
            data.title = data.xLabel = data.leftLabel = m_text;
            ChartSeries series;
            series.name = m_text;
            series.curve = curve;
            if (bars) {
                series.kind = ChartKind::Bars;
                series.labels = {m_text, m_text};
            }
            data.series = {series, series};
            ChartWidget chart;
            chart.resize(700, 500);
            chart.setData(data);
            chart.show();
            QVERIFY(QTest::qWaitForWindowExposed(&chart, test::patience()));
            chart.grab();
            checkScenes(chart);
        }
    }

    void valuesOfRichTexts()
    {
        RichText text(QStringLiteral("<b>%1</b> %2 %9 100%"), {QStringLiteral("%2<i>"), QStringLiteral("&")});
        QCOMPARE(text.html(), QStringLiteral("<b>%2&lt;i&gt;</b> &amp; %9 100%"));
        text += {QStringLiteral("<br>%1"), {QStringLiteral("\"")}};
        QVERIFY(text.html().endsWith(QStringLiteral("<br>&quot;")));
        QCOMPARE(chartText(QStringLiteral("a<b\nc")), QStringLiteral("a&lt;b<br/>c"));
        QCOMPARE(wrappedTip(QStringLiteral("one two three\nfour"), 8),
                 QStringLiteral("one two\nthree\nfour"));
        QCOMPARE(wrappedTip(QStringLiteral("aaaaaaaaaa b"), 4), QStringLiteral("aaaaaaaaaa\nb"));
    }

    /// Every page, tab, row and tool tip.
    void everyPage()
    {
        Settings settings(m_folder.filePath(QStringLiteral("settings.ini")));
        MainWindow window(settings);
        window.show();
        QVERIFY(window.openProject(toQString(m_project.string())));
        QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), patience);
        QVERIFY(window.session()->title().contains(m_text));
        for (const char* key : {"matrices", "training", "kernels", "evaluation"}) {
            QVERIFY(window.showPage(QLatin1String(key)));
            QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), patience);
            Page* page = window.page(QLatin1String(key));
            // One row of each kind: the list's own order puts programs of all verdicts among the first.
            for (QTableView* table : page->findChildren<QTableView*>()) {
                const int rows = table->isVisible() && table->model() ? table->model()->rowCount() : 0;
                for (int row = 0; row < std::min(rows, 6); ++row) {
                    table->setCurrentIndex(table->model()->index(row, 0));
                    QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), patience);
                    if (row % 3 == 0)
                        look(window);
                }
            }
            for (QTabWidget* tabs : page->findChildren<QTabWidget*>())
                for (int tab = 0; tabs->isVisible() && tab < tabs->count(); ++tab) {
                    if (!tabs->isTabVisible(tab))
                        continue;
                    tabs->setCurrentIndex(tab);
                    QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), patience);
                    look(window);
                }
            look(window);
            QVERIFY2(!m_bait->taken(), key);
        }
        QVERIFY2(m_seen > 20, qPrintable(QString::number(m_seen))); // what was shown had the text in it
        QVERIFY2(m_tips > 5, qPrintable(QString::number(m_tips)));
    }

private:
    void look(MainWindow& window)
    {
        window.grab();
        const QStringList rich = test::richLabels(window);
        QVERIFY2(rich.isEmpty(), qPrintable(rich.join(QStringLiteral("; "))));
        for (const QLabel* label : window.findChildren<QLabel*>())
            m_seen += label->isVisible() && label->text().contains(m_text) ? 1 : 0;
        for (QWidget* widget : window.findChildren<QWidget*>())
            if (widget->isVisible() && widget->toolTip().contains(QLatin1Char('<')))
                tip(widget, {2, 2});
        for (QAbstractItemView* view : window.findChildren<QAbstractItemView*>()) {
            if (!view->isVisible() || !view->model())
                continue;
            if (auto* header = qobject_cast<QHeaderView*>(view)) {
                for (int i = 0; i < header->count(); ++i)
                    tip(header->viewport(), {header->sectionViewportPosition(i) + 3, 5});
                continue;
            }
            for (int row = 0; row < std::min(4, view->model()->rowCount()); ++row)
                for (int column = 0; column < view->model()->columnCount(); ++column) {
                    const QModelIndex index = view->model()->index(row, column);
                    m_seen += index.data().toString().contains(m_text) ? 1 : 0;
                    if (const QRect place = view->visualRect(index); place.isValid())
                        tip(view->viewport(), place.center());
                }
        }
        checkScenes(window);
    }
    /// As when the mouse rests there.
    void tip(QWidget* widget, const QPoint& at)
    {
        QHelpEvent event(QEvent::ToolTip, at, widget->mapToGlobal(at));
        QApplication::sendEvent(widget, &event);
        QLabel* label = tipLabel();
        if (!label || !label->isVisible())
            return;
        QCOMPARE(label->textFormat(), Qt::PlainText);
        m_tips += label->text().contains(m_text) ? 1 : 0;
    }
    static void checkScenes(QWidget& widget)
    {
        for (QGraphicsView* view : widget.findChildren<QGraphicsView*>())
            for (QGraphicsItem* item : view->scene() ? view->scene()->items() : QList<QGraphicsItem*>())
                if (auto* text = dynamic_cast<QGraphicsTextItem*>(item)) {
                    const QString shown = text->document()->toPlainText();
                    QVERIFY2(!shown.contains(QChar::ObjectReplacementCharacter), qPrintable(shown));
                }
    }

    QTemporaryDir m_folder;
    fs::path m_project;
    QString m_text;
    std::optional<Bait> m_bait;
    int m_seen = 0, m_tips = 0;
};

SPARSERL_GUI_TEST_MAIN(TestPlainText)
#include "tst_widgets_plain_text.moc"
