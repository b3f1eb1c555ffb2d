// SPDX-License-Identifier: Apache-2.0
#include "tests/widgets/journey.h"

#include "app/workbench/command_palette.h"
#include "app/workbench/live_runs.h"
#include "tests/patience.h"
#include "tests/widgets/gui_test.h"
#include "widgets/common/format.h"
#include "widgets/common/page.h"
#include "widgets/common/theme.h"
#include "widgets/kernels/candidate_model.h"
#include "widgets/kernels/kernel_detail.h"
#include "widgets/kernels/kernels_page.h"
#include "widgets/training/launch_dialog.h"
#include "widgets/training/run_list.h"
#include "widgets/training/run_model.h"
#include "widgets/training/steer_panel.h"
#include "widgets/training/training_page.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QCompleter>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QScrollArea>
#include <QTabBar>
#include <QTableView>
#include <QTableWidget>
#include <QTest>
#include <QTimer>
#include <QUrl>
#include <algorithm>
#include <cmath>
#include <limits>

namespace sparserl::test {

namespace {

const char* const matrixText =
    "%%MatrixMarket matrix coordinate real general\n4 4 5\n1 1 2\n2 2 3\n3 3 4\n4 4 5\n"
    "4 1 -1\n";

template <typename Widget, typename Fits>
Widget* seen(QWidget* parent, Fits fits)
{
    for (auto* widget : parent->findChildren<Widget*>())
        if (widget->isVisible() && fits(widget))
            return widget;
    return nullptr;
}

} // namespace

const Values& tinySft()
{
    static const Values values = {{"threads", "1"},
                                  {"policy.d_model", "16"},
                                  {"policy.d_ff", "16"},
                                  {"policy.heads", "2"},
                                  {"policy.encoder_layers", "1"},
                                  {"policy.decoder_layers", "1"},
                                  {"policy.max_tokens", "250"},
                                  {"sft.programs_per_matrix", "2"},
                                  {"sft.heldout_programs", "1"},
                                  {"sft.families", "S1"},
                                  {"sft.max_bytes", "520"},
                                  {"sft.variety", "0"},
                                  {"sft.steps", "2"},
                                  {"sft.batch", "4"},
                                  {"eval.every", "0"},
                                  {"eval.samples", "0"}};
    return values;
}

const Values& tinyRl()
{
    static const Values values = {{"threads", "1"},     {"rl.iterations", "5000"}, {"rl.matrices", "1"},
                                  {"rl.samples", "2"},  {"eval.every", "0"},       {"checkpoint.every", "10"},
                                  {"eval.samples", "0"}};
    return values;
}

Status Journey::begin(const QString& name)
{
    m_directory = std::make_unique<QTemporaryDir>();
    const QString project = file("project");
    SPARSERL_TRY(m_live, makeProject(project.toStdString()));
    QFile matrix(matrixFile());
    if (!matrix.open(QIODevice::WriteOnly) || matrix.write(matrixText) < 0)
        return fail("The matrix of the journey could not be written");
    matrix.close();
    return open(project, name);
}

Status Journey::open(const QString& project, const QString& name)
{
    if (!m_directory)
        m_directory = std::make_unique<QTemporaryDir>();
    m_project = project;
    m_pictures = name + u'/' + pictureKind();
    m_step = 0;
    QDir(m_pictures).removeRecursively();
    QDir().mkpath(m_pictures);
    qputenv("PATH", QByteArray(SPARSERL_BIN_DIR ":") + qgetenv("PATH"));
    m_settings = std::make_unique<Settings>(file("settings.ini"));
    m_settings->setTheme(picturesAreDark() ? ThemeChoice::Dark : ThemeChoice::Light);
    applyTheme(*qApp, m_settings->theme());
    m_window = std::make_unique<MainWindow>(*m_settings);
    m_window->setQuietClose(true);
    m_window->resize(1280, 800);
    if (!m_window->openProject(project))
        return fail(m_window->lastProblem().toStdString());
    m_window->show();
    if (!QTest::qWaitForWindowActive(m_window.get(), test::patience()) ||
        !QTest::qWaitFor([this] { return !m_window->busy(); }, patience()))
        return fail("The window did not come up");
    watchModels();
    return {};
}

QStringList Journey::leave()
{
    m_testers.clear();
    m_window.reset();
    QStringList left = takeWarnings();
    for (const QWidget* widget : QApplication::topLevelWidgets())
        left.append(
            QStringLiteral("%1 was left behind").arg(QLatin1String(widget->metaObject()->className())));
    return left;
}

QStringList Journey::end()
{
    const QStringList left = leave();
    if (auto project = Project::open(m_project.toStdString())) // what a step that failed left behind
        static_cast<void>(checkpointAndStop(liveWorkers(*project)));
    m_live = {};
    return left;
}

QString Journey::matrixFile() const
{
    return file("four.mtx");
}

void Journey::watchModels()
{
    for (auto* model : m_window->findChildren<QAbstractItemModel*>())
        if (!m_testers.contains(model))
            m_testers[model] = std::make_unique<QAbstractItemModelTester>(
                model, QAbstractItemModelTester::FailureReportingMode::QtTest);
}

void Journey::picture(const char* name)
{
    QTest::qWait(60);
    QWidget* front = QApplication::activeWindow() ? QApplication::activeWindow() : m_window.get();
    front->grab().save(QStringLiteral("%1/%2-%3.png")
                           .arg(m_pictures)
                           .arg(++m_step, 2, 10, QLatin1Char('0'))
                           .arg(QLatin1String(name)));
}

// The offscreen platform has no window manager to do this when a dialog has closed.
void Journey::activate()
{
    if (QApplication::activeWindow())
        return;
    m_window->activateWindow();
    if (!QTest::qWaitForWindowActive(m_window.get(), test::patience()))
        QWARN("the window did not become active");
}

void Journey::press(Qt::Key key, Qt::KeyboardModifiers modifiers)
{
    activate();
    QWidget* target = QApplication::focusWidget();
    if (!target)
        target = QApplication::activeWindow() ? QApplication::activeWindow() : m_window.get();
    QTest::keyClick(target, key, modifiers);
    QCoreApplication::processEvents();
}

void Journey::typed(const char* text)
{
    for (const char* letter = text; *letter != 0; ++letter)
        QTest::keyClick(QApplication::focusWidget(), *letter);
    QCoreApplication::processEvents();
}

bool Journey::command(const char* text)
{
    press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    auto* palette = m_window->findChild<CommandPalette*>();
    if (!palette)
        return false;
    typed(text);
    const bool found = palette->findChild<QListWidget*>()->count() > 0;
    press(found ? Qt::Key_Return : Qt::Key_Escape);
    return QTest::qWaitFor([this] { return !m_window->findChild<CommandPalette*>(); }, patience()) && found;
}

bool Journey::enterByKeys(const char* key, const char* value)
{
    press(Qt::Key_F, Qt::ControlModifier);
    typed(key);
    for (int tab = 0; tab < 30; ++tab) {
        press(Qt::Key_Tab);
        QWidget* at = QApplication::focusWidget();
        if (at->accessibleName() != QLatin1String(key))
            continue;
        press(Qt::Key_A, Qt::ControlModifier);
        typed(value);
        auto* line = qobject_cast<QLineEdit*>(at);
        return !line || line->text() == QLatin1String(value);
    }
    return false;
}

bool Journey::fillFineTuning(const char* title, const Values& values)
{
    if (!QTest::qWaitFor([this] { return dialog<LaunchDialog>() != nullptr; }, patience()))
        return false;
    press(Qt::Key_S, Qt::AltModifier);
    typed("Sup");
    press(Qt::Key_F, Qt::AltModifier);
    press(Qt::Key_Home);
    press(Qt::Key_T, Qt::AltModifier);
    typed(title);
    return std::all_of(values.begin(), values.end(),
                       [this](const auto& entry) { return enterByKeys(entry.first, entry.second); });
}

void Journey::typeIntoFileDialog(const QString& path, int tries)
{
    auto* chooser = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
    auto* name = chooser ? qobject_cast<QLineEdit*>(QApplication::focusWidget()) : nullptr;
    if (!name && tries > 0) {
        QTimer::singleShot(20, m_window.get(), [this, path, tries] { typeIntoFileDialog(path, tries - 1); });
        return;
    }
    if (name) {
        name->completer()->setCompletionMode(QCompleter::InlineCompletion); // its popup takes Enter
        typed(path.toLatin1().constData());
        for (int i = 0; i < 2 && chooser->isVisible(); ++i) // the first may only accept a completion
            press(Qt::Key_Return);
    }
    if (chooser && chooser->isVisible())
        chooser->reject();
}

bool Journey::click(QWidget* widget)
{
    if (!widget || !widget->isVisible() || !widget->isEnabled())
        return false;
    activate();
    for (QWidget* up = widget->parentWidget(); up; up = up->parentWidget())
        if (auto* area = qobject_cast<QScrollArea*>(up))
            area->ensureWidgetVisible(widget);
    QTest::mouseClick(widget, Qt::LeftButton);
    QCoreApplication::processEvents();
    return true;
}

bool Journey::clickButton(QWidget* parent, const char* textOrName)
{
    const auto wanted = QString::fromUtf8(textOrName);
    QAbstractButton* found = nullptr;
    const auto there = [&] {
        found = seen<QAbstractButton>(parent, [&](QAbstractButton* button) {
            return button->isEnabled() && (button->text().remove(QLatin1Char('&')).startsWith(wanted) ||
                                           button->accessibleName().startsWith(wanted));
        });
        return found != nullptr;
    };
    return QTest::qWaitFor(there, patience()) && click(found);
}

bool Journey::clickCell(QAbstractItemView* view, int row, int column)
{
    // Rows may still move, with what is chosen: who missed the one at this place clicks again.
    const auto* programs = qobject_cast<const CandidateModel*>(view->model());
    const auto hit = [&] {
        const QModelIndex index = view->model()->index(row, column);
        if (!index.isValid() || (programs && programs->searching()))
            return false;
        view->scrollTo(index);
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(index).center());
        QCoreApplication::processEvents();
        return view->currentIndex() == view->model()->index(row, column) &&
               !(programs && programs->searching());
    };
    return QTest::qWaitFor(hit, patience());
}

bool Journey::clickHeader(QTableView* view, int column)
{
    QHeaderView* header = view->horizontalHeader();
    const int x = header->sectionViewportPosition(column) + header->sectionSize(column) / 2;
    QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, {x, header->height() / 2});
    QCoreApplication::processEvents();
    return header->sortIndicatorSection() == column;
}

bool Journey::clickTab(QWidget* parent, const char* text)
{
    for (auto* bar : parent->findChildren<QTabBar*>())
        for (int i = 0; bar->isVisible() && i < bar->count(); ++i)
            if (bar->tabText(i) == QLatin1String(text)) {
                QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(i).center());
                QCoreApplication::processEvents();
                return bar->currentIndex() == i;
            }
    return false;
}

bool Journey::clickChoice(QComboBox* box, const char* text)
{
    const int at = box->findText(QLatin1String(text), Qt::MatchStartsWith);
    if (at < 0 || !click(box))
        return false;
    if (!QTest::qWaitFor([box] { return box->view()->isVisible(); }, patience()))
        return false;
    const QModelIndex index = box->model()->index(at, 0);
    box->view()->scrollTo(index);
    const QPoint place = box->view()->visualRect(index).center();
    QTest::mouseMove(box->view()->viewport(), place);
    QTest::qWait(QApplication::doubleClickInterval() + 50); // a list that has just opened ignores a release
    QTest::mouseClick(box->view()->viewport(), Qt::LeftButton, {}, place);
    QCoreApplication::processEvents();
    return box->currentIndex() == at;
}

bool Journey::replaceText(QWidget* field, const QString& text)
{
    if (!click(field))
        return false;
    QTest::keyClick(field, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(field, text);
    QCoreApplication::processEvents();
    auto* line = qobject_cast<QLineEdit*>(field);
    return !line || line->text() == text;
}

bool Journey::enterByMouse(const char* key, const char* value)
{
    auto* form = dialog<LaunchDialog>();
    auto* search = seen<QLineEdit>(
        form, [](QLineEdit* line) { return line->accessibleName() == QLatin1String("Find a parameter"); });
    if (!replaceText(search, QLatin1String(key)))
        return false;
    auto* field =
        seen<QWidget>(form, [&](QWidget* widget) { return widget->accessibleName() == QLatin1String(key); });
    return field && replaceText(field, QLatin1String(value));
}

void Journey::drop(const char* key, const QString& path)
{
    QWidget* target = page(key);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    const QPoint place = target->rect().center();
    QDragEnterEvent enters(place, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(target, &enters);
    if (!enters.isAccepted())
        return;
    QDropEvent falls(place, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(target, &falls);
}

QWidget* Journey::page(const char* key) const
{
    return m_window->page(QString::fromLatin1(key));
}

TrainingPage* Journey::training() const
{
    return qobject_cast<TrainingPage*>(page("training"));
}

KernelDetail* Journey::detail() const
{
    return qobject_cast<KernelsPage*>(page("kernels"))->detail();
}

QTableView* Journey::programs() const
{
    return qobject_cast<KernelsPage*>(page("kernels"))->table();
}

std::optional<RunSummary> Journey::run() const
{
    return training()->findChild<RunList*>()->current();
}

QString Journey::statusOf(const char* title) const
{
    for (const RunRow& row : training()->model()->rows())
        if (row.title == title)
            return row.status == RunStatus::Done ? QStringLiteral("Done") : toQString(row.reason);
    return {};
}

bool Journey::tableHas(const char* key, const char* text) const
{
    for (auto* view : page(key)->findChildren<QTableView*>())
        for (int row = 0; row < view->model()->rowCount(); ++row)
            for (int column = 0; column < view->model()->columnCount(); ++column)
                if (view->model()->index(row, column).data().toString() == QLatin1String(text))
                    return true;
    return false;
}

QString Journey::saidBy(const QWidget* widget)
{
    QStringList said;
    for (const auto* label : widget ? widget->findChildren<QLabel*>() : QList<QLabel*>())
        if (label->isVisible() && !label->text().isEmpty())
            said.append(label->text());
    for (const auto* view : widget ? widget->findChildren<QTableView*>() : QList<QTableView*>())
        for (int row = 0; row < view->model()->rowCount(); ++row)
            for (int column = 0; column < view->model()->columnCount(); ++column)
                said.append(view->model()->index(row, column).data().toString());
    return said.join(QLatin1Char('\n'));
}

QTableWidget* Journey::steering() const
{
    return training()->findChild<SteerPanel*>()->findChildren<QTableWidget*>().first();
}

int Journey::steeringRow(const char* key) const
{
    for (int row = 0; row < steering()->rowCount(); ++row)
        if (steering()->item(row, SteerName)->text() == QLatin1String(key))
            return row;
    return -1;
}

QString Journey::steeringCell(const char* key, int column) const
{
    const int row = steeringRow(key);
    return row < 0 ? QString() : steering()->item(row, column)->text();
}

double Journey::lowestReward() const
{
    const auto* model = qobject_cast<CandidateModel*>(programs()->model());
    double lowest = std::numeric_limits<double>::infinity();
    for (int row = 0; row < model->rowCount(); ++row)
        if (const CandidateRow* candidate = model->row(model->index(row, 0)))
            lowest = std::fmin(lowest, candidate->reward); // which passes over NaN
    return lowest;
}

} // namespace sparserl::test
