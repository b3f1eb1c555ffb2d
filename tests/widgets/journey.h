// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/workbench/main_window.h"
#include "project/queries/queries.h"
#include "tests/widgets/fixture_project.h"

#include <QAbstractItemModelTester>
#include <QString>
#include <QTemporaryDir>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

class QAbstractItemView;
class QComboBox;
class QTableView;
class QTableWidget;

namespace sparserl {
class KernelDetail;
class KernelsPage;
class TrainingPage;
} // namespace sparserl

namespace sparserl::test {

using Values = std::vector<std::pair<const char*, const char*>>;

/// A policy too small to learn anything: what counts is that every stage does all of its work.
const Values& tinySft();
/// Goes on until it is stopped.
const Values& tinyRl();

/// A user of the real window with real workers, on a project that has seen some work. What the user does goes
/// through events of keyboard and mouse; what was reached is read from models and pages.
class Journey
{
public:
    /// Makes a project and opens it; pictures of the steps go into a folder of that name, by pictureKind().
    Status begin(const QString& name);
    /// Opens one that is there.
    Status open(const QString& project, const QString& name);
    /// Ends the window; what runs goes on. The warnings of Qt on the way, or what else was left behind.
    QStringList leave();
    /// As `leave`, and stops what still runs.
    QStringList end();

    QString file(const char* name) const { return m_directory->filePath(QString::fromLatin1(name)); }
    /// A matrix of four rows that the project does not have.
    QString matrixFile() const;
    /// Every model of the window that is there by now is checked from here on.
    void watchModels();
    void picture(const char* name);

    // Keys go where the focus is, as a keyboard's do.
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {});
    void typed(const char* text);
    /// Through the palette; false: it knows nothing of the kind.
    bool command(const char* text);
    /// In the launch form: finds the parameter, steps into its field and replaces what is there.
    bool enterByKeys(const char* key, const char* value);
    /// Waits for the launch form and fills it for a fine-tuning from scratch; false: some field could not be
    /// reached.
    bool fillFineTuning(const char* title, const Values& values);
    /// Once a file dialog has come up; call it before what opens one.
    void typeIntoFileDialog(const QString& path, int tries = 250);

    // The mouse. False: there is no such thing to click on, or it is not seen.
    bool click(QWidget* widget);
    /// Waits until there is one whose text or accessible name begins so.
    bool clickButton(QWidget* parent, const char* textOrName);
    bool clickCell(QAbstractItemView* view, int row, int column);
    bool clickHeader(QTableView* view, int column);
    bool clickTab(QWidget* parent, const char* text);
    bool clickChoice(QComboBox* box, const char* text);
    bool enterByMouse(const char* key, const char* value);
    bool replaceText(QWidget* field, const QString& text);
    void drop(const char* page, const QString& path);

    template <typename Dialog>
    Dialog* dialog() const
    {
        auto* found = m_window->findChild<Dialog*>();
        return found && found->isVisible() ? found : nullptr;
    }
    MainWindow& window() const { return *m_window; }
    QWidget* page(const char* key) const;
    TrainingPage* training() const;
    KernelDetail* detail() const;
    QTableView* programs() const;
    std::optional<RunSummary> run() const; ///< The one that is chosen.
    bool runIs(const char* title) const { return run() && run()->title == title; }
    QString statusOf(const char* title) const; ///< "Done", or what else is said of it.
    bool tableHas(const char* page, const char* text) const;
    /// What labels and tables of a dialog say, to tell why a step failed.
    static QString saidBy(const QWidget* widget);
    QTableWidget* steering() const;
    int steeringRow(const char* key) const; ///< -1: not there (yet).
    QString steeringCell(const char* key, int column) const;
    /// The lowest reward in the list of programs.
    double lowestReward() const;

private:
    void activate();

    std::unique_ptr<QTemporaryDir> m_directory;
    LiveRuns m_live;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
    std::map<QAbstractItemModel*, std::unique_ptr<QAbstractItemModelTester>> m_testers;
    QString m_project, m_pictures;
    int m_step = 0;
};

} // namespace sparserl::test
