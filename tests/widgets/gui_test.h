// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/patience.h"

#include <QApplication>
#include <QStringList>
#include <filesystem>

namespace sparserl {

/// Milliseconds to wait for what must come in a window.
inline const int patience = test::patience();

} // namespace sparserl

namespace sparserl::test {

/// Sets what every picture depends on (font, style, locale) and makes unexpected Qt warnings count.
void prepareGui(QApplication& application);
/// Warnings since the last call, without the noise of the offscreen platform. Tests assert that it is empty.
QStringList takeWarnings();
/// Two buttons that are seen with hardly anything between them, or nothing.
QString touchingButtons(const QWidget& inside);
/// Labels that were shown and would take their text for HTML, although it is not marked as ours.
QStringList richLabels(const QWidget& window);
/// Keys with Alt that more than one visible thing in a window has: menus, fields by their labels, buttons,
/// tabs; and letters that two entries of one menu have.
QStringList sharedKeys(const QWidget& window);
/// The paths of all that is below a folder, hidden files too, sorted.
QStringList entriesBelow(const std::filesystem::path& folder);

/// The theme and scale that this process takes pictures in, such as "light-1x": $SPARSERL_PICTURES_THEME and
/// $QT_SCALE_FACTOR.
QString pictureKind();
bool picturesAreDark();
/// Rows "theme", "scale" of a test that goes through functions again: dark at two pixels a point, and the
/// others where $SPARSERL_PICTURES is "all".
void addThemesAndScales();
/// Those of the functions that this run of the suite goes through again: one by lot, and all where
/// $SPARSERL_PICTURES is "all" or $SPARSERL_TEST_SHARE is 1.
QStringList drawnAgain(const QStringList& functions);
/// Goes through these functions of this test once more, in a process with another theme and scale. Empty, or
/// what it said if it failed.
QString againIn(const QString& theme, int scale, const QStringList& functions);
/// What is wrong with the pictures of another kind in `folder`, which has a folder for each: they must be
/// those of this process, those of the window larger by the scale, and of the theme. Empty: nothing.
QString wrongWithPictures(const QString& folder, const QString& theme, int scale);

} // namespace sparserl::test

/// As QTEST_MAIN, with the set-up above; in a group of tests, its entry there (grouped_tests.h).
#ifdef SPARSERL_GROUPED_MAIN
#define SPARSERL_GUI_TEST_MAIN(TestClass)                                                                    \
    SPARSERL_GROUPED_MAIN(TestClass)                                                                         \
    {                                                                                                        \
        QApplication application(argc, argv);                                                                \
        sparserl::test::prepareGui(application);                                                             \
        TestClass test;                                                                                      \
        return QTest::qExec(&test, argc, argv);                                                              \
    });
#else
#define SPARSERL_GUI_TEST_MAIN(TestClass)                                                                    \
    int main(int argc, char** argv)                                                                          \
    {                                                                                                        \
        QApplication application(argc, argv);                                                                \
        sparserl::test::prepareGui(application);                                                             \
        TestClass test;                                                                                      \
        return QTest::qExec(&test, argc, argv);                                                              \
    }
#endif
